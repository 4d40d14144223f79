// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightMetadata

/// What the lanes must know beyond the facts; read from the head of the file alone.
public struct PictureProbe: Sendable, Equatable {
    /// What the colour profile says.
    public enum Profile: Sendable, Equatable {
        /// None: sRGB is meant.
        case none
        /// sRGB by its own name.
        case srgb
        /// Other colours, or some that cannot be read here.
        case other
        /// Made for other channels than the picture's; a viewer that believes it shows wrong colours.
        case unfit
    }

    /// False for a JPEG that many hosts cannot read: four channels, or arithmetic coding.
    public var isCommon: Bool
    /// True for a JPEG whose coefficients can be turned, whatever their coding.
    public var canTurn: Bool
    /// The colour profile.
    public var profile: Profile
    /// The quality at which a JPEG was written, as far as its tables tell.
    public var quality: Int?

    /// Creates a probe; everything has the value of a common picture without a profile.
    public init(isCommon: Bool = true, canTurn: Bool = true, profile: Profile = .none, quality: Int? = nil) {
        self.isCommon = isCommon
        self.canTurn = canTurn
        self.profile = profile
        self.quality = quality
    }

    /// Bytes that are read first, and at most.
    static let headSizes = [65_536, 4 << 20]

    /// Reads the head of a picture of that type; a file that cannot be read looks common.
    init(_ file: SpooledFile, _ type: MediaType) {
        self.init()
        for size in Self.headSizes {
            let head = Self.head(of: file, size)
            let isWhole =
                switch type {
                case .jpeg: readJPEG(head)
                case .png: readPNG(head)
                case .webp: readWebP(head)
                default: true
                }
            if isWhole || head.count == file.size { return }
        }
    }

    private static func head(of file: SpooledFile, _ size: Int) -> [UInt8] {
        let size = min(file.size, size)
        // SAFETY: the buffer has room for `size` bytes, and at most so many are read.
        return unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = max(0, unsafe file.read(into: UnsafeMutableRawBufferPointer(buffer), at: 0))
        }
    }

    /// True when the first scan was reached.
    private mutating func readJPEG(_ head: [UInt8]) -> Bool {
        var at = 2
        var channels = 3
        var first: ArraySlice<UInt8>?
        while at + 4 <= head.count, head[at] == 0xFF {
            let marker = head[at + 1]
            if marker == 0xFF {
                at += 1
                continue
            }
            if marker == 0xD8 || marker == 0x01 || (0xD0...0xD7).contains(marker) {
                at += 2
                continue
            }
            let end = at + 2 + Int(head[at + 2]) << 8 + Int(head[at + 3])
            guard end > at + 3, end <= head.count else { return false }
            let payload = head[(at + 4)..<end]
            switch marker {
            case 0xDA:
                if let first { profile = Self.judge(first, channels: channels) }
                return true
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                if payload.count > 5 { channels = Int(payload[payload.startIndex + 5]) }
                canTurn = channels == 1 || channels == 3
                isCommon = canTurn && marker <= 0xC2
            case 0xDB: if quality == nil { quality = Self.quality(payload) }
            case 0xE2:
                // The first part holds the header and, with all but the largest profiles, the name.
                if first == nil, payload.count > 14, payload.starts(with: "ICC_PROFILE\u{0}".utf8) {
                    first = payload.dropFirst(14)
                }
            default: break
            }
            at = end
        }
        return false
    }

    /// True when the picture data was reached.
    private mutating func readPNG(_ head: [UInt8]) -> Bool {
        var at = 8
        while at + 12 <= head.count {
            let length = head[at..<(at + 4)].reduce(0) { $0 << 8 | Int($1) }
            let name = String(decoding: head[(at + 4)..<(at + 8)], as: UTF8.self)
            if name == "IDAT" {
                // The numbers count before a profile.
                if CodedColours(of: head, type: .png) != nil { profile = .other }
                return true
            }
            // Packed; its own name, which is not, may tell.
            if name == "iCCP" {
                let label = String(
                    decoding: head[(at + 8)..<min(head.count, at + 87)].prefix { $0 != 0 },
                    as: UTF8.self
                )
                profile = label.contains("sRGB") ? .srgb : .other
            }
            at += 12 + length
        }
        return false
    }

    /// True when the profile was found or there can be none.
    private mutating func readWebP(_ head: [UInt8]) -> Bool {
        guard head.count >= 30, head[12..<16].elementsEqual("VP8X".utf8), head[20] & 0x20 != 0 else { return true }
        var at = 12
        while at + 8 <= head.count {
            let size = head[(at + 4)..<(at + 8)].reversed().reduce(0) { $0 << 8 | Int($1) }
            if head[at..<(at + 4)].elementsEqual("ICCP".utf8) {
                guard at + 8 + size <= head.count else { return false }
                profile = Self.judge(head[(at + 8)..<(at + 8 + size)], channels: 3)
                return true
            }
            at += 8 + size + size % 2
        }
        return false
    }

    private static func judge(_ icc: ArraySlice<UInt8>, channels: Int) -> Profile {
        guard icc.count >= 128 else { return .unfit }
        let space = String(decoding: icc.dropFirst(16).prefix(4), as: UTF8.self)
        guard space == [1: "GRAY", 3: "RGB ", 4: "CMYK"][channels] else { return .unfit }
        let texts = icc.dropFirst(128)
        let isNamed =
            texts.firstRange(of: "sRGB".utf8) != nil || texts.firstRange(of: [0x73, 0, 0x52, 0, 0x47, 0, 0x42]) != nil
        return space == "RGB " && isNamed ? .srgb : .other
    }

    /// The quality that libjpeg would give the first table (T.81 table K.1 scaled).
    private static func quality(_ payload: ArraySlice<UInt8>) -> Int? {
        guard payload.count >= 65, payload.first == 0 else { return nil }
        let sum = payload.dropFirst().prefix(64).reduce(0) { $0 + Int($1) }
        let scale = max(1, 100 * sum / 3_688)
        return min(100, max(1, scale <= 100 ? (200 - scale) / 2 : 5_000 / scale))
    }
}
