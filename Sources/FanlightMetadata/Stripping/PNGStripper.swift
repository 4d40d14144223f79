// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Copies the chunks of a PNG that its picture needs.
enum PNGStripper {
    private static let kept: Set<String> = [
        "IHDR", "PLTE", "IDAT", "IEND", "tRNS", "cHRM", "gAMA", "iCCP", "sBIT", "sRGB", "cICP", "mDCV", "cLLI", "bKGD",
        "pHYs", "acTL", "fcTL", "fdAT",
    ]

    static func strip(_ bytes: ByteWindow) throws(ImageError) -> [UInt8] {
        var cursor = try PNGChunkCursor(bytes)
        var result = PNGChunkCursor.signature
        result.reserveCapacity(bytes.count)
        while let chunk = try cursor.next() {
            if chunk.name == "iCCP", !isProfileSound(chunk.data) { continue }
            if kept.contains(chunk.name) { result += chunk.whole.slice }
        }
        return result
    }

    /// Largest profile that is passed on, unpacked; those of the field stay below 3 MiB.
    static let longestProfile = 4 << 20

    /// False for a profile that cannot be unpacked or would fill the memory of who unpacks it.
    private static func isProfileSound(_ data: ByteWindow) -> Bool {
        guard let nameEnd = data.firstOffset(of: 0, from: 0), data.uint8(nameEnd + 1) == 0,
            let stream = data.window(from: nameEnd + 2)
        else { return false }
        return DeflateMeter.size(ofZlib: stream, limit: longestProfile) != nil
    }
}
