// SPDX-License-Identifier: Apache-2.0

/// Who may attempt a delivery to one service, and when: concurrency, rate, circuit, the service's own wishes, and turns.
///
/// Deliveries of one client are served in order, clients take turns. Each ticket is granted or refused exactly once.
/// Pure: whoever owns it calls ``decide(at:)`` after each change and when ``wake(after:)`` says so.
public struct ServiceQueue: Sendable {
    /// Names a waiting delivery.
    public typealias Ticket = UInt64

    /// What a service takes.
    public struct Limits: Sendable {
        /// Attempts at the same time, at least 1.
        public var concurrency: Int
        /// Attempts in a period; `nil` = no bound.
        public var rate: RateWindow?
        /// The circuit.
        public var breaker: BreakerRules

        /// Creates limits.
        public init(concurrency: Int, rate: RateWindow? = nil, breaker: BreakerRules = BreakerRules()) {
            self.concurrency = max(1, concurrency)
            self.rate = rate
            self.breaker = breaker
        }
    }

    /// One ticket's answer.
    public enum Decision: Sendable, Equatable {
        /// The attempt may begin now; ``finish(_:at:)`` ends it.
        case grant(Ticket)
        /// There will be no place in time.
        case refuse(Ticket, DeliveryFailure)
    }

    private struct Waiting: Sendable {
        var ticket: Ticket
        var until: Timestamp
        var patience: Patience
    }

    /// How long a delivery waits for an open circuit.
    private enum Patience: Sendable {
        case none, oneProbe, full

        /// - Parameter isConfirmed: True when a probe has failed.
        func waits(isConfirmed: Bool) -> Bool {
            switch self {
            case .none: false
            case .oneProbe: !isConfirmed
            case .full: true
            }
        }
    }

    private var limits: Limits
    private var rate: RateWindow?
    private var breaker: CircuitBreaker
    private var heldUntil: Timestamp?
    /// Deliveries by client, and whose turn it is.
    private var groups: [String: Turns<Waiting>] = [:]
    private var order = Turns<String>()
    /// Earliest end of a wait; may be too early, never too late.
    private var earliestEnd = Timestamp.distantFuture
    /// True when one that does not wait for an open circuit to the end is in the queue.
    private var hasHasty = false
    private var hasPatientForOne = false

    /// Attempts under way.
    public private(set) var underWay = 0
    /// Deliveries that wait.
    public private(set) var count = 0

    /// Creates an empty queue.
    public init(_ limits: Limits) {
        self.limits = limits
        rate = limits.rate
        breaker = CircuitBreaker(limits.breaker)
    }

    /// State of the circuit.
    public var circuit: CircuitBreaker.State { breaker.state }
    /// What counts in the rate's period; `nil` without a rate.
    public var rateCounts: RateWindow.Counts? { rate?.counts }
    /// Until when the service asked for no more attempts.
    public func held(at now: Timestamp) -> Timestamp? { heldUntil.flatMap { $0 > now ? $0 : nil } }
    /// When an open circuit lets a probe through.
    public var nextProbe: Timestamp? { breaker.nextProbe }

    /// Attempts that the rate leaves; `nil` without a rate.
    public mutating func rateLeft(at now: Timestamp) -> Int? { rate?.left(at: now) }

    /// Takes other limits; what waits and what is under way stays, and what the rate has counted.
    ///
    /// - Parameter isSame: False where the service is another one now: its circuit closes, and it is asked at once.
    public mutating func change(_ new: Limits, isSame: Bool, at now: Timestamp) {
        rate = new.rate.map { fresh in rate.map { fresh.continuing($0, at: now) } ?? fresh }
        if !isSame || new.breaker != limits.breaker { breaker = CircuitBreaker(new.breaker) }
        if !isSame { heldUntil = nil }
        limits = new
    }

    /// Adds a delivery.
    ///
    /// - Parameter group: Whom it belongs to; groups take turns.
    /// - Parameter until: When waiting makes no sense any more.
    /// - Parameter failsFast: True where another service stands in for this one, so that an open circuit is no reason to
    ///   wait.
    /// - Parameter isRepeat: True for one that has made an attempt: it waits for an open circuit until a probe has failed.
    public mutating func add(
        _ ticket: Ticket,
        group: String,
        until: Timestamp,
        failsFast: Bool = false,
        isRepeat: Bool = false
    ) {
        if groups[group] == nil { order.append(group) }
        let patience: Patience =
            if failsFast {
                .none
            } else if limits.breaker.whenOpen == .wait {
                .full
            } else {
                isRepeat ? .oneProbe : .none
            }
        groups[group, default: Turns()].append(Waiting(ticket: ticket, until: until, patience: patience))
        count += 1
        noteEnd(until, patience)
    }

