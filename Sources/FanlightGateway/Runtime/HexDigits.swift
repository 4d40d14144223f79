// SPDX-License-Identifier: Apache-2.0

extension UInt64 {
    /// All sixteen hexadecimal digits, lower case.
    var hexDigits: String {
        let digits = (0..<16).map { place in
            let digit = UInt8(self >> (60 - place * 4) & 0xF)
            return digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
        }
        return String(decoding: digits, as: UTF8.self)
    }
}
