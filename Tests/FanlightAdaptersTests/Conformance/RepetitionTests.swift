// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@testable import FanlightAdapters

/// What becomes of whole deliveries: attempts, waits and the outcome, for every entry.
@Suite struct RepetitionTests {
    private static let faults = Fault.silent + Fault.refusing

    /// A fault that is gone at the second look: what was done is not done twice, and what is unknown stays so.
    @Test(arguments: Catalogue.standard.names)
    func oneFaultCostsOneRepetitionAtMost(_ name: String) {
        for rehearsal in Rehearsal.all(of: name) {
            for step in rehearsal.steps where rehearsal.program(of: step)?.isOptional == false {
                for fault in Self.faults {
                    #expect(transient(rehearsal, step, fault) == [], "\(rehearsal): \(fault) once in \(step)")
                }
            }
        }
    }

    /// A fault that stays: attempts end, no request of which the fate is unknown is repeated, and none is told as failed.
    @Test(arguments: Catalogue.standard.names)
    func aLastingFaultEnds(_ name: String) {
        for rehearsal in Rehearsal.all(of: name) {
            for step in rehearsal.steps where rehearsal.program(of: step)?.isOptional == false {
                for fault in Self.faults {
                    #expect(lasting(rehearsal, step, fault) == [], "\(rehearsal): \(fault) for ever in \(step)")
                }
            }
        }
    }

    private func transient(_ rehearsal: Rehearsal, _ step: String, _ fault: Fault) -> [String] {
        let first = rehearsal.visits.firstIndex { $0.step == step } ?? 0
        let whole = Whole(rehearsal) { request, exchange, visit in
            exchange.step == step && visit == 0
                ? fault.reply(to: request)
                : rehearsal.answer(request, exchange, max(0, visit - (exchange.step == step ? 1 : 0)))
        }
        guard let outcome = whole.outcome else { return ["no outcome"] }
        let sent = whole.sent.count { $0 == step }
        switch outcome.status {
        case .delivered:
            var lines =
                outcome.links.best == rehearsal.links.best ? [] : ["delivered \(outcome.links.best ?? "nothing")"]
            // A step may declare that it goes back to an earlier one.
            if rehearsal.program(of: step)?.restart == nil {
                let expected = rehearsal.visits[..<first].map(\.step)
                let before = Set(expected).filter { name in
                    whole.sent.count { $0 == name } != expected.count { $0 == name }
                }
                lines += before.sorted().filter { !$0.hasPrefix("login.") && !isAsked(rehearsal, $0) }
                    .map { "\($0) went out again" }
            }
            return lines
        case .unknown:
            let isRepeated = sent != 1 && !isAsked(rehearsal, step)
            return whole.isInDoubt && !isRepeated ? [] : ["unknown after \(sent) requests"]
        case .failed:
            if whole.isInDoubt { return ["failed, though it may have arrived"] }
            return outcome.failure?.retry == .never ? [] : ["failed: \(outcome.failure?.message ?? "")"]
        default: return ["\(outcome.status)"]
        }
    }

    private func lasting(_ rehearsal: Rehearsal, _ step: String, _ fault: Fault) -> [String] {
        let whole = Whole(rehearsal) { request, exchange, visit in
            exchange.step == step ? fault.reply(to: request) : rehearsal.answer(request, exchange, visit)
        }
        guard let outcome = whole.outcome, let failure = whole.last else { return ["no failure"] }
        let expected = failure.retry == .never || failure.retry == .unknownOutcome ? 1 : DeliveryRules().attempts
        var lines = outcome.attempts == expected ? [] : ["\(outcome.attempts) attempts, not \(expected)"]
        let status: DeliveryStatus = whole.isInDoubt ? .unknown : .failed
        if outcome.status != status { lines.append("status \(outcome.status), not \(status)") }
        return lines
    }

    private func isAsked(_ rehearsal: Rehearsal, _ step: String) -> Bool { rehearsal.program(of: step)?.poll != nil }

    /// A delivery with all its attempts.
    private struct Whole {
        var outcome: DeliveryOutcome?
        /// Steps in the order of their requests.
        var sent: [String] = []
        /// How the last attempt failed.
        var last: DeliveryFailure?
        /// True when an attempt told that the picture may have arrived.
        var isInDoubt = false

        init(_ rehearsal: Rehearsal, _ script: ScriptedHost.Script) {
            var host = ScriptedHost(rehearsal)
            var machine = DeliveryMachine(rules: DeliveryRules())
            var now = Timestamp(milliseconds: 1_700_000_000_000)
            var action = machine.handle(.start, now: now)
            for _ in 0..<100 {
                switch action {
                case .none: return
                case .settle(let outcome):
                    self.outcome = outcome
                    return
                case .queue: action = machine.handle(.granted, now: now)
                case .attempt(let number, _):
                    let attempt = host.deliver(again: number > 1, script)
                    sent += attempt.sent.map(\.exchange.step)
                    guard let result = attempt.result else { return }
                    switch result {
                    case .success(let links): action = machine.handle(.delivered(links), now: now)
                    case .failure(let failure):
                        last = failure
                        if failure.mayHaveArrived { isInDoubt = true }
                        action = machine.handle(.failed(failure), now: now, chance: 0.5)
                    }
                case .wait(let until):
                    now = max(now, until)
                    action = machine.handle(.due, now: now)
                }
            }
        }
    }
}
