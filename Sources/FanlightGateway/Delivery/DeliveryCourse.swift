// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightCore

/// How far a delivery came; its one task holds it.
///
/// An object, so that a task that waits holds a reference instead of several copies.
final class DeliveryCourse {
    /// What comes next, without the values that only its doing needs.
    enum Step {
        case stop
        case settle
        case queue(until: Timestamp)
        case attempt(number: Int, until: Timestamp)
        case wait(until: Timestamp)
    }

    private var machine: DeliveryMachine
    private var action: DeliveryMachine.Action
    /// The request under way, from its first attempt on; none while the delivery waits for its next one.
    var run: DeliveryRun?

    init(_ rules: DeliveryRules, past: DeliveryMachine.Past, at start: Timestamp) {
        machine = DeliveryMachine(rules: rules, past: past)
        action = machine.handle(.start, now: start)
    }

    /// Attempts so far.
    var attempts: Int { machine.attempts }

    /// True when the picture may have arrived already.
    var isInDoubt: Bool { machine.isInDoubt }

    /// What comes next.
    var step: Step {
        switch action {
        case .none: .stop
        case .settle: .settle
        case .queue(let until): .queue(until: until)
        case .attempt(let number, let until): .attempt(number: number, until: until)
        case .wait(let until): .wait(until: until)
        }
    }

    /// The end, where it is reached.
    var outcome: DeliveryOutcome? {
        guard case .settle(let outcome) = action else { return nil }
        return outcome
    }

    /// Tells what happened.
    func take(_ event: DeliveryMachine.Event, now: Timestamp, chance: Double = 0) {
        action = machine.handle(event, now: now, chance: chance)
    }
}
