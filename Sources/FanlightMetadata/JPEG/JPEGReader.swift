// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Reads a JPEG's size and finds its metadata.
enum JPEGReader {
    /// - Complexity: Of a sequential picture whose file ends with the end marker only the head is read; else one pass.
    static func read(_ bytes: ByteWindow, limits: ImageLimits) throws(ImageError) -> ContainerFacts {
        var cursor = try JPEGCursor(bytes, trustsEnd: true)
        var facts: ContainerFacts?
        var metadata = MetadataBlocks()
        var hasScan = false
        var pictures = 1
        while let segment = try cursor.next() {
            if segment.isFrameHeader {
                guard facts == nil else { throw .corrupt("more than one frame header") }
                let layout = try JPEGHeader.frame(segment)
                try limits.check(width: layout.width, height: layout.height)
                facts = ContainerFacts(width: layout.width, height: layout.height)
            } else if segment.marker == JPEGSegment.startOfScan {
                guard facts != nil else { throw .corrupt("picture data before the frame header") }
                hasScan = true
            } else {
                metadata.add(segment)
                if let index = segment.pictureIndex { pictures = max(pictures, count(of: index)) }
            }
        }
        guard var result = facts, hasScan else { throw .corrupt("no picture data") }
        result.metadata = metadata
        if pictures > 1 { result.companions.insert(.pictures) }
        if let trailer = cursor.trailer, isFilm(trailer) { result.companions.insert(.film) }
        return result
    }

    /// Pictures that the index names.
    private static func count(of index: ByteWindow) -> Int {
        guard let file = TIFFStructure(index), let directory = file.directory(at: file.firstDirectory) else { return 1 }
        return directory[0xB001]?.integer() ?? 1
    }

    /// A film starts right behind the picture, or behind the mark of one maker.
    private static func isFilm(_ trailer: ByteWindow) -> Bool {
        trailer.has("ftyp", at: 4) || trailer.contains("MotionPhoto_Data")
    }
}
