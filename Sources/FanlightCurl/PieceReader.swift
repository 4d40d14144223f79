// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Reads the pieces of a body at any offset, so that a body is never in memory as a whole.
enum PieceReader {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    /// Source bytes that are encoded at a time; a multiple of three.
    private static let stretch = 49_152

    /// Copies bytes of an array; at least one, as many as fit.
    static func read(_ bytes: [UInt8], at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, bytes.count - offset)
        guard count > 0 else { return 0 }
        // SAFETY: `count` bytes fit in the buffer and lie inside the array.
        unsafe bytes.withUnsafeBytes { source in
            unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[offset..<(offset + count)]))
        }
        return count
    }

    /// Copies bytes of the piece at an offset; -1 when the disk fails.
    static func read(
        _ pieces: [HTTPRequest.Piece],
        at offset: Int,
        into buffer: UnsafeMutableRawBufferPointer
    ) -> Int {
        var start = offset
        for piece in pieces {
            guard start >= piece.size else {
                switch piece {
                case .bytes(let bytes): return unsafe read(bytes, at: start, into: buffer)
                case .file(let file): return unsafe file.read(into: buffer, at: start)
                case .base64(let file): return unsafe encode(file, at: start, into: buffer)
                }
            }
            start -= piece.size
        }
        return 0
    }

    /// Base64 digits from an offset of the encoded text on; -1 when the disk fails.
    private static func encode(_ file: SpooledFile, at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let start = offset / 4 * 3
        let wanted = min(stretch, file.size - start, (buffer.count + offset % 4 + 3) / 4 * 3)
        var source = [UInt8](repeating: 0, count: wanted)
        var filled = 0
        while filled < wanted {
            // SAFETY: the slice lies inside the array and is used inside the closure only.
            let got = unsafe source.withUnsafeMutableBytes { bytes in
                unsafe file.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[filled...]), at: start + filled)
            }
            guard got > 0 else { return -1 }
            filled += got
        }
        let text = encoded(source)
        return unsafe read(Array(text[(offset % 4)...]), at: 0, into: buffer)
    }

    private static func encoded(_ bytes: [UInt8]) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity((bytes.count + 2) / 3 * 4)
        var index = 0
        while index < bytes.count {
            let left = bytes.count - index
            let group =
                Int(bytes[index]) << 16 | (left > 1 ? Int(bytes[index + 1]) << 8 : 0)
                | (left > 2 ? Int(bytes[index + 2]) : 0)
            out.append(digits[group >> 18 & 63])
            out.append(digits[group >> 12 & 63])
            out.append(left > 1 ? digits[group >> 6 & 63] : UInt8(ascii: "="))
            out.append(left > 2 ? digits[group & 63] : UInt8(ascii: "="))
            index += 3
        }
        return out
    }
}
