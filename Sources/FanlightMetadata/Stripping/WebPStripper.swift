// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Copies the chunks of a WebP that its picture needs.
enum WebPStripper {
    private typealias Chunk = (name: String, data: [UInt8])

    /// Flags of the extended header.
    private enum Flag {
        static let profile: UInt8 = 0x20, alpha: UInt8 = 0x10, exif: UInt8 = 0x08, xmp: UInt8 = 0x04
        static let animation: UInt8 = 0x02
    }

    static func strip(_ bytes: ByteWindow, adding insertion: MetadataInsertion = .none) throws(ImageError) -> [UInt8] {
        var chunks = try pictureChunks(bytes)
        guard chunks.contains(where: { ["VP8 ", "VP8L", "ANMF"].contains($0.name) }) else {
            throw .corrupt("no picture data")
        }
        let isExtended = chunks.first?.name == "VP8X"
        // A simple file is its one picture chunk.
        if !isExtended { chunks = Array(chunks.prefix(1)) }
        let profile = profile(of: chunks, insertion)
        chunks.removeAll { $0.name == "ICCP" }
        let isPlain = profile.isEmpty && insertion.exif.isEmpty && insertion.xmp.isEmpty
        if !isExtended, !isPlain { chunks.insert(("VP8X", try header(bytes)), at: 0) }
        if chunks.first?.name == "VP8X", let flags = chunks[0].data.first {
            chunks[0].data[0] =
                flags & (Flag.alpha | Flag.animation) | (profile.isEmpty ? 0 : Flag.profile)
                | (insertion.exif.isEmpty ? 0 : Flag.exif) | (insertion.xmp.isEmpty ? 0 : Flag.xmp)
            if !profile.isEmpty { chunks.insert(("ICCP", profile), at: 1) }
        }
        if !insertion.exif.isEmpty { chunks.append(("EXIF", insertion.exif)) }
        if !insertion.xmp.isEmpty { chunks.append(("XMP ", insertion.xmp)) }
        let body = Array("WEBP".utf8) + chunks.flatMap { encoded($0.name, $0.data) }
        return Array("RIFF".utf8) + size(body.count) + body
    }

    private static func pictureChunks(_ bytes: ByteWindow) throws(ImageError) -> [Chunk] {
        var cursor = try RIFFCursor(file: bytes)
        var chunks: [Chunk] = []
        while let chunk = try cursor.next() {
            switch chunk.name {
            case "VP8 ", "VP8L", "ICCP", "ALPH": chunks.append((chunk.name, Array(chunk.data.slice)))
            case "ANIM": chunks.append((chunk.name, Array(chunk.data.head(6))))
            case "VP8X":
                guard chunk.data.count >= 10 else { throw .corrupt("bad extended header") }
                // Three bytes behind the flags are reserved.
                chunks.append(
                    (chunk.name, [chunk.data.byte(0) ?? 0, 0, 0, 0] + chunk.data.head(10).dropFirst(4))
                )
            case "ANMF": chunks.append((chunk.name, try frame(chunk.data)))
            default: continue
            }
        }
        return chunks
    }

    /// The profile that the file gets, empty for none; the pictures of the format are all RGB.
    private static func profile(of chunks: [Chunk], _ insertion: MetadataInsertion) -> [UInt8] {
        let found = insertion.profile.isEmpty ? chunks.first { $0.name == "ICCP" }?.data ?? [] : insertion.profile
        return ICCProfile.isSound(found, components: 3) ? found : []
    }

    /// An extended header for a file that has none.
    private static func header(_ bytes: ByteWindow) throws(ImageError) -> [UInt8] {
        var limits = ImageLimits()
        limits.maxPixels = 1 << 40
        let facts = try WebPReader.read(bytes, limits: limits)
        return [facts.hasAlpha ? Flag.alpha : 0, 0, 0, 0] + size(facts.width - 1).prefix(3)
            + size(facts.height - 1).prefix(3)
    }

    /// A frame's header with the picture chunks inside it.
    private static func frame(_ data: ByteWindow) throws(ImageError) -> [UInt8] {
        guard let header = data.window(at: 0, count: 16), let inner = data.window(from: 16) else {
            throw .corrupt("bad frame header")
        }
        var result = Array(header.slice)
        var cursor = RIFFCursor(chunks: inner)
        while let chunk = try cursor.next() {
            guard ["ALPH", "VP8 ", "VP8L"].contains(chunk.name) else { continue }
            result += encoded(chunk.name, Array(chunk.data.slice))
        }
        return result
    }

    private static func encoded(_ name: String, _ data: [UInt8]) -> [UInt8] {
        Array(name.utf8) + size(data.count) + data + (data.count % 2 == 1 ? [0] : [])
    }

    private static func size(_ value: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
