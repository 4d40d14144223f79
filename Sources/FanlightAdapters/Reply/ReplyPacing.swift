// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

/// What a reply says about the next request to the same service, whatever else it says.
///
/// Failures carry their own wait in their retry class; this is about everybody else's deliveries, and about successes
/// that used up an allowance.
public struct ReplyPacing: Sendable, Equatable {
    /// Time in which the service wants no more requests; `nil` = it says nothing of the kind.
    public var pause: Duration?

    /// Longest pause that is believed; what is longer is asked again then.
    public static let longest = Duration.seconds(3_600)

    private static let families: [(remaining: String, resets: [String])] = [
        ("X-Post-Rate-Limit-Remaining", ["X-Post-Rate-Limit-Reset"]),
        ("X-RateLimit-UserRemaining", ["X-RateLimit-UserReset"]),
        ("X-RateLimit-Remaining", ["X-RateLimit-Reset-After", "X-RateLimit-Reset"]),
        ("X-Rate-Limit-Remaining", ["X-Rate-Limit-Reset"]),
        ("RateLimit-Remaining", ["RateLimit-Reset"]),
    ]

    /// Reads the heads of a reply: `Retry-After` of a 429 or 503, and allowances that are used up.
    ///
    /// A reset is seconds from now, a point in time in seconds since 1970, or a date.
    ///
    /// - Parameter now: Seconds since 1970, UTC.
    public init(_ reply: HTTPReply, now: Int) {
        var pauses: [Duration] = []
        if [429, 503].contains(reply.status), let text = reply.header("Retry-After"),
            let wait = Self.wait(text, now: now)
        {
            pauses.append(wait)
        }
        for family in Self.families {
            guard let text = reply.header(family.remaining).map({ Words.trimmed($0) }), let left = Double(text),
                left < 1
            else { continue }
            let reset = family.resets.lazy.compactMap { reply.header($0) }.first
            if let wait = reset.flatMap({ Self.wait($0, now: now) }) { pauses.append(wait) }
        }
        pause = pauses.max().flatMap { $0 > .zero ? min($0, Self.longest) : nil }
    }

    private static func wait(_ text: String, now: Int) -> Duration? {
        let text = Words.trimmed(text)
        let seconds: Double
        if let number = Double(text) {
            guard number.isFinite else { return nil }
            seconds = number > 1_000_000_000 ? number - Double(now) : number
        } else if let date = Moment(http: text) ?? Moment(iso: text) {
            seconds = Double(date.unix - now)
        } else {
            return nil
        }
        return .milliseconds(Int64(max(0, min(seconds, 1e9)) * 1_000))
    }
}
