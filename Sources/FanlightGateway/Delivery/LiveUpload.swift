// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore
import Synchronization

/// An upload under way: its record, those who wait for it, and those who watch it.
final class LiveUpload: Sendable {
    /// A step that watchers are told, in the order of its number.
    private struct Step {
        var index: Int
        var change: JournalChange
    }

    /// What somebody waits for.
    enum Goal: Sendable {
        /// The route's policy is met.
        case answer
        /// No deletion is under way.
        case deletions
    }

    private struct State {
        var record: JournalUpload
        var waiting: [Int: (goal: Goal, continuation: CheckedContinuation<Void, Never>)] = [:]
        var nextWaiter = 0
        /// Outcomes by number that are recorded, but whose turn is not yet.
        var ready: [Int: Step] = [:]
        var nextNumber: Int
        var nextVisible: Int
        /// Deliveries in the answer without an outcome, those whose outcome is being recorded not counted.
        var open: Int
        var isStopping = false
        var isGivenUp = false
        /// True when nothing more will happen.
        var isOver = false
        /// True when the end of all deliveries was told to log and metrics.
        var isTold = false
        /// Deliveries and deletions that a task works on, with the task's number.
        var delivering: [Int: Int] = [:]
        var deleting: [Int: Int] = [:]
        var nextOwner = 0
        var watchers: [ObjectIdentifier: EventWriter] = [:]
        var tasks: [Task<Void, Never>] = []
        var running = 0
    }

    let id: String
    /// Whose turn it takes in the queues.
    let group: String
    let policy: RoutePolicy
    /// The request that it came with.
    let origin: RequestOrigin
    /// ``UploadRegistry/moment`` before the record was made or read.
    let moment: Int
    private let state: Mutex<State>
    /// What ``place(as:)`` worked out last, and by which configuration.
    private let told = Mutex<(configuration: GeotagConfiguration, place: Geotag?)?>(nil)

    init(_ record: JournalUpload, group: String, moment: Int, origin: RequestOrigin = .none) {
        id = record.id
        self.group = group
        self.moment = moment
        self.origin = origin
        policy = RoutePolicy(choices: record.choices)
        let last = record.deliveries.compactMap(\.eventNumber).max() ?? 0
        state = Mutex(
            State(
                record: record,
                nextNumber: last + 1,
                nextVisible: last + 1,
                open: record.deliveries.count { $0.status == .pending && $0.role != .shadow }
            )
        )
    }

    /// The record as it stands, without outcomes that are not yet on disk.
    var record: JournalUpload { state.withLock { $0.record } }

    /// What clients are shown.
    var report: Report { Report(record) }

    /// The place as services are told it.
    ///
    /// Worked out once for all deliveries, as rounding in decimal takes longer than the rest of a context; again where the
    /// configuration is another one by then, so that a later retry tells no more than it allows.
    func place(as configuration: GeotagConfiguration) -> Geotag? {
        told.withLock { told in
            if let told, told.configuration == configuration { return told.place }
            let place = configuration.told(record.geotag)
            told = (configuration, place)
            return place
        }
    }

    // MARK: Outcomes

    /// What has to be recorded for an outcome.
    struct Claim: Sendable {
        var outcome: JournalOutcome
        /// True when every delivery has its outcome with this one.
        var isLast: Bool
    }

    /// Numbers an outcome; it becomes visible with ``publish(_:_:)``, once it is recorded.
    func claim(_ index: Int, _ outcome: JournalOutcome) -> Claim {
        state.withLock { state in
            var outcome = outcome
            outcome.eventNumber = state.nextNumber
            state.nextNumber += 1
            let counts = state.record.deliveries[index].role != .shadow
            if counts { state.open -= 1 }
            return Claim(outcome: outcome, isLast: counts && state.open == 0)
        }
    }

    /// Makes a recorded outcome visible, after all with smaller numbers.
    func publish(_ index: Int, _ outcome: JournalOutcome) {
        let woken = state.withLock { state in
            state.ready[outcome.eventNumber] = Step(index: index, change: .settled(outcome))
            while let step = state.ready.removeValue(forKey: state.nextVisible) {
                state.nextVisible += 1
                state.record.deliveries[step.index].apply(step.change)
                state.delivering[step.index] = nil
                let delivery = state.record.deliveries[step.index]
                guard delivery.role != .shadow else { continue }
                for writer in state.watchers.values { writer.outcome(delivery, of: state.record) }
            }
            return release(&state)
        }
        for continuation in woken { continuation.resume() }
    }

