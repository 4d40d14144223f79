// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// When a failed attempt may be repeated: pure, time and chance passed in.
struct Backoff: Sendable {
    /// Attempts in all.
    var attempts: Int
    /// Time for all attempts together.
    var deadline: Duration
    /// Longest wait of the first repetition; doubles each time.
    var base: Duration = .milliseconds(500)
    /// Longest wait of any repetition.
    var longest: Duration = .seconds(30)

    /// The wait before the next attempt; `nil` when there must be none.
    ///
    /// - Parameter made: Attempts made so far, from 1.
    /// - Parameter elapsed: Since the first attempt began.
    /// - Parameter chance: 0..<1, the full jitter.
    func wait(after failure: DeliveryFailure, made: Int, elapsed: Duration, chance: Double) -> Duration? {
        guard made < attempts else { return nil }
        let wait: Duration
        switch failure.retry {
        case .never, .unknownOutcome: return nil
        case .retry: wait = jittered(made, chance)
        case .retryAfter(let asked): wait = asked + jittered(made, chance) / 4
        }
        return elapsed + wait < deadline ? wait : nil
    }

    private func jittered(_ made: Int, _ chance: Double) -> Duration {
        let bound = min(longest, base * (1 << min(made - 1, 10)))
        return bound * max(0, min(chance, 1))
    }
}
