// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// One block of a GIF behind the header.
enum GIFBlock {
    /// Label, and everything from the introducer to the block terminator.
    case `extension`(label: UInt8, whole: ByteWindow)
    /// Size of the frame, and everything from the separator to the block terminator.
    case frame(width: Int, height: Int, whole: ByteWindow)
}

/// Walks a GIF from the logical screen to the trailer.
///
/// Source: GIF89a specification.
struct GIFCursor {
    let width: Int
    let height: Int
    /// Signature, logical screen and global colour table.
    let header: ByteWindow
    private let bytes: ByteWindow
    private var offset: Int
    private var isFinished = false

    init(_ bytes: ByteWindow) throws(ImageError) {
        guard let width = bytes.uint16(6, little: true), let height = bytes.uint16(8, little: true),
            let flags = bytes.uint8(10)
        else { throw .truncated }
        let length = 13 + Self.tableSize(flags)
        guard let header = bytes.window(at: 0, count: length) else { throw .truncated }
        self.bytes = bytes
        self.width = width
        self.height = height
        self.header = header
        offset = length
    }

    /// The next block; `nil` at the trailer.
    mutating func next() throws(ImageError) -> GIFBlock? {
        if isFinished { return nil }
        switch bytes.byte(offset) {
        case nil: throw .truncated
        case 0x3B:
            isFinished = true
            return nil
        case 0x21:
            guard let label = bytes.byte(offset + 1) else { throw .truncated }
            return .extension(label: label, whole: try take(dataFrom: offset + 2))
        case 0x2C: return try frame()
        default: throw .corrupt("unknown block")
        }
    }

    private mutating func frame() throws(ImageError) -> GIFBlock {
        guard let width = bytes.uint16(offset + 5, little: true), let height = bytes.uint16(offset + 7, little: true),
            let flags = bytes.uint8(offset + 9)
        else { throw .truncated }
        let code = offset + 10 + Self.tableSize(flags)
        guard let codeSize = bytes.uint8(code) else { throw .truncated }
        guard (1...11).contains(codeSize) else { throw .corrupt("bad code size") }
        return .frame(width: width, height: height, whole: try take(dataFrom: code + 1))
    }

    /// Takes everything from the current offset to the terminator of the data blocks.
    private mutating func take(dataFrom start: Int) throws(ImageError) -> ByteWindow {
        var position = start
        while let length = bytes.uint8(position) {
            position += length + 1
            if length == 0 {
                guard let whole = bytes.window(at: offset, count: position - offset) else { throw .truncated }
                offset = position
                return whole
            }
        }
        throw .truncated
    }

    private static func tableSize(_ flags: Int) -> Int {
        flags & 0x80 == 0 ? 0 : 3 << ((flags & 7) + 1)
    }
}