    /// Takes a waiting delivery out without a decision.
    public mutating func cancel(_ ticket: Ticket) {
        sift { $0.ticket == ticket ? .drop : .keep }
    }

    /// Ends an attempt that was granted.
    public mutating func finish(_ sign: CircuitBreaker.Sign, at now: Timestamp) {
        underWay = max(0, underWay - 1)
        breaker.note(sign, at: now)
    }

    /// Notes that the service asked for no attempts until then.
    public mutating func hold(until: Timestamp) { heldUntil = max(heldUntil ?? until, until) }

    /// Counts what an earlier run of the gateway began, beside what began since.
    public mutating func restoreRate(_ counts: RateWindow.Counts, at now: Timestamp) { rate?.restore(counts, at: now) }

    /// Grants and refuses what can be decided now.
    public mutating func decide(at now: Timestamp) -> [Decision] {
        var decisions: [Decision] = []
        refuseHopeless(at: now, &decisions)
        while underWay < limits.concurrency, blocked(at: now) == nil, let next = takeNext() {
            // Nothing blocks, so that this admits; it makes the attempt the probe of an open circuit.
            guard breaker.admits(at: now) else { break }
            rate?.take(at: now)
            underWay += 1
            decisions.append(.grant(next.ticket))
        }
        refuseHopeless(at: now, &decisions)
        return decisions
    }

    /// When ``decide(at:)`` should be called again although nothing else happens; `nil` = never.
    public mutating func wake(after now: Timestamp) -> Timestamp? {
        guard count > 0 else { return nil }
        var times = [earliestEnd]
        if underWay < limits.concurrency, let block = blocked(at: now), let end = block.end { times.append(end) }
        return times.min()
    }

    // MARK: Why nothing may begin

    private mutating func blocked(at now: Timestamp) -> QueueBlock? {
        if breaker.state == .halfOpen { return .circuit(until: nil) }
        if let probe = breaker.nextProbe, probe > now { return .circuit(until: probe) }
        if let heldUntil, heldUntil > now { return .held(until: heldUntil) }
        if var rate {
            let next = rate.next(at: now)
            self.rate = rate
            if next > now { return .rate(until: next) }
        }
        return nil
    }

    /// Refuses those whose wait is over, will be over before anything can change, or who do not wait for a circuit.
    private mutating func refuseHopeless(at now: Timestamp, _ decisions: inout [Decision]) {
        guard count > 0 else {
            forgetEnds()
            return
        }
        let block = blocked(at: now)
        let isOpen = if case .circuit = block { true } else { false }
        let concerned = hasHasty || (hasPatientForOne && breaker.isConfirmed)
        guard earliestEnd <= max(now, block?.end ?? now) || (isOpen && concerned) else { return }
        let horizon = max(now, block?.end ?? now)
        let failure = (block ?? .place).failure(now)
        forgetEnds()
        let isConfirmed = breaker.isConfirmed
        var refused: [Decision] = []
        sift { waiting in
            if waiting.until <= horizon || (isOpen && !waiting.patience.waits(isConfirmed: isConfirmed)) {
                refused.append(.refuse(waiting.ticket, failure))
                return .drop
            }
            return .keep
        }
        decisions += refused
    }

    private mutating func noteEnd(_ until: Timestamp, _ patience: Patience) {
        earliestEnd = min(earliestEnd, until)
        switch patience {
        case .none: hasHasty = true
        case .oneProbe: hasPatientForOne = true
        case .full: break
        }
    }

    private mutating func forgetEnds() {
        earliestEnd = .distantFuture
        hasHasty = false
        hasPatientForOne = false
    }

    // MARK: Turns

    private enum Verdict { case keep, drop }

    private mutating func takeNext() -> Waiting? {
        guard let group = order.popFirst(), let next = groups[group]?.popFirst() else { return nil }
        count -= 1
        if groups[group]?.isEmpty == true {
            groups[group] = nil
        } else {
            order.append(group)
        }
        return next
    }

    /// Goes through all that wait; groups whose last one goes lose their turn.
    private mutating func sift(_ verdict: (Waiting) -> Verdict) {
        var kept = Turns<String>()
        for group in order.all {
            var line = Turns<Waiting>()
            for waiting in groups[group]?.all ?? [] {
                if verdict(waiting) == .drop {
                    count -= 1
                    continue
                }
                line.append(waiting)
                noteEnd(waiting.until, waiting.patience)
            }
            groups[group] = line.isEmpty ? nil : line
            if !line.isEmpty { kept.append(group) }
        }
        order = kept
    }
}
