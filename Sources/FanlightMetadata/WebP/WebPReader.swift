// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Reads a WebP's canvas, frames and transparency, and finds its metadata.
///
/// Source: RFC 9649.
enum WebPReader {
    static func read(_ bytes: ByteWindow, limits: ImageLimits) throws(ImageError) -> ContainerFacts {
        var cursor = try RIFFCursor(file: bytes)
        guard let first = try cursor.next() else { throw .corrupt("no chunk") }
        guard first.name == "VP8X" else {
            guard let stream = try bitstream(first) else { throw .corrupt("unknown first chunk") }
            try limits.check(width: stream.width, height: stream.height)
            return ContainerFacts(width: stream.width, height: stream.height, hasAlpha: stream.hasAlpha)
        }
        return try extended(first, &cursor, limits: limits)
    }

    private static func extended(
        _ header: RIFFChunk,
        _ cursor: inout RIFFCursor,
        limits: ImageLimits
    ) throws(ImageError) -> ContainerFacts {
        guard let flags = header.data.uint8(0), let width = header.data.uint24(4, little: true),
            let height = header.data.uint24(7, little: true)
        else { throw .corrupt("bad extended header") }
        var facts = ContainerFacts(width: width + 1, height: height + 1, frames: 0, hasAlpha: flags & 0x10 != 0)
        try limits.check(width: facts.width, height: facts.height)
        var hasStill = false
        while let chunk = try cursor.next() {
            switch chunk.name {
            case "ANMF":
                try frame(chunk.data, inside: facts)
                facts.frames += 1
                try limits.check(frames: facts.frames, width: facts.width, height: facts.height)
            case "VP8 ", "VP8L":
                guard let stream = try bitstream(chunk), stream.width == facts.width, stream.height == facts.height
                else { throw .corrupt("the picture does not fit its canvas") }
                hasStill = true
            case "EXIF":
                let data = chunk.data
                facts.metadata.exif = facts.metadata.exif ?? (data.has("Exif\u{0}\u{0}") ? data.window(from: 6) : data)
            // One phone writes the name with a NUL.
            case "XMP ", "XMP\u{0}": facts.metadata.xmp = facts.metadata.xmp ?? chunk.data
            default: continue
            }
        }
        guard facts.frames > 0 || hasStill else { throw .corrupt("no picture data") }
        facts.frames = max(1, facts.frames)
        return facts
    }

    /// Checks that an animation frame lies on the canvas and holds a picture.
    private static func frame(_ data: ByteWindow, inside facts: ContainerFacts) throws(ImageError) {
        guard let left = data.uint24(0, little: true), let top = data.uint24(3, little: true),
            let width = data.uint24(6, little: true), let height = data.uint24(9, little: true),
            let chunks = data.window(from: 16)
        else { throw .corrupt("bad frame header") }
        guard 2 * left + width < facts.width, 2 * top + height < facts.height else {
            throw .corrupt("a frame lies outside of the canvas")
        }
        var cursor = RIFFCursor(chunks: chunks)
        while let chunk = try cursor.next() {
            guard let stream = try bitstream(chunk) else { continue }
            guard stream.width == width + 1, stream.height == height + 1 else {
                throw .corrupt("a frame differs from its header")
            }
            return
        }
        throw .corrupt("an empty frame")
    }

    /// Size and transparency of a VP8 or VP8L chunk; `nil` for any other chunk.
    private static func bitstream(
        _ chunk: RIFFChunk
    ) throws(ImageError) -> (width: Int, height: Int, hasAlpha: Bool)? {
        switch chunk.name {
        case "VP8 ":
            guard chunk.data.has([0x9D, 0x01, 0x2A], at: 3), let tag = chunk.data.uint8(0), tag & 1 == 0,
                let width = chunk.data.uint16(6, little: true), let height = chunk.data.uint16(8, little: true)
            else { throw .corrupt("bad key frame") }
            return (width & 0x3FFF, height & 0x3FFF, false)
        case "VP8L":
            guard chunk.data.uint8(0) == 0x2F, let bits = chunk.data.uint32(1, little: true), bits >> 29 == 0 else {
                throw .corrupt("bad lossless header")
            }
            return ((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1, bits >> 28 & 1 == 1)
        default: return nil
        }
    }
}
