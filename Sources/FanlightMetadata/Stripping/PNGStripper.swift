// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Copies the chunks of a PNG that its picture needs.
enum PNGStripper {
    /// Chunks that stay, and the most bytes of each; of the critical ones and the frames' data all may stay.
    private static let kept: [String: Int] = [
        "IHDR": 13, "PLTE": 768, "IDAT": .max, "IEND": 0, "tRNS": 256, "cHRM": 32, "gAMA": 4, "sBIT": 4, "sRGB": 1,
        "cICP": 4, "mDCV": 24, "cLLI": 8, "bKGD": 6, "pHYs": 9, "acTL": 8, "fcTL": 26, "fdAT": .max,
    ]

    static func strip(_ bytes: ByteWindow, adding insertion: MetadataInsertion = .none) throws(ImageError) -> [UInt8] {
        var cursor = try PNGChunkCursor(bytes)
        var result = PNGChunkCursor.signature
        result.reserveCapacity(bytes.count)
        var components = 3
        while let chunk = try cursor.next() {
            if chunk.name == "iCCP" {
                if insertion.profile.isEmpty { result += profile(chunk.data, components: components) }
                continue
            }
            guard let longest = kept[chunk.name] else { continue }
            if chunk.data.count > longest {
                if chunk.name == "PLTE" { throw .corrupt("the palette is too long") }
                // The end must be there, and nothing in it.
                if chunk.name == "IEND" { result += encoded("IEND", []) }
                continue
            }
            result += chunk.whole.slice
            guard chunk.name == "IHDR" else { continue }
            components = [0, 4].contains(chunk.data.uint8(9)) ? 1 : 3
            if ICCProfile.isSound(insertion.profile, components: components) {
                result += encoded("iCCP", profileName + Zlib.stored(insertion.profile))
            }
            if !insertion.exif.isEmpty { result += encoded("eXIf", insertion.exif) }
            if !insertion.xmp.isEmpty {
                result += encoded("iTXt", Array("XML:com.adobe.xmp".utf8) + [0, 0, 0, 0, 0] + insertion.xmp)
            }
        }
        return result
    }

    /// Name, its end, and the number of the one method of packing.
    private static let profileName = Array("icc".utf8) + [0, 0]

    /// A chunk with the profile under a name of ours; nothing for one that is not sound.
    private static func profile(_ data: ByteWindow, components: Int) -> [UInt8] {
        guard let nameEnd = data.firstOffset(of: 0, from: 0), data.uint8(nameEnd + 1) == 0,
            let stream = data.window(from: nameEnd + 2),
            let unpacked = DeflateMeter.unpack(
                zlib: stream,
                limit: ICCProfile.longest,
                wanted: ICCProfile.headerSize
            ), ICCProfile.isSound(unpacked.head, size: unpacked.size, components: components),
            let packed = stream.window(at: 0, count: unpacked.packedSize)
        else { return [] }
        return encoded("iCCP", profileName + packed.slice)
    }

    private static func encoded(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + data
        let checksum = Int(CRC32.checksum(body[...]))
        return big(data.count) + body + big(checksum)
    }

    private static func big(_ value: Int) -> [UInt8] {
        (0..<4).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
