// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Keeps lines about a journal that refuses apart: a full disk refuses hundreds of writes a second.
final class JournalRefusals: Sendable {
    private struct Reason: Hashable {
        var name: String
        var isReading: Bool
    }

    private struct Past {
        var toldAt: ContinuousClock.Instant
        var untold = 0
    }

    /// One line a reason in that time.
    static let pause = Duration.seconds(10)

    private let state = Mutex<[Reason: Past]>([:])

    /// Notes a failure.
    ///
    /// - Returns: How many failures a line that is written now stands for; `nil` = none is due.
    func count(_ name: String, isReading: Bool, at now: ContinuousClock.Instant) -> Int? {
        let reason = Reason(name: name, isReading: isReading)
        return state.withLock { state in
            if let past = state[reason], now - past.toldAt < Self.pause {
                state[reason]?.untold += 1
                return nil
            }
            defer { state[reason] = Past(toldAt: now) }
            return (state[reason]?.untold ?? 0) + 1
        }
    }
}
