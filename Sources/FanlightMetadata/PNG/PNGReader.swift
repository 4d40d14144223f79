// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Reads a PNG's header, frames and transparency, and finds its metadata.
///
/// Compressed text and profiles are never inflated.
enum PNGReader {
    static func read(_ bytes: ByteWindow, limits: ImageLimits) throws(ImageError) -> ContainerFacts {
        var cursor = try PNGChunkCursor(bytes)
        guard let first = try cursor.next() else { throw .truncated }
        var facts = try header(first, limits: limits)
        var hasData = false
        var frameControls = 0
        var isAnimated = false
        while let chunk = try cursor.next() {
            switch chunk.name {
            case "IHDR": throw .corrupt("a second header")
            case "IDAT":
                // A picture in front of the first frame control is none of the animation's frames, but is decoded too.
                if !hasData, isAnimated, frameControls == 0 { facts.frames += 1 }
                hasData = true
            case "tRNS": facts.hasAlpha = true
            case "acTL":
                guard !hasData, let frames = chunk.data.uint32(0) else { continue }
                isAnimated = true
                facts.frames = max(1, frames)
                try limits.check(frames: facts.frames, width: facts.width, height: facts.height)
            case "fcTL":
                frameControls += 1
                try limits.check(frames: frameControls, width: facts.width, height: facts.height)
            case "eXIf": facts.exif = facts.exif ?? exif(chunk.data)
            case "iTXt": facts.xmp = facts.xmp ?? xmp(chunk.data)
            default: continue
            }
        }
        guard hasData else { throw .corrupt("no picture data") }
        return facts
    }

    private static func header(_ chunk: PNGChunk, limits: ImageLimits) throws(ImageError) -> ContainerFacts {
        guard chunk.name == "IHDR", chunk.data.count == 13, let width = chunk.data.uint32(0),
            let height = chunk.data.uint32(4), let depth = chunk.data.uint8(8), let colour = chunk.data.uint8(9),
            chunk.data.uint8(10) == 0, chunk.data.uint8(11) == 0, let interlace = chunk.data.uint8(12), interlace <= 1,
            depths(ofColour: colour).contains(depth)
        else { throw .corrupt("bad header") }
        try limits.check(width: width, height: height)
        return ContainerFacts(width: width, height: height, hasAlpha: colour == 4 || colour == 6)
    }

    private static func depths(ofColour colour: Int) -> [Int] {
        switch colour {
        case 0: [1, 2, 4, 8, 16]
        case 3: [1, 2, 4, 8]
        case 2, 4, 6: [8, 16]
        default: []
        }
    }

    /// Some writers put the JPEG prefix in front of the TIFF bytes.
    private static func exif(_ data: ByteWindow) -> ByteWindow? {
        data.has("Exif\u{0}\u{0}") ? data.window(from: 6) : data
    }

    /// The text of an uncompressed XMP chunk.
    private static func xmp(_ data: ByteWindow) -> ByteWindow? {
        let keyword = "XML:com.adobe.xmp\u{0}"
        let length = keyword.utf8.count
        guard data.has(keyword), data.uint8(length) == 0, let language = data.firstOffset(of: 0, from: length + 2),
            let translated = data.firstOffset(of: 0, from: language + 1)
        else { return nil }
        return data.window(from: translated + 1)
    }
}
