// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Copies the chunks of a WebP that its picture needs.
enum WebPStripper {
    static func strip(_ bytes: ByteWindow) throws(ImageError) -> [UInt8] {
        var cursor = try RIFFCursor(file: bytes)
        var chunks: [(name: String, data: [UInt8])] = []
        while let chunk = try cursor.next() {
            switch chunk.name {
            case "VP8 ", "VP8L", "ICCP", "ALPH", "ANIM", "VP8X": chunks.append((chunk.name, Array(chunk.data.slice)))
            case "ANMF": chunks.append((chunk.name, try frame(chunk.data)))
            default: continue
            }
        }
        if chunks.first?.name == "VP8X", let flags = chunks[0].data.first {
            let hasProfile = chunks.contains { $0.name == "ICCP" }
            chunks[0].data[0] = flags & 0x12 | (hasProfile ? 0x20 : 0)
        } else {
            // A simple file is its one picture chunk.
            chunks = Array(chunks.prefix(1))
        }
        guard chunks.contains(where: { ["VP8 ", "VP8L", "ANMF"].contains($0.name) }) else {
            throw .corrupt("no picture data")
        }
        let body = Array("WEBP".utf8) + chunks.flatMap { encoded($0.name, $0.data) }
        return Array("RIFF".utf8) + size(body.count) + body
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
