// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Reads a JPEG's size and finds its metadata.
enum JPEGReader {
    static func read(_ bytes: ByteWindow, limits: ImageLimits) throws(ImageError) -> ContainerFacts {
        var cursor = try JPEGCursor(bytes)
        var facts: ContainerFacts?
        var exif: ByteWindow?
        var xmp: ByteWindow?
        var hasScan = false
        while let segment = try cursor.next() {
            if segment.isFrameHeader {
                guard facts == nil else { throw .corrupt("more than one frame header") }
                let layout = try JPEGHeader.frame(segment)
                try limits.check(width: layout.width, height: layout.height)
                facts = ContainerFacts(width: layout.width, height: layout.height)
            } else if segment.marker == JPEGSegment.startOfScan {
                guard facts != nil else { throw .corrupt("picture data before the frame header") }
                hasScan = true
            } else if exif == nil, let found = segment.exif {
                exif = found
            } else if xmp == nil, let found = segment.xmp {
                xmp = found
            }
        }
        guard var result = facts, hasScan else { throw .corrupt("no picture data") }
        result.exif = exif
        result.xmp = xmp
        return result
    }
}
