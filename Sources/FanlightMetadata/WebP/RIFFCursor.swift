// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// One chunk of a WebP.
struct RIFFChunk {
    let name: String
    let data: ByteWindow
}

/// Walks the chunks of a WebP, or those inside one of its animation frames.
struct RIFFCursor {
    private let bytes: ByteWindow
    private var offset = 0

    /// Starts at a WebP's first chunk; what stands behind the declared size is left out.
    init(file bytes: ByteWindow) throws(ImageError) {
        guard bytes.has("RIFF"), bytes.has("WEBP", at: 8), let size = bytes.uint32(4, little: true) else {
            throw .corrupt("no WebP header")
        }
        guard size >= 4 else { throw .corrupt("bad file size") }
        guard let body = bytes.window(at: 12, count: size - 4) else { throw .truncated }
        self.bytes = body
    }

    /// Starts at the first chunk inside another.
    init(chunks bytes: ByteWindow) {
        self.bytes = bytes
    }

    /// The next chunk; `nil` at the end.
    mutating func next() throws(ImageError) -> RIFFChunk? {
        guard bytes.count - offset >= 8 else { return nil }
        guard let name = bytes.window(at: offset, count: 4), let size = bytes.uint32(offset + 4, little: true),
            let data = bytes.window(at: offset + 8, count: size)
        else { throw .corrupt("a chunk reaches beyond the file size") }
        offset += 8 + size + size % 2
        return RIFFChunk(name: String(decoding: name.slice, as: UTF8.self), data: data)
    }
}
