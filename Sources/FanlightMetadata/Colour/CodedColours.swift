// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

/// Colours beyond sRGB that a picture tells by numbers instead of a profile: `cICP` of PNG, `colr` of HEIF.
///
/// Decoders give such pixels as they are, without a word about their colours; a profile made of the numbers keeps
/// them from being taken for sRGB.
///
/// Source: ITU-T H.273 tables 2 and 3; PNG, third edition, 11.3.2.6; ISO/IEC 23008-12 section 6.5.5.
public struct CodedColours: Sendable, Equatable {
    /// The three primaries, all with the white of daylight.
    enum Primaries: Int, Sendable { case rec2020 = 9, displayP3 = 12 }

    /// How numbers become light.
    enum Curve: Sendable, Equatable {
        /// That of sRGB; screens show the curves of television so, too.
        case srgb
        case power(Double)
    }

    let primaries: Primaries
    let curve: Curve

    /// Reads a PNG, HEIC or AVIF file.
    ///
    /// - Returns: `nil` where the numbers are missing, mean sRGB or near it, or where a profile cannot say what they mean
    ///   (light far beyond white).
    public init?(of bytes: [UInt8], type: MediaType) {
        guard let codes = Self.codes(of: bytes, type: type) else { return nil }
        self.init(primaries: codes.primaries, transfer: codes.transfer)
    }

    /// True where a picture's numbers mean light far beyond white (SMPTE ST 2084 and ARIB STD-B67), which no profile says:
    /// taken for ordinary pixels it looks pale.
    public static func goBeyondWhite(of bytes: [UInt8], type: MediaType) -> Bool {
        guard let codes = codes(of: bytes, type: type) else { return false }
        return codes.transfer == 16 || codes.transfer == 18
    }

    private static func codes(of bytes: [UInt8], type: MediaType) -> (primaries: Int, transfer: Int)? {
        let window = ByteWindow(bytes)
        return switch type {
        case .png: png(window)
        case .heic, .avif: heif(window)
        case .jpeg, .gif, .webp, .tiff, .bmp: nil
        }
    }

    init?(primaries: Int, transfer: Int) {
        guard let primaries = Primaries(rawValue: primaries) else { return nil }
        self.primaries = primaries
        switch transfer {
        case 1, 2, 6, 13, 14, 15: curve = .srgb
        case 4: curve = .power(2.2)
        case 5: curve = .power(2.8)
        case 8: curve = .power(1)
        default: return nil
        }
    }

    private static func png(_ bytes: ByteWindow) -> (Int, Int)? {
        guard var cursor = try? PNGChunkCursor(bytes) else { return nil }
        while let chunk = try? cursor.next() {
            switch chunk.name {
            // Greys have no primaries.
            case "IHDR": if let colour = chunk.data.uint8(9), colour & 2 == 0 { return nil }
            case "IDAT": return nil
            case "cICP":
                guard let primaries = chunk.data.uint8(0), let transfer = chunk.data.uint8(1) else { return nil }
                return (primaries, transfer)
            default: continue
            }
        }
        return nil
    }

    private static func heif(_ bytes: ByteWindow) -> (Int, Int)? {
        var boxes = BoxCursor(bytes, isTop: true)
        while let box = try? boxes.next() {
            guard box.name == "meta" else { continue }
            guard let items = try? HEIFItems(meta: box.body), let primary = items.primary else { return nil }
            for property in items.properties(of: primary) where property.name == "colr" && property.body.has("nclx") {
                guard let primaries = property.body.uint16(4), let transfer = property.body.uint16(6) else {
                    return nil
                }
                return (primaries, transfer)
            }
            return nil
        }
        return nil
    }
}
