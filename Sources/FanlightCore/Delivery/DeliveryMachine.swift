// SPDX-License-Identifier: Apache-2.0

/// How one delivery ended.
public struct DeliveryOutcome: Sendable, Equatable {
    /// `delivered`, `failed`, `unknown` or `skipped`.
    public var status: DeliveryStatus
    /// What the service gave back.
    public var links: DeliveryLinks
    /// Why it did not deliver.
    public var failure: DeliveryFailure?
    /// Attempts made, those before a restart of the gateway included.
    public var attempts: Int

    /// Creates an outcome.
    public init(
        _ status: DeliveryStatus,
        links: DeliveryLinks = DeliveryLinks(),
        failure: DeliveryFailure? = nil,
        attempts: Int = 0
    ) {
        self.status = status
        self.links = links
        self.failure = failure
        self.attempts = attempts
    }
}

/// The way of one delivery to its one outcome: attempt, back off, attempt again, give up.
///
/// Pure: events in, actions out; time and chance are passed in. It keeps five promises whatever comes in: there is one
/// outcome, no attempt follows an `unknown` one, no attempt begins before its time, none begins so late that there is
/// no time for it before the deadline, and what may have arrived is `delivered` or `unknown` in the end, never `failed`.
public struct DeliveryMachine: Sendable {
    /// What happened.
    public enum Event: Sendable {
        /// The delivery may begin.
        case start
        /// The wait that the last action asked for may be over.
        case due
        /// The service has a place for this delivery now.
        case granted
        /// The service has no place for this delivery, and it must not wait for one.
        case refused(DeliveryFailure)
        /// The attempt delivered.
        case delivered(DeliveryLinks)
        /// The attempt failed.
        case failed(DeliveryFailure)
        /// The route needs this delivery no more; only one that never began can still be skipped.
        case skip
    }

    /// What to do next.
    public enum Action: Sendable, Equatable {
        /// Nothing; the event does not fit the state.
        case none
        /// Ask the service for a place, at the latest until then.
        case queue(until: Timestamp)
        /// Make an attempt, which must be over by then.
        case attempt(number: Int, until: Timestamp)
        /// Come back with ``Event/due``.
        case wait(until: Timestamp)
        /// The end.
        case settle(DeliveryOutcome)
    }

    private enum State: Sendable {
        case new
        case queued
        case attempting
        case waiting(until: Timestamp, after: DeliveryFailure?)
        case settled
    }

    /// What an earlier run of the gateway left of this delivery.
    public struct Past: Sendable {
        /// Attempts that were begun.
        public var attempts: Int
        /// True when the last byte of a request that must not be repeated may have left, and no outcome was noted.
        public var mayHaveArrived: Bool
        /// True when a request that may be repeated had been sent, or was on its way, and its outcome was not seen: it is
        /// repeated, and unless a repetition delivers, nobody knows whether the picture arrived.
        public var isInDoubt: Bool
        /// No attempt before this time.
        public var notBefore: Timestamp?

        /// Creates a past; the default is that of a new delivery.
        public init(
            attempts: Int = 0,
            mayHaveArrived: Bool = false,
            isInDoubt: Bool = false,
            notBefore: Timestamp? = nil
        ) {
            self.attempts = attempts
            self.mayHaveArrived = mayHaveArrived
            self.isInDoubt = isInDoubt
            self.notBefore = notBefore
        }
    }

    private let rules: DeliveryRules
    private let past: Past
    private var state = State.new
    private var made: Int
    /// True when the picture may have arrived already: a request that was complete has had no answer.
    ///
    /// It stays. What the service says to a repetition, tells nothing of the request before: a password may have changed
    /// since, an allowance may be used up. Only a delivery settles it.
    public private(set) var isInDoubt: Bool
    private var deadline = Timestamp.distantFuture
    /// No attempt begins at that time or later.
    private var lastStart = Timestamp.distantFuture

