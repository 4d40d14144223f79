// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Synchronization

/// Tasks that sleep, by the time at which they wake.
///
/// Nearly every wait of the gateway ends before its time: a client would wait a minute, but has its answer after some
/// milliseconds. The timer of a cancelled `Task.sleep` stays until its time, and holds about 740 bytes; a minute's
/// uploads would be held so. Here what is cancelled is forgotten, and few timers wake all: one is set only for a time
/// before those that are set already.
final class SleepQueue: Sendable {
    private struct State {
        var sleeping: [Int: CheckedContinuation<Void, Never>] = [:]
        /// Also those of cancelled sleeps, until they are as many as the others.
        var times = TimeHeap()
        var nextTicket = 0
        /// The earliest time for which a timer is set.
        var alarm = Timestamp.distantFuture
    }

    private let now: @Sendable () -> Timestamp
    private let state = Mutex(State())

    init(now: @escaping @Sendable () -> Timestamp) { self.now = now }

    /// Waits until that time, or until the task is cancelled.
    func sleep(until time: Timestamp) async {
        guard time > now() else { return }
        let ticket = state.withLock { state in
            state.nextTicket += 1
            return state.nextTicket
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isCancelled, alarm) = state.withLock { state -> (Bool, Timestamp?) in
                    // Whoever cancels from here on waits for the lock, and finds the sleep.
                    if Task.isCancelled { return (true, nil) }
                    state.sleeping[ticket] = continuation
                    state.times.add(time, ticket)
                    return (false, Self.nextAlarm(&state))
                }
                if isCancelled { continuation.resume() }
                if let alarm { set(alarm) }
            }
        } onCancel: {
            let cancelled = state.withLock { state in
                defer { if state.times.count > 64 + 2 * state.sleeping.count { Self.forget(&state) } }
                return state.sleeping.removeValue(forKey: ticket)
            }
            cancelled?.resume()
        }
    }

    /// The time for which a timer has to be set now.
    private static func nextAlarm(_ state: inout State) -> Timestamp? {
        guard let first = state.times.first, first.time < state.alarm else { return nil }
        state.alarm = first.time
        return first.time
    }

    private static func forget(_ state: inout State) {
        state.times.keep { state.sleeping[$0] != nil }
    }

    private func set(_ alarm: Timestamp) {
        Task { [weak self, now] in
            // Long sleeps in pieces: a deadline far in the future is no number that a timer takes.
            while alarm > now() { try? await Task.sleep(for: min(alarm - now(), .seconds(86_400))) }
            self?.ring()
        }
    }

    private func ring() {
        let now = now()
        let (woken, alarm) = state.withLock { state in
            var woken: [CheckedContinuation<Void, Never>] = []
            while let first = state.times.first {
                let sleeper = state.sleeping[first.ticket]
                guard sleeper == nil || first.time <= now else { break }
                state.times.removeFirst()
                state.sleeping[first.ticket] = nil
                if let sleeper { woken.append(sleeper) }
            }
            if state.alarm <= now { state.alarm = .distantFuture }
            return (woken, Self.nextAlarm(&state))
        }
        for sleeper in woken { sleeper.resume() }
        if let alarm { set(alarm) }
    }
}

/// Times, the earliest at hand: a binary heap.
struct TimeHeap {
    /// One time, and whose it is.
    struct Entry {
        var time: Timestamp
        var ticket: Int
    }

    private var entries: [Entry] = []

    var count: Int { entries.count }

    /// The earliest.
    var first: Entry? { entries.first }

    mutating func add(_ time: Timestamp, _ ticket: Int) {
        entries.append(Entry(time: time, ticket: ticket))
        var place = entries.count - 1
        while place > 0, entries[place].time < entries[(place - 1) / 2].time {
            entries.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    mutating func removeFirst() {
        guard let last = entries.popLast(), !entries.isEmpty else { return }
        entries[0] = last
        var place = 0
        while true {
            var least = place
            for child in (2 * place + 1)...(2 * place + 2) where child < entries.count {
                if entries[child].time < entries[least].time { least = child }
            }
            guard least != place else { return }
            entries.swapAt(place, least)
            place = least
        }
    }

    /// Drops all others.
    mutating func keep(_ isKept: (Int) -> Bool) {
        // A sorted list is a heap.
        entries = entries.filter { isKept($0.ticket) }.sorted { $0.time < $1.time }
    }
}
