// SPDX-License-Identifier: Apache-2.0

/// Looks for a line feed and the delimiter behind it, a stride at a time.
///
/// A picture has a line feed every 256 bytes, and to stop at each costs more than anything else that is done with its
/// bytes on their way in. Looking only at where the delimiter's last byte would stand, nearly every look passes the
/// delimiter's whole length. Source: R. N. Horspool, Practical fast searching in strings, 1980.
struct DelimiterSearch: Sendable {
    let pattern: [UInt8]
    /// By how much to go on, by the byte that stands where the pattern's last one would.
    private let strides: [UInt8]
    /// Not zero where the byte stands in the pattern.
    private let marks: [UInt8]

    /// - Parameter delimiter: 3 to 72 bytes.
    init(_ delimiter: [UInt8]) {
        pattern = [0x0A] + delimiter
        let length = UInt8(clamping: pattern.count)
        var strides = [UInt8](repeating: length, count: 256)
        for (offset, byte) in pattern.dropLast().enumerated() {
            strides[Int(byte)] = length - 1 - UInt8(clamping: offset)
        }
        self.strides = strides
        var marks = [UInt8](repeating: 0, count: 256)
        for byte in pattern { marks[Int(byte)] = 1 }
        self.marks = marks
    }

    /// Where the line feed of the first whole delimiter stands.
    ///
    /// - Complexity: Bytes divided by the delimiter's length where the bytes are like noise; linear at worst, as no
    ///   delimiter holds a line feed, so that no two comparisons go over the same bytes.
    func first(in bytes: UnsafeRawBufferPointer) -> Int? {
        let last = pattern.count - 1
        let lastByte = pattern[last]
        var end = last
        while true {
            end = unsafe passed(bytes, from: end)
            guard end < bytes.count else { return nil }
            // SAFETY: `end` is below the count, and each offset at most as large as it.
            let byte = unsafe bytes[end]
            if byte == lastByte, unsafe matches(bytes, from: end - last) { return end - last }
            end += Int(strides[Int(byte)])
        }
    }

    /// Goes on by the whole length while none of four looks in a row meets a byte of the pattern.
    ///
    /// The four do not depend on each other, so that the processor does not wait for one after the other.
    private func passed(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        let length = pattern.count
        let limit = bytes.count - 3 * length
        var end = start
        // SAFETY: the last of the four places is below the count; a byte is below the 256 marks.
        unsafe marks.withUnsafeBufferPointer { marks in
            while end < limit {
                let met =
                    unsafe marks[Int(bytes[end])] | marks[Int(bytes[end + length])]
                    | marks[Int(bytes[end + 2 * length])] | marks[Int(bytes[end + 3 * length])]
                guard met == 0 else { return }
                end += 4 * length
            }
        }
        return end
    }

    private func matches(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Bool {
        for (offset, byte) in pattern.enumerated() {
            // SAFETY: the caller has looked at the place of the pattern's last byte.
            if unsafe bytes[start + offset] != byte { return false }
        }
        return true
    }
}