    /// Applies a change that is recorded and that no client waits for.
    func apply(_ index: Int, _ change: JournalChange) {
        let woken = state.withLock { state in
            state.record.deliveries[index].apply(change)
            if case .reopened = change {
                state.isTold = false
                if state.record.deliveries[index].role != .shadow { state.open += 1 }
            }
            if case .deletion(let deletion) = change {
                if deletion.state != .pending { state.deleting[index] = nil }
                for writer in state.watchers.values {
                    writer.deletion(state.record.deliveries[index], of: state.record)
                }
            }
            return release(&state)
        }
        for continuation in woken { continuation.resume() }
    }

    /// The record when the last delivery has its outcome, once; else `nil`.
    func takeEnd() -> JournalUpload? {
        state.withLock { state in
            guard !state.isTold, !state.record.deliveries.contains(where: { $0.status == .pending }) else { return nil }
            state.isTold = true
            return state.record
        }
    }

    // MARK: Waiting

    /// Waits until the goal is reached, at most so long.
    func wait(for goal: Goal = .answer, atMost limit: Duration, clock: EngineClock) async {
        guard limit > .zero else { return }
        let until = clock.now() + limit
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        let alarm = Task { [weak self] in
            await clock.sleep(until)
            guard !Task.isCancelled else { return }
            self?.wake(number)
        }
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state -> Bool in
                if isReached(goal, state) || clock.now() >= until { return true }
                state.waiting[number] = (goal, continuation)
                return false
            }
            if isReady { continuation.resume() }
        }
        alarm.cancel()
    }

    private func wake(_ number: Int) {
        state.withLock { $0.waiting.removeValue(forKey: number) }?.continuation.resume()
    }

    private func isReached(_ goal: Goal, _ state: State) -> Bool {
        if state.isGivenUp { return true }
        switch goal {
        case .answer: return policy.isMet(by: state.record.deliveries)
        case .deletions: return !state.record.deliveries.contains { $0.deletion?.state == .pending }
        }
    }

    /// Takes out those whose goal is reached.
    private func release(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
        guard !state.waiting.isEmpty else { return [] }
        let reached = state.waiting.filter { isReached($0.value.goal, state) }
        for number in reached.keys { state.waiting[number] = nil }
        return reached.values.map(\.continuation)
    }

    // MARK: Watching

    /// Tells a watcher what happened after an event, and everything from now on.
    func watch(_ writer: EventWriter, after last: Int) {
        let ended = state.withLock { state -> JournalUpload? in
            for delivery in state.record.deliveries.outcomes(after: last) { writer.outcome(delivery, of: state.record) }
            if state.isOver { return state.record }
            state.watchers[ObjectIdentifier(writer)] = writer
            return nil
        }
        if let ended { writer.end(Report(ended)) }
    }

    func unwatch(_ writer: EventWriter) {
        state.withLock { _ = $0.watchers.removeValue(forKey: ObjectIdentifier(writer)) }
    }

    /// Nothing more will happen where every delivery has its outcome: whoever watches from now on gets what there is.
    func close() { state.withLock { $0.isOver = $0.record.isComplete } }

    /// Ends all watchers' streams with the whole report.
    func endWatching() {
        let (writers, record) = state.withLock { state in
            defer { state.watchers = [:] }
            state.isOver = true
            return (Array(state.watchers.values), state.record)
        }
        for writer in writers { writer.end(Report(record)) }
    }

    // MARK: Tasks

    /// What a task took on itself; a delivery is free again with its outcome, or when the task gives back the rest.
    struct Claims: Sendable {
        var owner: Int
        var indices: [Int]
    }

    /// Takes those of the named deliveries that are pending and that nobody works on.
    func claimDeliveries(_ indices: [Int]) -> Claims {
        state.withLock { state in
            let free = indices.filter {
                state.record.deliveries[$0].status == .pending && state.delivering[$0] == nil
            }
            state.nextOwner += 1
            for index in free { state.delivering[index] = state.nextOwner }
            return Claims(owner: state.nextOwner, indices: free)
        }
    }

    /// Takes those of the named deletions that are wanted and that nobody works on.
    func claimDeletions(_ indices: [Int]) -> Claims {
        state.withLock { state in
            let free = indices.filter {
                state.record.deliveries[$0].deletion?.state == .pending && state.deleting[$0] == nil
            }
            state.nextOwner += 1
            for index in free { state.deleting[index] = state.nextOwner }
            return Claims(owner: state.nextOwner, indices: free)
        }
    }

    /// Gives back what has no outcome.
    func giveBack(_ claims: Claims) {
        state.withLock { state in
            state.delivering = state.delivering.filter { $0.value != claims.owner }
            state.deleting = state.deleting.filter { $0.value != claims.owner }
        }
    }

    /// Keeps a task that works on this upload, so that a stop can end it.
    func begin(_ task: Task<Void, Never>) {
        let isLate = state.withLock { state in
            state.tasks.append(task)
            return state.isStopping
        }
        if isLate { task.cancel() }
    }

    /// Counts a piece of work that begins.
    func enter() {
        state.withLock { state in
            state.running += 1
            state.isOver = false
        }
    }

    /// Counts a piece of work that is over.
    ///
    /// - Returns: True when it was the last one.
    func leave() -> Bool {
        let (isLast, end) = state.withLock { state in
            state.running -= 1
            guard state.running == 0 else { return (false, End()) }
            state.tasks = []
            return (true, state.isStopping ? giveUp(&state) : End())
        }
        end.carryOut()
        return isLast
    }

    /// Cancels all work, because the gateway stops.
    ///
    /// When the work has ended, all that wait are woken, and the streams of those that watch end.
    func stop() {
        let (tasks, end) = state.withLock { state in
            state.isStopping = true
            return (state.tasks, state.running == 0 ? giveUp(&state) : End())
        }
        for task in tasks { task.cancel() }
        end.carryOut()
    }

    /// Those who are told that nothing more comes.
    private struct End {
        var woken: [CheckedContinuation<Void, Never>] = []
        var writers: [EventWriter] = []

        func carryOut() {
            for continuation in woken { continuation.resume() }
            for writer in writers { writer.breakOff() }
        }
    }

    private func giveUp(_ state: inout State) -> End {
        state.isGivenUp = true
        defer { state.watchers = [:] }
        return End(woken: release(&state), writers: Array(state.watchers.values))
    }
}

