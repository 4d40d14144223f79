// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Reads a TIFF's pages and checks that their strips and tiles lie inside the file.
enum TIFFReader {
    /// Most strips and tiles of all pages; many pages may share one long list.
    private static let maxStrips = 1_000_000

    static func read(_ bytes: ByteWindow, limits: ImageLimits) throws(ImageError) -> ContainerFacts {
        guard let file = TIFFStructure(bytes) else { throw .truncated }
        var offset = file.firstDirectory
        var visited: Set<Int> = []
        var facts: ContainerFacts?
        var total = 0
        var strips = 0
        while offset != 0 {
            guard visited.insert(offset).inserted else { throw .corrupt("directories form a loop") }
            guard let directory = file.directory(at: offset) else { throw .truncated }
            strips += max(directory[Tag.stripOffsets]?.count ?? 0, directory[Tag.tileOffsets]?.count ?? 0)
            guard strips <= maxStrips else { throw .corrupt("too many strips") }
            let size = try page(directory, of: bytes, limits: limits)
            guard visited.count <= limits.maxFrames else {
                throw .tooManyFrames(visited.count, limit: limits.maxFrames)
            }
            total += size.width * size.height
            guard total <= limits.maxTotalPixels else {
                throw .tooManyPixels(width: size.width, height: size.height, limit: limits.maxTotalPixels)
            }
            if facts == nil { facts = first(directory, size) }
            facts?.frames = visited.count
            offset = directory.next
        }
        guard var result = facts else { throw .corrupt("no page") }
        result.metadata.exif = bytes
        return result
    }

    private static func first(_ directory: TIFFDirectory, _ size: (width: Int, height: Int)) -> ContainerFacts {
        let extra = directory[Tag.extraSamples]
        let hasAlpha = (0..<min(4, extra?.count ?? 0)).contains { index in
            extra?.integer(index) == 1 || extra?.integer(index) == 2
        }
        var facts = ContainerFacts(width: size.width, height: size.height, hasAlpha: hasAlpha)
        facts.metadata.xmp = directory[Tag.xmp]?.value
        facts.metadata.iptc = directory[Tag.iptc]?.value
        return facts
    }

    private static func page(
        _ directory: TIFFDirectory,
        of bytes: ByteWindow,
        limits: ImageLimits
    ) throws(ImageError) -> (width: Int, height: Int) {
        if directory[Tag.dngVersion] != nil { throw .unsupportedType("dng") }
        guard let width = directory[Tag.width]?.integer(), let height = directory[Tag.height]?.integer() else {
            throw .corrupt("a page without a size")
        }
        try limits.check(width: width, height: height)
        let isTiled = directory[Tag.tileOffsets] != nil
        guard let offsets = directory[isTiled ? Tag.tileOffsets : Tag.stripOffsets],
            let counts = directory[isTiled ? Tag.tileCounts : Tag.stripCounts], offsets.count == counts.count,
            offsets.count > 0
        else { throw .corrupt("a page without picture data") }
        for index in 0..<offsets.count {
            guard let offset = offsets.integer(index), let count = counts.integer(index) else {
                throw .corrupt("bad picture data offsets")
            }
            guard bytes.window(at: offset, count: count) != nil else { throw .truncated }
        }
        return (width, height)
    }

    private enum Tag {
        static let width = 0x100, height = 0x101
        static let stripOffsets = 0x111, stripCounts = 0x117
        static let tileOffsets = 0x144, tileCounts = 0x145
        static let extraSamples = 0x152
        static let xmp = 0x2BC, iptc = 0x83BB
        static let dngVersion = 0xC612
    }
}
