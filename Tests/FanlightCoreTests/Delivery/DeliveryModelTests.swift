// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

/// Numbers that are the same in every run (splitmix64).
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}

/// Drives a machine with events that fit and events that do not, and notes every breach of its promises.
private struct ModelRun {
    private var numbers: SeededNumbers
    private let rules: DeliveryRules
    private let past: DeliveryMachine.Past
    private var machine: DeliveryMachine
    private var now: Timestamp
    private var start: Timestamp?
    private var earliest: Timestamp?
    private var isUnknown = false
    /// True while an attempt is under way.
    private var isAttempting = false
    /// True from the moment on from which the picture may have arrived.
    private var isDoubtful: Bool
    private(set) var doubts = 0
    private(set) var outcomes = 0
    private(set) var begun = 0
    private(set) var breach: String?

    init(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        rules = DeliveryRules(
            attempts: Int.random(in: 1...6, using: &numbers),
            deadline: .milliseconds(Int.random(in: 0...90_000, using: &numbers))
        )
        now = Timestamp(milliseconds: Int64.random(in: 0...1_000_000_000, using: &numbers))
        let isFresh = Bool.random(using: &numbers)
        past = DeliveryMachine.Past(
            attempts: isFresh ? 0 : Int.random(in: 0...8, using: &numbers),
            mayHaveArrived: !isFresh && Int.random(in: 0..<8, using: &numbers) == 0,
            isInDoubt: !isFresh && Int.random(in: 0..<4, using: &numbers) == 0,
            notBefore: isFresh ? nil : now + .milliseconds(Int.random(in: -5_000...20_000, using: &numbers))
        )
        earliest = past.notBefore
        isDoubtful = past.mayHaveArrived || past.isInDoubt
        machine = DeliveryMachine(rules: rules, past: past)
        self.numbers = numbers
    }

    /// Feeds random events until the outcome, then some more.
    mutating func run() {
        var left = 400
        while left > 0, breach == nil {
            left -= 1
            if outcomes > 0, left > 5 { left = 5 }
            step()
        }
        if outcomes != 1 { breach = breach ?? "\(outcomes) outcomes" }
        if !machine.isSettled { breach = breach ?? "not settled" }
    }

    private mutating func step() {
        let event = event()
        if case .start = event, start == nil { start = now }
        let action = machine.handle(event, now: now, chance: Double.random(in: 0..<1, using: &numbers))
        if case .failed(let failure) = event, isAttempting, failure.mayHaveArrived { isDoubtful = true }
        switch event {
        case .failed, .delivered: isAttempting = false
        default: break
        }
        if machine.isInDoubt != isDoubtful { breach = "in doubt: \(machine.isInDoubt)" }
        check(action, after: event)
        now = now + .milliseconds(Int.random(in: 0...4_000, using: &numbers))
    }

    private mutating func check(_ action: DeliveryMachine.Action, after event: DeliveryMachine.Event) {
        if outcomes > 0, action != .none { breach = "\(action) after the outcome" }
        switch action {
        case .none, .queue: break
        case .attempt(let number, let until):
            begun += 1
            isAttempting = true
            if isUnknown || past.mayHaveArrived { breach = "attempt after unknown" }
            if let earliest, now < earliest { breach = "attempt before its time" }
            if let start, now >= start + (rules.deadline - rules.leastTime) { breach = "attempt after the deadline" }
            if let start, until != start + rules.deadline { breach = "another deadline" }
            if number != past.attempts + begun { breach = "attempt \(number) is miscounted" }
            if begun > max(rules.attempts - past.attempts, 1) { breach = "too many attempts" }
        case .wait(let until):
            if case .failed(let failure) = event, case .retryAfter(let asked) = failure.retry, until < now + asked {
                breach = "wait shorter than asked for"
            }
            if let start, until >= start + rules.deadline { breach = "wait beyond the deadline" }
            earliest = until
        case .settle(let outcome):
            outcomes += 1
            isUnknown = outcome.status == .unknown
            if outcome.status == .pending { breach = "settled as pending" }
            if isDoubtful { doubts += 1 }
            if isDoubtful, outcome.status != .unknown, outcome.status != .delivered {
                breach = "\(outcome.status), though it may have arrived"
            }
            if !isDoubtful, outcome.status == .unknown { breach = "unknown without a doubt" }
            if isUnknown, outcome.failure?.retry != .unknownOutcome { breach = "an unknown outcome may be repeated" }
            if outcome.attempts != past.attempts + begun, outcome.status != .skipped { breach = "attempts miscounted" }
            if case .failed(let failure) = event, failure.retry == .unknownOutcome, outcome.status != .unknown {
                breach = "an unknown outcome became \(outcome.status)"
            }
        }
    }

    private mutating func event() -> DeliveryMachine.Event {
        switch Int.random(in: 0..<16, using: &numbers) {
        case 0...2: .start
        case 3...6: .due
        case 7...9: .granted
        case 10: Int.random(in: 0..<10, using: &numbers) == 0 ? .refused(failure()) : .due
        case 11: .delivered(DeliveryLinks(link: "https://a.example/1"))
        case 12: Int.random(in: 0..<10, using: &numbers) == 0 ? .skip : .granted
        default: .failed(failure())
        }
    }

    private mutating func failure() -> DeliveryFailure {
        let retry: RetryClass =
            switch Int.random(in: 0..<10, using: &numbers) {
            case 0: .never
            case 1: .unknownOutcome
            case 2...4: .retryAfter(.milliseconds(Int.random(in: -1_000...60_000, using: &numbers)))
            default: .retry
            }
        let mayHaveArrived = Int.random(in: 0..<8, using: &numbers) == 0
        return DeliveryFailure(kind: .network, message: "", retry: retry, mayHaveArrived: mayHaveArrived)
    }
}

@Suite("The delivery state machine against its promises")
struct DeliveryModelTests {
    @Test("100,000 random runs: one outcome, nothing after unknown, nothing early or late, no doubt lost")
    func promises() {
        var begun = 0
        var doubts = 0
        for seed in 0..<100_000 as Range<UInt64> {
            var run = ModelRun(seed: seed)
            run.run()
            begun += run.begun
            doubts += run.doubts
            if let breach = run.breach {
                Issue.record("seed \(seed): \(breach)")
                return
            }
        }
        // Random events reach what they are meant to test.
        #expect(begun > 50_000, "only \(begun) attempts")
        #expect(doubts > 20_000, "only \(doubts) doubtful deliveries")
    }
}