extension [JournalDelivery] {
    /// Visible outcomes with a number above that one, in the order in which they came.
    func outcomes(after last: Int) -> [JournalDelivery] {
        filter { $0.role != .shadow && ($0.eventNumber ?? 0) > last && $0.status != .pending }
            .sorted { ($0.eventNumber ?? 0) < ($1.eventNumber ?? 0) }
    }
}

extension RoutePolicy {
    /// True when the answer can be given; looked at after each outcome, so that nothing is made for it.
    func isMet(by deliveries: [JournalDelivery]) -> Bool {
        var delivered = 0
        var isComplete = true
        for delivery in deliveries where delivery.role != .shadow {
            if delivery.status == .pending { isComplete = false }
            if delivery.status == .delivered { delivered += 1 }
        }
        if isComplete { return true }
        switch self {
        case .all, .first: return false
        case .any: return delivered >= 1
        case .quorum(let needed): return delivered >= needed
        }
    }

    /// Reads what ``choices`` wrote.
    init(choices: JSONValue) {
        let words = (choices["policy"]?.string ?? "all").split(separator: ":")
        switch words.first {
        case "any": self = .any
        case "first": self = .first
        case "quorum": self = .quorum(words.count > 1 ? Int(words[1]) ?? 1 : 1)
        default: self = .all
        }
    }

    /// The policy as the journal keeps it.
    var choices: JSONValue {
        let text =
            switch self {
            case .all: "all"
            case .any: "any"
            case .first: "first"
            case .quorum(let count): "quorum:\(count)"
            }
        return .object([.init("policy", .string(text))])
    }
}
