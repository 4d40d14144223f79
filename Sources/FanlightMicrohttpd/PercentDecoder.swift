// SPDX-License-Identifier: Apache-2.0

/// Decodes `%XX` in place.
///
/// Replaces the library's own decoder because paths reach us as C strings: `%00` stays as written, and so does
/// whatever is not two hexadecimal digits.
enum PercentDecoder {
    /// - Returns: The new length; never more than the old one.
    static func decode(_ bytes: UnsafeMutableBufferPointer<UInt8>) -> Int {
        var from = 0
        var to = 0
        // SAFETY: `to` never passes `from`, and `from` stays below the count.
        while from < bytes.count {
            if unsafe bytes[from] == UInt8(ascii: "%"), from + 2 < bytes.count,
                let high = unsafe digit(bytes[from + 1]), let low = unsafe digit(bytes[from + 2]), high | low != 0
            {
                unsafe bytes[to] = high << 4 | low
                from += 3
            } else {
                unsafe bytes[to] = bytes[from]
                from += 1
            }
            to += 1
        }
        return to
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
