// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// One box of an ISO base media file.
struct Box {
    let name: String
    /// What stands behind the box header.
    let body: ByteWindow

    /// Version of a full box.
    var version: Int { body.uint8(0) ?? 0 }
}

/// Walks the boxes on one level of an ISO base media file.
///
/// Source: ISO/IEC 14496-12 section 4.2.
struct BoxCursor {
    private let bytes: ByteWindow
    private var offset: Int
    /// True on the file's own level, where a box that does not fit means that bytes are missing.
    private let isTop: Bool

    init(_ bytes: ByteWindow, from offset: Int = 0, isTop: Bool = false) {
        self.bytes = bytes
        self.offset = offset
        self.isTop = isTop
    }

    /// The next box; `nil` at the end.
    mutating func next() throws(ImageError) -> Box? {
        guard offset < bytes.count else { return nil }
        guard var size = bytes.uint32(offset), bytes.count >= offset + 8 else { throw misfit }
        guard let name = bytes.name(at: offset + 4) else { throw .corrupt("bad box name") }
        var header = 8
        if size == 1 {
            guard let large = bytes.uint64(offset + 8) else { throw misfit }
            size = large
            header = 16
        } else if size == 0 {
            size = bytes.count - offset
        }
        guard size >= header else { throw .corrupt("bad box size") }
        guard let body = bytes.window(at: offset + header, count: size - header) else { throw misfit }
        offset += size
        return Box(name: name, body: body)
    }

    private var misfit: ImageError { isTop ? .truncated : .corrupt("a box reaches out of its parent") }
}