    /// Creates a delivery that waits for ``Event/start``.
    ///
    /// One that is continued after a restart gets a new deadline, because the time in which the gateway was down is not
    /// the service's, and at least one more attempt.
    public init(rules: DeliveryRules, past: Past = Past()) {
        self.rules = rules
        self.past = past
        made = max(0, past.attempts)
        isInDoubt = past.isInDoubt || past.mayHaveArrived
    }

    /// Attempts begun so far.
    public var attempts: Int { made }

    /// True when there is an outcome.
    public var isSettled: Bool { if case .settled = state { true } else { false } }

    /// Takes an event.
    ///
    /// - Parameter chance: 0..<1, the jitter of a wait; a fresh one each time.
    public mutating func handle(_ event: Event, now: Timestamp, chance: Double = 0) -> Action {
        switch (state, event) {
        case (.new, .start): return start(now)
        case (.new, .skip), (.queued, .skip), (.waiting, .skip):
            return made == 0 && !isInDoubt ? settle(DeliveryOutcome(.skipped)) : .none
        case (.waiting(let until, let failure), .due):
            if now < until { return .wait(until: until) }
            return queue(now, after: failure)
        case (.queued, .granted):
            guard now < lastStart else { return settle(late()) }
            made += 1
            state = .attempting
            return .attempt(number: made, until: deadline)
        case (.queued, .refused(let failure)): return settle(end(failure))
        case (.attempting, .delivered(let links)):
            return settle(DeliveryOutcome(.delivered, links: links, attempts: made))
        case (.attempting, .failed(let failure)): return fail(failure, now, chance)
        default: return .none
        }
    }

    private mutating func start(_ now: Timestamp) -> Action {
        deadline = now + rules.deadline
        lastStart = now + (rules.deadline - rules.leastTime)
        if past.mayHaveArrived {
            let failure = DeliveryFailure(
                kind: .interrupted,
                message: "The gateway ended before the service had answered; the picture may have arrived.",
                retry: .unknownOutcome
            )
            return settle(end(failure))
        }
        if let notBefore = past.notBefore, notBefore > now {
            guard notBefore < lastStart else { return settle(tooEarly(notBefore - now)) }
            state = .waiting(until: notBefore, after: nil)
            return .wait(until: notBefore)
        }
        return queue(now, after: nil)
    }

    private mutating func queue(_ now: Timestamp, after failure: DeliveryFailure?) -> Action {
        guard now < lastStart else {
            return settle(failure.map { end($0) } ?? late())
        }
        state = .queued
        return .queue(until: lastStart)
    }

    private mutating func fail(_ failure: DeliveryFailure, _ now: Timestamp, _ chance: Double) -> Action {
        if failure.mayHaveArrived || failure.retry == .unknownOutcome { isInDoubt = true }
        let allowed = max(rules.attempts, past.attempts + 1)
        guard made < allowed, let wait = rules.wait(after: failure.retry, made: made, chance: chance),
            now + wait < lastStart
        else { return settle(end(failure)) }
        let until = now + wait
        state = .waiting(until: until, after: failure)
        return .wait(until: until)
    }

    private mutating func settle(_ outcome: DeliveryOutcome) -> Action {
        state = .settled
        return .settle(outcome)
    }

    /// The outcome where no further attempt can be made.
    private func end(_ failure: DeliveryFailure) -> DeliveryOutcome {
        guard isInDoubt else { return DeliveryOutcome(.failed, failure: failure, attempts: made) }
        return DeliveryOutcome(.unknown, failure: failure.inDoubt, attempts: made)
    }

    private func tooEarly(_ wait: Duration) -> DeliveryOutcome {
        let failure = DeliveryFailure(
            kind: .rateLimited,
            message: "The service takes no attempt within the deadline of \(rules.deadline). Retry later.",
            retry: .retryAfter(wait)
        )
        return end(failure)
    }

    private func late() -> DeliveryOutcome {
        let failure = DeliveryFailure(
            kind: .timeout,
            message: "The deadline of \(rules.deadline) passed before the service had a place for this delivery.",
            retry: .retry
        )
        return end(failure)
    }
}
