// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Synchronization

/// The door to one service: deliveries wait here for their place.
///
/// All rules are those of ``ServiceQueue``; this adds the waiting tasks and the alarm.
final class ServiceGate: Sendable {
    /// How a wait ended.
    enum Entry: Sendable {
        /// The attempt may begin; ``leave(_:)`` ends it.
        case granted
        case refused(DeliveryFailure)
        /// The task was cancelled.
        case stopped
    }

    /// What the interface shows.
    struct Snapshot: Sendable {
        var waiting: Int
        var underWay: Int
        var circuit: CircuitBreaker.State
        var nextProbe: Timestamp?
        var heldUntil: Timestamp?
        var rateLeft: Int?
    }

    private struct State {
        var queue: ServiceQueue
        var waiting: [ServiceQueue.Ticket: CheckedContinuation<Entry, Never>] = [:]
        /// Cancelled before they could wait.
        var cancelled: Set<ServiceQueue.Ticket> = []
        var next: ServiceQueue.Ticket = 0
        var alarm = Timestamp.distantFuture
        var told: CircuitBreaker.State = .closed
        /// True until it is known what the rate has counted before.
        var isShut = false
    }

    let service: String
    private let clock: EngineClock
    private let events: GatewayEvents
    private let keepRate: @Sendable (RateWindow.Counts) -> Void
    private let state: Mutex<State>

    /// - Parameter keepRate: Told what counts in the rate's period; called with a lock held.
    init(
        service: String,
        limits: ServiceQueue.Limits,
        clock: EngineClock,
        events: GatewayEvents,
        keepRate: @escaping @Sendable (RateWindow.Counts) -> Void
    ) {
        self.service = service
        self.clock = clock
        self.events = events
        self.keepRate = keepRate
        state = Mutex(State(queue: ServiceQueue(limits)))
    }

    /// Waits for a place.
    func enter(group: String, until: Timestamp, failsFast: Bool, isRepeat: Bool) async -> Entry {
        let ticket = state.withLock { state in
            state.next += 1
            return state.next
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = state.withLock { state in
                    guard state.cancelled.remove(ticket) == nil else { return true }
                    state.waiting[ticket] = continuation
                    state.queue.add(ticket, group: group, until: until, failsFast: failsFast, isRepeat: isRepeat)
                    return false
                }
                if isCancelled { return continuation.resume(returning: .stopped) }
                pump()
            }
        } onCancel: {
            let continuation = state.withLock { state -> CheckedContinuation<Entry, Never>? in
                guard let waiting = state.waiting.removeValue(forKey: ticket) else {
                    state.cancelled.insert(ticket)
                    return nil
                }
                state.queue.cancel(ticket)
                return waiting
            }
            continuation?.resume(returning: .stopped)
        }
    }

    /// Ends an attempt.
    func leave(_ sign: CircuitBreaker.Sign) {
        state.withLock { $0.queue.finish(sign, at: clock.now()) }
        pump()
    }

    /// Notes that the service wants no more requests for a while.
    func hold(for pause: Duration) {
        state.withLock { $0.queue.hold(until: clock.now() + pause) }
        pump()
    }

    /// Takes the limits of another configuration; see ``ServiceQueue/change(_:isSame:)``.
    func change(_ limits: ServiceQueue.Limits, isSame: Bool) {
        state.withLock { $0.queue.change(limits, isSame: isSame, at: clock.now()) }
        pump()
    }

    /// True where the service has a rate.
    var hasRate: Bool { state.withLock { $0.queue.rateCounts != nil } }

    /// Lets nobody in until the rate is restored.
    func shut() { state.withLock { $0.isShut = true } }

    /// Counts what an earlier run of the gateway began, and lets in whoever waited for that.
    func restoreRate(_ counts: RateWindow.Counts?) {
        state.withLock { state in
            if let counts { state.queue.restoreRate(counts, at: clock.now()) }
            state.isShut = false
        }
        pump()
    }

    /// Hands what the rate has counted to the journal, so that a restart does not allow it anew.
    func keepCounts() {
        state.withLock { state in
            // With the lock held, so that no older count follows a newer one; nor one that lacks what was before.
            if !state.isShut, let counts = state.queue.rateCounts { keepRate(counts) }
        }
    }

    /// Puts the count on disk before the end of a request leaves that needs no other note; `nil` without a rate.
    func counting(in engine: Engine) -> (@Sendable () async -> Bool)? {
        guard state.withLock({ $0.queue.rateCounts }) != nil else { return nil }
        return { [self] in
            keepCounts()
            do throws(JournalError) {
                // What was handed over before is on disk when this returns.
                try await engine.journal.record([])
                return true
            } catch {
                engine.events.tell(.journalFailed(error))
                return false
            }
        }
    }

    /// The state now.
    var snapshot: Snapshot {
        let now = clock.now()
        return state.withLock { state in
            Snapshot(
                waiting: state.queue.count,
                underWay: state.queue.underWay,
                circuit: state.queue.circuit,
                nextProbe: state.queue.nextProbe,
                heldUntil: state.queue.held(at: now),
                rateLeft: state.queue.rateLeft(at: now)
            )
        }
    }

    /// What one round of decisions leads to, to be done without the lock.
    private struct Consequences {
        var entries: [(CheckedContinuation<Entry, Never>, Entry)] = []
        var alarm: Timestamp?
        var circuit: CircuitBreaker.State?
        var waiting = 0
        var underWay = 0
    }

    private func pump() {
        let now = clock.now()
        let done = state.withLock { state -> Consequences? in
            guard !state.isShut else { return nil }
            var done = Consequences()
            for decision in state.queue.decide(at: now) {
                switch decision {
                case .grant(let ticket):
                    guard let waiting = state.waiting.removeValue(forKey: ticket) else { continue }
                    done.entries.append((waiting, .granted))
                case .refuse(let ticket, let failure):
                    guard let waiting = state.waiting.removeValue(forKey: ticket) else { continue }
                    done.entries.append((waiting, .refused(failure)))
                }
            }
            if state.alarm <= now { state.alarm = .distantFuture }
            if let wake = state.queue.wake(after: now), wake < state.alarm {
                state.alarm = wake
                done.alarm = wake
            }
            if state.queue.circuit != state.told {
                state.told = state.queue.circuit
                done.circuit = state.told
            }
            (done.waiting, done.underWay) = (state.queue.count, state.queue.underWay)
            return done
        }
        guard let done else { return }
        if let alarm = done.alarm { setAlarm(alarm) }
        if let circuit = done.circuit { events.tell(.circuit(service: service, state: circuit)) }
        events.tell(.queue(service: service, waiting: done.waiting, underWay: done.underWay))
        for (continuation, entry) in done.entries { continuation.resume(returning: entry) }
    }

    private func setAlarm(_ time: Timestamp) {
        Task { [weak self, clock] in
            // A moment late rather than early: a wake that decides nothing would set the same alarm again.
            await clock.sleep(time + .milliseconds(1))
            self?.pump()
        }
    }
}
