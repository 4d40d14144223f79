// SPDX-License-Identifier: Apache-2.0

/// When a service counts as dead, and how it is tried again.
public struct BreakerRules: Sendable, Equatable {
    /// What a delivery does that comes while the circuit is open.
    public enum WhenOpen: String, Sendable, CaseIterable {
        /// Fails at once with `circuit_open`, so that no client waits for a service that is known to be dead.
        case fail
        /// Waits for the circuit to close, at most until its own deadline.
        case wait
    }

    /// Failures in a row that open the circuit; 0 = it never opens.
    public var failures: Int
    /// Time until the first probe; doubles with each probe that fails.
    public var pause: Duration
    /// Longest time between two probes.
    public var longest: Duration
    /// What deliveries do that come while the circuit is open.
    ///
    /// Those of a fallback route never wait; those that have made an attempt wait for one probe at least.
    public var whenOpen: WhenOpen

    /// Creates rules; the defaults are those of a service that says nothing.
    public init(
        failures: Int = 10,
        pause: Duration = .seconds(30),
        longest: Duration = .seconds(300),
        whenOpen: WhenOpen = .fail
    ) {
        self.failures = max(0, failures)
        self.pause = pause
        self.longest = max(pause, longest)
        self.whenOpen = whenOpen
    }
}

/// Closed, open or half-open: keeps deliveries away from a service that does not work.
///
/// Pure: time is passed in.
public struct CircuitBreaker: Sendable {
    /// Names of the states, as the interface shows them.
    public enum State: String, Sendable { case closed, open, halfOpen = "half_open" }

    /// What an attempt says about the service.
    public enum Sign: Sendable {
        /// It answered, whatever it said.
        case alive
        /// Network, timeout or unavailable.
        case dead
        /// Nothing, for example because the gateway ended the attempt.
        case none
    }

    private enum Phase: Sendable {
        case closed(failures: Int)
        case open(until: Timestamp)
        case probing
    }

    private let rules: BreakerRules
    private var phase = Phase.closed(failures: 0)
    private var pause: Duration
    /// True from the first probe that failed until the circuit closes: no passing trouble.
    public private(set) var isConfirmed = false

    /// Creates a closed circuit.
    public init(_ rules: BreakerRules) {
        self.rules = rules
        pause = rules.pause
    }

    /// The state for the interface.
    public var state: State {
        switch phase {
        case .closed: .closed
        case .open: .open
        case .probing: .halfOpen
        }
    }

    /// When a probe may begin; `nil` while closed, and while a probe is out.
    public var nextProbe: Timestamp? { if case .open(let until) = phase { until } else { nil } }

    /// True when an attempt may begin; the first one after the pause is the probe, and the only one until it is over.
    public mutating func admits(at now: Timestamp) -> Bool {
        switch phase {
        case .closed: return true
        case .probing: return false
        case .open(let until):
            guard now >= until else { return false }
            phase = .probing
            return true
        }
    }

    /// Takes the sign of an attempt that is over.
    public mutating func note(_ sign: Sign, at now: Timestamp) {
        switch (phase, sign) {
        case (_, .alive):
            phase = .closed(failures: 0)
            pause = rules.pause
            isConfirmed = false
        case (.closed(let failures), .dead):
            let isFull = rules.failures > 0 && failures + 1 >= rules.failures
            phase = isFull ? .open(until: now + pause) : .closed(failures: failures + 1)
        case (.probing, .dead):
            isConfirmed = true
            pause = min(rules.longest, pause * 2)
            phase = .open(until: now + pause)
        case (.probing, .none): phase = .open(until: now)
        case (.open, .dead), (.open, .none), (.closed, .none): break
        }
    }
}
