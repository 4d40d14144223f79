// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// One chunk of a PNG.
struct PNGChunk {
    let name: String
    let data: ByteWindow
    /// Length, name, data and checksum.
    let whole: ByteWindow
}

/// Walks the chunks of a PNG up to and with IEND, and checks the checksums of the critical ones.
///
/// Source: PNG, third edition, section 5.
struct PNGChunkCursor {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    private let bytes: ByteWindow
    private var offset = 8
    private var isFinished = false

    init(_ bytes: ByteWindow) throws(ImageError) {
        guard bytes.has(Self.signature) else { throw .corrupt("no PNG signature") }
        self.bytes = bytes
    }

    /// The next chunk; `nil` behind IEND.
    mutating func next() throws(ImageError) -> PNGChunk? {
        if isFinished { return nil }
        guard let length = bytes.uint32(offset), bytes.count >= offset + 8 else { throw .truncated }
        guard length < 0x8000_0000, let name = bytes.name(at: offset + 4), name.utf8.allSatisfy(Self.isLetter) else {
            throw .corrupt("bad chunk header")
        }
        guard let whole = bytes.window(at: offset, count: length + 12), let data = whole.window(at: 8, count: length),
            let checked = whole.window(at: 4, count: length + 4), let checksum = whole.uint32(length + 8)
        else { throw .truncated }
        let isCritical = name.utf8.first.map { $0 & 0x20 == 0 } ?? true
        if isCritical, Int(CRC32.checksum(checked)) != checksum { throw .corrupt("wrong checksum") }
        offset += length + 12
        isFinished = name == "IEND"
        return PNGChunk(name: name, data: data, whole: whole)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}
