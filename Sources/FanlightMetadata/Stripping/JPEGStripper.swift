// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Copies the first picture of a JPEG without metadata.
enum JPEGStripper {
    static func strip(_ bytes: ByteWindow) throws(ImageError) -> [UInt8] {
        var cursor = try JPEGCursor(bytes)
        var result: [UInt8] = [0xFF, 0xD8]
        result.reserveCapacity(bytes.count)
        var hasScan = false
        while let segment = try cursor.next() {
            if segment.isJFIF, result.count == 2 {
                result += jfif(segment.payload)
            } else if segment.icc != nil {
                result += segment.whole.slice
            } else if segment.isAdobe {
                result += [0xFF, 0xEE, 0, 14]
                result += segment.payload.slice.prefix(12)
            } else if isCoding(segment.marker) {
                result += segment.whole.slice
            }
            if segment.marker == JPEGSegment.startOfScan { hasScan = true }
        }
        guard hasScan else { throw .corrupt("no picture data") }
        result += [0xFF, 0xD9]
        return result
    }

    /// Frame headers, tables, restart intervals, scans and line counts.
    private static func isCoding(_ marker: UInt8) -> Bool {
        switch marker {
        case 0xC8: false
        case 0xC0...0xCF, 0xDA...0xDF: true
        default: false
        }
    }

    /// Version, unit and density; the thumbnail is left out.
    private static func jfif(_ payload: ByteWindow) -> [UInt8] {
        [0xFF, 0xE0, 0, 16] + payload.slice.prefix(12) + [0, 0]
    }
}
