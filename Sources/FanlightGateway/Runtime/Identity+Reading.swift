// SPDX-License-Identifier: Apache-2.0

import Glibc

extension Identity {
    /// Milliseconds since 1970 of a time as reports write it, or of a date; `nil` when it is neither.
    ///
    /// `YYYY-MM-DD`, or `YYYY-MM-DDTHH:MM:SS` with a fraction and `Z`; a time without `Z` counts as UTC.
    static func milliseconds(_ text: String) -> Int64? {
        let pieces = text.split(separator: "T", maxSplits: 1).map(String.init)
        let date = numbers(pieces.first ?? "", by: "-")
        guard date.count == 3, (1970...9999).contains(date[0]), (1...12).contains(date[1]), (1...31).contains(date[2])
        else { return nil }
        var parts = unsafe tm()
        unsafe (parts.tm_year, parts.tm_mon, parts.tm_mday) = (
            Int32(date[0] - 1_900), Int32(date[1] - 1), Int32(date[2])
        )
        var fraction: Int64 = 0
        if pieces.count == 2 {
            var clock = pieces[1]
            if clock.hasSuffix("Z") { clock.removeLast() }
            let halves = clock.split(separator: ".", maxSplits: 1).map(String.init)
            let time = numbers(halves.first ?? "", by: ":")
            guard time.count == 3, time[0] < 24, time[1] < 60, time[2] < 61 else { return nil }
            unsafe (parts.tm_hour, parts.tm_min, parts.tm_sec) = (Int32(time[0]), Int32(time[1]), Int32(time[2]))
            if halves.count == 2 {
                guard let digits = Int64((halves[1] + "000").prefix(3)), digits >= 0 else { return nil }
                fraction = digits
            }
        }
        // SAFETY: the record is a local that outlives the call; its zone pointer is not read.
        return unsafe Int64(timegm(&parts)) * 1_000 + fraction
    }

    private static func numbers(_ text: String, by separator: Character) -> [Int] {
        let pieces = text.split(separator: separator, omittingEmptySubsequences: false)
        let all = pieces.compactMap { $0.allSatisfy(\.isNumber) ? Int($0) : nil }
        return all.count == pieces.count ? all : []
    }
}
