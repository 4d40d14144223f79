// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Turns the dates and times of EXIF and XMP into ISO 8601, and refuses what is none.
enum Timestamp {
    /// Turns `YYYY:MM:DD HH:MM:SS` into ISO 8601.
    static func exif(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.count == 19, bytes[10] == 0x20 || bytes[10] == 0x54, bytes[13] == 0x3A, bytes[16] == 0x3A,
            let day = day(String(decoding: bytes[..<10], as: UTF8.self)), let hour = number(bytes[11..<13]),
            let minute = number(bytes[14..<16]), let second = number(bytes[17..<19]), hour < 24, minute < 60,
            second <= 60
        else { return nil }
        return "\(day)T\(String(decoding: bytes[11..<19], as: UTF8.self))"
    }

    /// `YYYY-MM-DD` from the same with colons or hyphens; `nil` for a day that no calendar has.
    static func day(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.count == 10, bytes[4] == bytes[7], bytes[4] == 0x3A || bytes[4] == 0x2D,
            let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]),
            year > 0, (1...12).contains(month), day >= 1, day <= days(of: month, in: year)
        else { return nil }
        let part = { (range: Range<Int>) in String(decoding: bytes[range], as: UTF8.self) }
        return "\(part(0..<4))-\(part(5..<7))-\(part(8..<10))"
    }

    /// `HH:MM:SS` with up to six digits of a second; `nil` for what no clock shows.
    static func clock(hour: Double, minute: Double, second: Double) -> String? {
        guard hour >= 0, hour < 24, hour == hour.rounded(), minute >= 0, minute < 60, minute == minute.rounded(),
            second >= 0, second <= 60
        else { return nil }
        let text = DecimalText.rounded(second, digits: 6)
        let whole = text.prefix { $0 != "." }.count
        return "\(padded(Int(hour))):\(padded(Int(minute))):\(whole < 2 ? "0" : "")\(text)"
    }

    /// `.500` from the digits of a fraction of a second: three digits at least, nine at most; `nil` for none.
    static func fraction(_ text: String) -> String? {
        let digits = text.utf8.prefix { (0x30...0x39).contains($0) }.prefix(9)
        guard !digits.isEmpty,
            text.utf8.dropFirst(digits.count).allSatisfy({ $0 == 0x20 || (0x30...0x39).contains($0) })
        else { return nil }
        return "." + String(decoding: digits, as: UTF8.self) + String(repeating: "0", count: max(0, 3 - digits.count))
    }

    /// `+HH:MM`, `-HH:MM` or `Z`.
    static func zone(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        if text == "Z" { return text }
        guard bytes.count == 6, bytes[0] == 0x2B || bytes[0] == 0x2D, bytes[3] == 0x3A,
            let hour = number(bytes[1..<3]), let minute = number(bytes[4..<6]), hour <= 14, minute < 60
        else { return nil }
        return text
    }

    /// An instant that names UTC: `YYYY-MM-DDTHH:MM:SS`, a fraction or none, and `Z`.
    static func instant(_ text: String) -> String? {
        guard text.utf8.count <= 40, text.hasSuffix("Z"), text.utf8.count >= 20,
            exif(String(decoding: text.utf8.prefix(19), as: UTF8.self)) != nil
        else { return nil }
        let rest = text.utf8.dropFirst(19).dropLast()
        let isFraction = rest.first == 0x2E && rest.count > 1 && rest.dropFirst().allSatisfy(isDigit)
        return rest.isEmpty || isFraction ? text : nil
    }

    private static func padded(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard digits.allSatisfy(isDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1) - 0x30 }
    }

    private static func days(of month: Int, in year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
