// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@Suite("The way of one delivery")
struct DeliveryMachineTests {
    private let zero = Timestamp(milliseconds: 1_000_000)

    private func at(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: 1_000_000 + milliseconds) }

    private func failure(_ retry: RetryClass) -> DeliveryMachine.Event {
        .failed(DeliveryFailure(kind: .network, message: "m", retry: retry))
    }

    /// A machine in its first attempt.
    private func attempting(_ rules: DeliveryRules = DeliveryRules()) -> DeliveryMachine {
        var machine = DeliveryMachine(rules: rules)
        #expect(machine.handle(.start, now: zero) == .queue(until: zero + (rules.deadline - rules.leastTime)))
        #expect(machine.handle(.granted, now: zero) == .attempt(number: 1, until: zero + rules.deadline))
        return machine
    }

    @Test("Full jitter doubles its bound, up to the longest wait")
    func jitter() {
        let rules = DeliveryRules(attempts: 9)
        let waits = [1, 2, 3, 6, 7, 8, 60].map { rules.wait(after: .retry, made: $0, chance: 1) }
        #expect(
            waits == [
                .milliseconds(500), .seconds(1), .seconds(2), .seconds(16), .seconds(30), .seconds(30), .seconds(30),
            ]
        )
        #expect(rules.wait(after: .retry, made: 1, chance: 0) == .zero)
        #expect(rules.wait(after: .retryAfter(.seconds(7)), made: 1, chance: 0) == .seconds(7))
        #expect(rules.wait(after: .retryAfter(.seconds(-7)), made: 1, chance: 0) == .zero)
    }

    @Test(
        "Unknown and never are final",
        arguments: [(RetryClass.never, DeliveryStatus.failed), (.unknownOutcome, .unknown)]
    )
    func final(retry: RetryClass, status: DeliveryStatus) {
        var machine = attempting()
        guard case .settle(let outcome) = machine.handle(failure(retry), now: zero) else {
            Issue.record("not settled")
            return
        }
        #expect(outcome.status == status && outcome.attempts == 1)
        #expect(machine.handle(.granted, now: zero) == .none)
    }

    @Test("A wait is kept although the alarm rings early, then the delivery queues again")
    func earlyAlarm() {
        var machine = attempting()
        #expect(machine.handle(failure(.retryAfter(.seconds(3))), now: zero, chance: 0) == .wait(until: at(3_000)))
        #expect(machine.handle(.due, now: at(2_999)) == .wait(until: at(3_000)))
        #expect(machine.handle(.due, now: at(3_000)) == .queue(until: at(599_000)))
        #expect(machine.handle(.granted, now: at(3_000)) == .attempt(number: 2, until: at(600_000)))
    }

    @Test("The last attempt's failure is the outcome")
    func attemptsEnd() {
        var machine = attempting(DeliveryRules(attempts: 2))
        _ = machine.handle(failure(.retry), now: zero)
        _ = machine.handle(.due, now: zero)
        #expect(machine.handle(.granted, now: zero) == .attempt(number: 2, until: at(600_000)))
        guard case .settle(let outcome) = machine.handle(failure(.retry), now: zero) else {
            Issue.record("not settled")
            return
        }
        #expect(outcome.status == .failed && outcome.attempts == 2 && outcome.failure?.message == "m")
    }

    @Test("A service that wants more time than is left ends the delivery at once")
    func deadline() {
        var machine = attempting(DeliveryRules(deadline: .seconds(60)))
        guard case .settle(let outcome) = machine.handle(failure(.retryAfter(.seconds(60))), now: zero) else {
            Issue.record("not settled")
            return
        }
        #expect(outcome.status == .failed)
    }

    @Test("An attempt for which no time is left is not begun: the failure before it is told")
    func noTimeLeft() {
        var machine = attempting(DeliveryRules(deadline: .seconds(5)))
        #expect(machine.handle(failure(.retryAfter(.seconds(4))), now: zero) == .wait(until: at(4_000)))
        guard case .settle(let outcome) = machine.handle(.due, now: at(4_600)) else {
            Issue.record("not settled")
            return
        }
        #expect(outcome.failure?.message == "m" && outcome.attempts == 1)

        var other = attempting(DeliveryRules(deadline: .seconds(5)))
        guard case .settle(let end) = other.handle(failure(.retryAfter(.seconds(4))), now: at(800)) else {
            Issue.record("not settled")
            return
        }
        #expect(end.failure?.message == "m" && end.attempts == 1)
    }

    @Test("What a service asked for before a restart is kept, also where the deadline is shorter now")
    func askedForBefore() {
        let rules = DeliveryRules(deadline: .seconds(5))
        var machine = DeliveryMachine(rules: rules, past: .init(attempts: 1, notBefore: at(60_000)))
        guard case .settle(let outcome) = machine.handle(.start, now: zero) else {
            Issue.record("not settled")
            return
        }
        #expect(outcome.status == .failed && outcome.failure?.retry == .retryAfter(.seconds(60)))
    }

    @Test("No place until the deadline: failed, no attempt made")
    func noPlace() {
        var machine = DeliveryMachine(rules: DeliveryRules(deadline: .seconds(5)))
        _ = machine.handle(.start, now: zero)
        guard case .settle(let outcome) = machine.handle(.granted, now: at(5_000)) else {
            Issue.record("not settled")
            return
        }
        #expect(outcome.failure?.kind == .timeout && outcome.attempts == 0)
    }

    @Test("After a restart: what may have arrived is unknown, the rest is tried again with a new deadline")
    func restart() {
        var gone = DeliveryMachine(rules: DeliveryRules(), past: .init(attempts: 2, mayHaveArrived: true))
        guard case .settle(let outcome) = gone.handle(.start, now: zero) else {
            Issue.record("not settled")
            return
        }
        #expect(outcome.status == .unknown && outcome.attempts == 2 && outcome.failure?.kind == .interrupted)

        var worn = DeliveryMachine(rules: DeliveryRules(attempts: 2), past: .init(attempts: 2, notBefore: at(50)))
        #expect(worn.handle(.start, now: zero) == .wait(until: at(50)))
        #expect(worn.handle(.due, now: at(60)) == .queue(until: at(599_000)))
        #expect(worn.handle(.granted, now: at(60)) == .attempt(number: 3, until: at(600_000)))
    }

    @Test("After a restart: what was on its way and is not delivered now is unknown, not failed")
    func inDoubt() {
        let failure = DeliveryFailure(kind: .rateLimited, message: "used up", retry: .never)
        for (isInDoubt, status) in [(true, DeliveryStatus.unknown), (false, .failed)] {
            let past = DeliveryMachine.Past(attempts: 1, isInDoubt: isInDoubt)
            let told = isInDoubt ? failure.inDoubt : failure
            var machine = DeliveryMachine(rules: DeliveryRules(), past: past)
            _ = machine.handle(.start, now: zero)
            #expect(machine.handle(.refused(failure), now: zero) == .settle(.init(status, failure: told, attempts: 1)))
            // An answer to the repetition says nothing of the request before.
            var repeated = DeliveryMachine(rules: DeliveryRules(attempts: 1), past: past)
            _ = repeated.handle(.start, now: zero)
            _ = repeated.handle(.granted, now: zero)
            #expect(repeated.handle(.failed(failure), now: zero) == .settle(.init(status, failure: told, attempts: 2)))
            // What a service asked for is too late.
            var late = past
            late.notBefore = at(900_000)
            var waiting = DeliveryMachine(rules: DeliveryRules(), past: late)
            #expect(outcome(waiting.handle(.start, now: zero))?.status == status)
        }
    }

    private func outcome(_ action: DeliveryMachine.Action) -> DeliveryOutcome? {
        guard case .settle(let outcome) = action else { return nil }
        return outcome
    }

    /// A machine whose first attempt was lost although its request was complete, and may be repeated.
    private func doubtful(_ rules: DeliveryRules = DeliveryRules()) -> DeliveryMachine {
        var machine = attempting(rules)
        #expect(!machine.isInDoubt)
        let lost = DeliveryFailure(kind: .timeout, message: "no answer", retry: .retry, mayHaveArrived: true)
        #expect(machine.handle(.failed(lost), now: zero) == .wait(until: zero))
        #expect(machine.isInDoubt)
        return machine
    }

    @Test("A doubt outlives later refusals, whatever they say; their kind is told")
    func doubtStays() {
        for kind in [ErrorKind.auth, .rateLimited, .duplicate, .network, .interrupted] {
            var machine = doubtful()
            _ = machine.handle(.due, now: zero)
            _ = machine.handle(.granted, now: zero)
            let refusal = DeliveryFailure(kind: kind, message: "No.", httpStatus: 401)
            let end = outcome(machine.handle(.failed(refusal), now: zero))
            #expect(end?.status == .unknown && end?.attempts == 2)
            #expect(end?.failure?.kind == kind && end?.failure?.httpStatus == 401)
            #expect(end?.failure?.retry == .unknownOutcome)
            #expect(end?.failure?.message == "No. An earlier request may have arrived: its answer was not seen.")
        }
    }

    @Test("A doubt outlives the attempts, the deadline and a refused place")
    func doubtWithoutAttempt() {
        let lost = DeliveryFailure(kind: .timeout, message: "no answer", retry: .retry, mayHaveArrived: true)
        var worn = doubtful(DeliveryRules(attempts: 2))
        _ = worn.handle(.due, now: zero)
        _ = worn.handle(.granted, now: zero)
        // Its own words are enough where the last request is in doubt itself.
        let last = outcome(worn.handle(.failed(lost), now: zero))
        #expect(last?.status == .unknown && last?.failure?.message == "no answer")

        var refused = doubtful()
        _ = refused.handle(.due, now: zero)
        let open = DeliveryFailure(kind: .circuitOpen, message: "open", retry: .retry)
        let closed = outcome(refused.handle(.refused(open), now: zero))
        #expect(closed?.status == .unknown && closed?.failure?.kind == .circuitOpen)

        var late = doubtful()
        #expect(outcome(late.handle(.due, now: at(599_000)))?.status == .unknown)
        var granted = doubtful()
        _ = granted.handle(.due, now: zero)
        #expect(outcome(granted.handle(.granted, now: at(599_000)))?.status == .unknown)
        var patient = doubtful()
        _ = patient.handle(.due, now: zero)
        _ = patient.handle(.granted, now: zero)
        #expect(outcome(patient.handle(failure(.retryAfter(.seconds(900))), now: zero))?.status == .unknown)
    }

    @Test("A repetition that delivers settles the doubt")
    func doubtSettled() {
        var machine = doubtful()
        _ = machine.handle(.due, now: zero)
        _ = machine.handle(.granted, now: zero)
        let links = DeliveryLinks(link: "https://a.example/1")
        #expect(machine.handle(.delivered(links), now: zero) == .settle(.init(.delivered, links: links, attempts: 2)))
    }

    @Test("Only a delivery that never began can be skipped")
    func skip() {
        var fresh = DeliveryMachine(rules: DeliveryRules())
        #expect(fresh.handle(.skip, now: zero) == .settle(DeliveryOutcome(.skipped)))
        var begun = attempting()
        #expect(begun.handle(.skip, now: zero) == .none)
    }

    @Test("Times at the ends of what can be told do not trap")
    func extremes() {
        #expect(Timestamp.distantFuture + .seconds(1) == .distantFuture)
        #expect(Timestamp(milliseconds: .min) + .seconds(-1) == Timestamp(milliseconds: .min))
        #expect(Duration.seconds(Int64.max).roundedUpMilliseconds == .max)
        #expect(Duration.nanoseconds(1).roundedUpMilliseconds == 1)
        #expect(Timestamp.distantFuture - Timestamp(milliseconds: -5) == .milliseconds(Int64.max))
    }
}
