// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Reads how long a service asks to wait.
enum Waiting {
    /// Longest wait that is believed, in seconds.
    static let limit = 86_400.0

    /// `Retry-After` in seconds or as a date, else what the adapter says; bounded, never negative.
    static func asked(_ document: ReplyDocument, _ scope: Scope, _ rules: ReplyProgram) -> Duration? {
        let now = scope.context.now
        if let text = document.reply.header("Retry-After").map({ Words.trimmed($0) }) {
            if let seconds = Double(text), seconds.isFinite { return bounded(seconds) }
            if let date = Moment(http: text) { return bounded(Double(date.unix - now)) }
        }
        for rule in rules.waits {
            if let wait = duration(rule, document, scope) { return wait }
        }
        return rules.reset.flatMap { duration($0, document, scope) }
    }

    /// The wait until the service takes more, when a reply says that nothing is left.
    static func exhausted(_ document: ReplyDocument, _ scope: Scope, _ rules: ReplyProgram) -> Duration? {
        guard let left = rules.remaining?.text(in: scope, document).flatMap({ Double($0) }), left <= 0 else {
            return nil
        }
        return rules.reset.flatMap { duration($0, document, scope) }
    }

    /// What one rule reads; `nil` where the reply does not say it.
    static func duration(_ rule: WaitRule, _ document: ReplyDocument, _ scope: Scope) -> Duration? {
        guard let text = rule.from.text(in: scope, document) else { return nil }
        let now = Double(scope.context.now)
        guard let count = Double(text), count.isFinite else {
            return moment(text).map { bounded(Double($0) - now) }
        }
        switch rule.unit {
        case .milliseconds: return bounded(count / 1_000)
        case .minutes: return bounded(count * 60)
        case .unixMS: return bounded(count / 1_000 - now)
        case .unix: return bounded(count - now)
        // A count that large is a point in time (seconds since 1970), which some services send here.
        case .seconds, .timestamp: return bounded(count > 1_000_000_000 ? count - now : count)
        }
    }

    /// A point in time as `YYYY-MM-DDTHH:MM:SSZ`; `nil` where the reply does not say it.
    static func moment(_ rule: WaitRule, _ document: ReplyDocument, _ scope: Scope) -> String? {
        guard let text = rule.from.text(in: scope, document) else { return nil }
        guard let count = Double(text), count.isFinite, abs(count) < 1e15 else {
            return moment(text).map { Moment(unix: $0).iso }
        }
        let now = Double(scope.context.now)
        let seconds: Double =
            switch rule.unit {
            case .unixMS: count / 1_000
            case .unix: count
            case .milliseconds: now + count / 1_000
            case .minutes: now + count * 60
            case .seconds, .timestamp: count > 1_000_000_000 ? count : now + count
            }
        return Moment(unix: Int(max(0, min(seconds, 253_402_300_799)))).iso
    }

    private static func moment(_ text: String) -> Int? { Moment(iso: text)?.unix ?? Moment(http: text)?.unix }

    private static func bounded(_ seconds: Double) -> Duration {
        .milliseconds(Int(max(0, min(seconds, limit)) * 1_000))
    }
}
