// SPDX-License-Identifier: Apache-2.0

/// Where the lines of a text begin, as editors count them: after `\n`, `\r\n` and `\r`.
///
/// YAML 1.1 breaks lines at U+0085, U+2028 and U+2029, too; line numbers after one of these would be of no use.
struct LineStarts {
    /// Index of each line's first character, rising; the first is 0.
    private let starts: [Int]

    /// Takes UTF-8.
    init(_ bytes: [UInt8]) {
        var starts = [0]
        var index = 0
        for (offset, byte) in bytes.enumerated() {
            // Bytes after the first of a character.
            if byte & 0xC0 == 0x80 { continue }
            index += 1
            let isPair = byte == 0x0D && offset + 1 < bytes.count && bytes[offset + 1] == 0x0A
            if byte == 0x0A || byte == 0x0D && !isPair { starts.append(index) }
        }
        self.starts = starts
    }

    /// Line and column of a character, both from 1.
    func place(of index: Int) -> (line: Int, column: Int) {
        var low = 0
        var high = starts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= index { low = middle } else { high = middle }
        }
        return (low + 1, max(0, index - starts[low]) + 1)
    }
}
