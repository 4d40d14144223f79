// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Reads a PNG's header, frames and transparency, and finds its metadata.
///
/// Of packed texts only those are unpacked that may hold metadata, a megabyte at most for all of them.
enum PNGReader {
    static func read(_ bytes: ByteWindow, limits: ImageLimits) throws(ImageError) -> ContainerFacts {
        var cursor = try PNGChunkCursor(bytes)
        guard let first = try cursor.next() else { throw .truncated }
        var facts = try header(first, limits: limits)
        var hasData = false
        var frameControls = 0
        var isAnimated = false
        var packedTexts = 0
        var exif: ByteWindow?
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
            case "eXIf": exif = exif ?? tiff(chunk.data)
            case "tEXt", "zTXt", "iTXt":
                packedTexts += chunk.name == "tEXt" ? 0 : 1
                if packedTexts <= maxPackedTexts { add(chunk, to: &facts.metadata) }
            default: continue
            }
        }
        guard hasData else { throw .corrupt("no picture data") }
        // The chunk made for EXIF counts before a text that holds some.
        facts.metadata.exif = exif ?? facts.metadata.exif
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

    /// Packed texts that are looked into; each may take the time of unpacking a megabyte.
    private static let maxPackedTexts = 8

    private static func add(_ chunk: PNGChunk, to metadata: inout MetadataBlocks) {
        guard let text = PNGText(chunk) else { return }
        if text.isXMP {
            metadata.xmp = metadata.xmp ?? text.text
        } else if let profile = text.profile(["exif", "APP1"]) {
            // The name APP1 stands for EXIF and for XMP alike.
            if profile.has("http://ns.adobe.com/xap/1.0/\u{0}") {
                metadata.xmp = metadata.xmp ?? profile.window(from: 29)
            } else {
                metadata.exif = metadata.exif ?? tiff(profile)
            }
        } else if let profile = text.profile(["xmp"]) {
            metadata.xmp = metadata.xmp ?? profile
        } else if let profile = text.profile(["iptc", "8bim"]) {
            metadata.photoshop = metadata.photoshop.isEmpty ? [profile] : metadata.photoshop
        } else if text.keyword == "Author" {
            metadata.author = metadata.author ?? plain(text.text, isUTF8: chunk.name == "iTXt")
        } else if text.keyword == "Copyright" {
            metadata.copyright = metadata.copyright ?? plain(text.text, isUTF8: chunk.name == "iTXt")
        }
    }

    /// Some writers put the JPEG prefix in front of the TIFF bytes.
    private static func tiff(_ data: ByteWindow) -> ByteWindow? {
        data.has("Exif\u{0}\u{0}") ? data.window(from: 6) : data
    }

    private static func plain(_ text: ByteWindow, isUTF8: Bool) -> String {
        let bytes = text.head(2_000)
        if isUTF8 { return String(decoding: bytes, as: UTF8.self) }
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
