// SPDX-License-Identifier: Apache-2.0

/// A point in time in the proleptic Gregorian calendar, with the offset it was written in.
struct Moment: Equatable {
    /// Seconds since 1970-01-01T00:00:00Z.
    var unix: Int
    /// Offset of the writing from UTC in seconds; 0 when none was given.
    var offset: Int = 0

    /// Reads `YYYY-MM-DD[T ]HH:MM:SS[.f][Z|±HH:MM]`; a time without offset counts as UTC.
    init?(iso text: String) {
        let bytes = Array(text.utf8)
        func number(_ range: Range<Int>) -> Int? {
            guard range.upperBound <= bytes.count else { return nil }
            return bytes[range].allSatisfy { $0 >= 48 && $0 <= 57 }
                ? Int(String(decoding: bytes[range], as: UTF8.self)) : nil
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        let hour = number(11..<13) ?? 0
        let minute = number(14..<16) ?? 0
        let second = number(17..<19) ?? 0
        guard hour < 24, minute < 60, second <= 60 else { return nil }
        var rest = bytes.count > 19 ? Array(bytes[19...]) : []
        if rest.first == UInt8(ascii: ".") { rest = Array(rest.dropFirst().drop { $0 >= 48 && $0 <= 57 }) }
        var offset = 0
        if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
            let digits = rest.dropFirst().filter { $0 != UInt8(ascii: ":") }
            guard digits.count == 4, digits.allSatisfy({ $0 >= 48 && $0 <= 57 }),
                let value = Int(String(decoding: digits, as: UTF8.self)), value < 2_400, value % 100 < 60
            else { return nil }
            offset = (value / 100 * 3600 + value % 100 * 60) * (sign == UInt8(ascii: "-") ? -1 : 1)
        }
        self.unix = Self.days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset
        self.offset = offset
    }

    /// A point in UTC.
    init(unix: Int) { self.unix = unix }

    /// Reads `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 section 5.6.7).
    init?(http text: String) {
        let pieces = text.split(separator: " ")
        guard pieces.count >= 5, let day = Int(pieces[1]), let month = Self.months.firstIndex(of: String(pieces[2])),
            let year = Int(pieces[3])
        else { return nil }
        let clock = pieces[4].split(separator: ":").compactMap { Int($0) }
        guard clock.count == 3, (1...31).contains(day), (1970...9999).contains(year),
            clock.allSatisfy({ (0...60).contains($0) })
        else { return nil }
        unix = Self.days(year, month + 1, day) * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2]
    }

    /// `YYYY-MM-DDTHH:MM:SS` with `Z` or the offset.
    var iso: String {
        let text = formatted("yyyy-MM-ddTHH:mm:ss")
        guard offset != 0 else { return text + "Z" }
        let minutes = abs(offset) / 60
        return text + (offset < 0 ? "-" : "+") + Self.padded(minutes / 60, 2) + ":" + Self.padded(minutes % 60, 2)
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

    /// As HTTP writes it in UTC, for example `Sun, 06 Nov 1994 08:49:37 GMT`.
    var http: String { Moment(unix: unix).formatted("EEE, dd MMM yyyy HH:mm:ss") + " GMT" }

    /// Replaces `yyyy MM MMM dd EEE HH mm ss`; every other character stays.
    func formatted(_ format: String) -> String {
        let local = unix + offset
        let day = Int((Double(local) / 86_400).rounded(.down))
        let clock = local - day * 86_400
        let (year, month, date) = Self.civil(day)
        let values: [(String, String)] = [
            ("yyyy", Self.padded(year, 4)), ("MMM", Self.months[month - 1]),
            ("EEE", Self.weekdays[(day % 7 + 7) % 7]), ("MM", Self.padded(month, 2)), ("dd", Self.padded(date, 2)),
            ("HH", Self.padded(clock / 3600, 2)), ("mm", Self.padded(clock / 60 % 60, 2)),
            ("ss", Self.padded(clock % 60, 2)),
        ]
        var out = ""
        var rest = Substring(format)
        scan: while let next = rest.first {
            for (token, value) in values where rest.hasPrefix(token) {
                out += value
                rest = rest.dropFirst(token.count)
                continue scan
            }
            out.append(next)
            rest = rest.dropFirst()
        }
        return out
    }

    private static func padded(_ value: Int, _ width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }

    /// Days since 1970-01-01.
    ///
    /// Source: Howard Hinnant, "chrono-compatible low-level date algorithms", days_from_civil.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(_ days: Int) -> (Int, Int, Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let index = (5 * dayOfYear + 2) / 153
        let month = index < 10 ? index + 3 : index - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * index + 2) / 5 + 1)
    }
}
