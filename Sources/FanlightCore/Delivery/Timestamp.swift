// SPDX-License-Identifier: Apache-2.0

/// A point in time as a journal can keep it: whole milliseconds since 1970, UTC.
public struct Timestamp: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970, UTC; negative before.
    public var milliseconds: Int64

    /// Creates a point in time.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Never reached: the end of time.
    public static let distantFuture = Timestamp(milliseconds: .max)

    /// The earlier one is less.
    public static func < (first: Timestamp, second: Timestamp) -> Bool { first.milliseconds < second.milliseconds }

    /// The time so much later; stays at the ends of what can be told.
    public static func + (time: Timestamp, wait: Duration) -> Timestamp {
        let (sum, overflow) = time.milliseconds.addingReportingOverflow(wait.roundedUpMilliseconds)
        return overflow ? (wait > .zero ? .distantFuture : Timestamp(milliseconds: .min)) : Timestamp(milliseconds: sum)
    }

    /// The time from the second to the first.
    public static func - (end: Timestamp, start: Timestamp) -> Duration {
        let (difference, overflow) = end.milliseconds.subtractingReportingOverflow(start.milliseconds)
        return .milliseconds(overflow ? (end > start ? Int64.max : .min) : difference)
    }
}

extension Duration {
    /// Whole milliseconds, a part of one counted as one, so that a wait is never shorter than asked for.
    public var roundedUpMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        guard !overflow else { return seconds > 0 ? .max : .min }
        let rest = attoseconds > 0 ? (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000 : 0
        let (sum, sumOverflow) = whole.addingReportingOverflow(rest)
        return sumOverflow ? .max : sum
    }
}
