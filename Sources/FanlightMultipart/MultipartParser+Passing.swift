// SPDX-License-Identifier: Apache-2.0

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
        if let place = unsafe search.first(in: bytes) {
            return unsafe beforeLineBreak(bytes, at: place)
        }
        // The rest is too short to hold a whole delimiter, but may hold its beginning.
        var position = max(0, bytes.count - search.pattern.count + 1)
        while position < bytes.count {
            // SAFETY: the place is below `bytes.count`.
            if unsafe bytes[position] == 0x0A, unsafe mayBeginDelimiter(bytes, at: position + 1) {
                return unsafe beforeLineBreak(bytes, at: position)
            }
            position += 1
        }
        // A carriage return at the end may belong to a delimiter's line break.
        return unsafe bytes.last == 0x0D ? bytes.count - 1 : bytes.count
    }

    /// The place of a line break of which the line feed is given.
    private func beforeLineBreak(_ bytes: UnsafeRawBufferPointer, at lineFeed: Int) -> Int {
        // SAFETY: a line feed behind the first byte has a byte before it.
        unsafe lineFeed > 0 && bytes[lineFeed - 1] == 0x0D ? lineFeed - 1 : lineFeed
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
