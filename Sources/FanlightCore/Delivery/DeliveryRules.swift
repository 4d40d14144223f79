// SPDX-License-Identifier: Apache-2.0

/// How often and how long one delivery is tried.
public struct DeliveryRules: Sendable, Equatable {
    /// Attempts in all, at least 1.
    public var attempts: Int
    /// Time for everything: waiting for a place, attempts and the waits between them.
    public var deadline: Duration
    /// Longest wait before the second attempt; doubles with each further one.
    public var base: Duration
    /// Longest wait of any repetition that the service did not ask for.
    public var longest: Duration

    /// Creates rules; the defaults are those of a service that says nothing.
    public init(
        attempts: Int = 4,
        deadline: Duration = .seconds(600),
        base: Duration = .milliseconds(500),
        longest: Duration = .seconds(30)
    ) {
        self.attempts = max(1, attempts)
        self.deadline = max(.zero, deadline)
        self.base = max(.zero, base)
        self.longest = max(.zero, longest)
    }

    /// Time that an attempt must have: with less it would only end as a timeout, and hide why those before it failed.
    public var leastTime: Duration { min(.seconds(1), deadline / 10) }

    /// The wait after a failed attempt; `nil` where its retry class forbids another one.
    ///
    /// Full jitter: anything from nothing to the bound, so that deliveries that failed together do not return
    /// together. What a service asked for is never undercut; a small jitter comes on top.
    ///
    /// - Parameter made: Attempts made so far, from 1.
    /// - Parameter chance: 0..<1.
    public func wait(after retry: RetryClass, made: Int, chance: Double) -> Duration? {
        let bound = min(longest, base * (1 << max(0, min(made - 1, 20))))
        let jitter = bound * max(0, min(chance, 1))
        switch retry {
        case .never, .unknownOutcome: return nil
        case .retry: return jitter
        case .retryAfter(let asked): return max(.zero, asked) + jitter / 4
        }
    }
}
