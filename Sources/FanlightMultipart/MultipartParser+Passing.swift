// SPDX-License-Identifier: Apache-2.0

import Glibc

extension MultipartParser {
    /// How many of the next bytes are a part's content for certain, so that they need not go through the parser.
    ///
    /// A picture is nearly all content: handing its bytes on as they came saves two copies. The caller takes so many
    /// bytes as the part's `data`, and appends the others.
    ///
    /// - Parameter bytes: What comes next; nothing of it was appended yet.
    /// - Returns: 0 where the parser has to decide by itself. The parser counts what is passed as read.
    public mutating func pass(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard isWithinContent else { return 0 }
        let count = unsafe contentCount(bytes)
        skip(count)
        return count
    }

    /// Bytes before the first line break that a delimiter may follow.
    private func contentCount(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard let base = bytes.baseAddress else { return 0 }
        var position = 0
        // SAFETY: every access is below `bytes.count`.
        while position < bytes.count, let found = unsafe memchr(base + position, 0x0A, bytes.count - position) {
            let lineFeed = unsafe UnsafeRawPointer(found) - base
            if unsafe mayBeginDelimiter(bytes, at: lineFeed + 1) {
                return unsafe lineFeed > 0 && bytes[lineFeed - 1] == 0x0D ? lineFeed - 1 : lineFeed
            }
            position = lineFeed + 1
        }
        // A carriage return at the end may belong to a delimiter's line break.
        return unsafe bytes.last == 0x0D ? bytes.count - 1 : bytes.count
    }

    /// True where all bytes up to the end are those of the delimiter.
    private func mayBeginDelimiter(_ bytes: UnsafeRawBufferPointer, at start: Int) -> Bool {
        for (offset, byte) in delimiter.enumerated() {
            guard start + offset < bytes.count else { return true }
            // SAFETY: checked in the line above.
            if unsafe bytes[start + offset] != byte { return false }
        }
        return true
    }
}
