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
            if kept.contains(chunk.name) { result += chunk.whole.slice }
        }
        return result
    }
}
