// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Synchronization

/// The one thread that writes: what waits goes into one transaction, and each that waits is told after its commit.
final class CommitQueue: Sendable {
    private struct State {
        var requests: [WriteRequest] = []
        var urgent = 0
        var isClosed = false
        var owed: [JournalNote] = []
        var commits = 0
    }

    /// Requests of one transaction.
    private static let batch = 512
    /// Outcomes kept in memory while they cannot be written.
    private static let owedLimit = 10_000
    /// Longest delay of what nobody waits for.
    private static let laziness = 1_000

    private let state = Mutex(State())
    private let signal = Signal()
    private let removed: @Sendable (String) -> Void
    private let ending: @Sendable (JournalWriter) -> Void
    private let ended = Mutex<(@Sendable () -> Void)?>(nil)

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - makeWriter: opens the connection, on the thread that then uses it.
    ///   - removed: told each spool file that nobody needs, after the commit that says so.
    ///   - ending: the last work of an orderly end.
    init(
        makeWriter: @escaping @Sendable () throws(JournalError) -> JournalWriter,
        removed: @escaping @Sendable (String) -> Void,
        ending: @escaping @Sendable (JournalWriter) -> Void = { _ in }
    ) throws(JournalError) {
        self.removed = removed
        self.ending = ending
        let opened = Mutex<JournalError?>(nil)
        let ready = Signal()
        let thread = OwnThread { [self] in
            do throws(JournalError) {
                let writer = try makeWriter()
                ready.raise()
                loop(writer)
            } catch {
                opened.withLock { $0 = error }
                ready.raise()
            }
        }
        guard let thread else { throw .failed(code: 0, reason: "the system gives no thread") }
        thread.detach()
        ready.wait()
        if let error = opened.withLock({ $0 }) { throw error }
    }

    /// Outcomes that could not be written yet, and transactions so far.
    var counts: (owed: Int, commits: Int) { state.withLock { ($0.owed.count, $0.commits) } }

    /// What could not be written yet and counts nevertheless, in order.
    var owed: [JournalNote] { state.withLock { $0.owed } }

    /// Queues a request; it is told ``JournalError/closed`` when it comes too late.
    func submit(_ request: WriteRequest) {
        let (isTaken, wakes) = state.withLock { state in
            if state.isClosed { return (false, false) }
            state.requests.append(request)
            if !request.isLazy { state.urgent += 1 }
            return (true, request.isLazy ? state.requests.count == 1 : state.urgent == 1)
        }
        if !isTaken { request.done?(.closed) }
        if wakes { signal.raise() }
    }

    /// Writes and waits for the commit.
    func write(
        owed: [JournalNote] = [],
        _ work: @escaping @Sendable (JournalWriter) throws(JournalError) -> Void
    ) async throws(JournalError) {
        let error = await withCheckedContinuation { continuation in
            submit(WriteRequest(work: work, done: { continuation.resume(returning: $0) }, owed: owed))
        }
        if let error { throw error }
    }

    /// Tries to write what is owed, which else goes with the next transaction.
    func retryOwed() { submit(.empty) }

    /// Writes what waits, then ends the thread and closes the connection; `done` is called afterwards, perhaps there.
    ///
    /// What is still owed then is lost; ``counts`` tell how much.
    func close(_ done: @escaping @Sendable () -> Void) {
        retryOwed()
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        guard isFirst else { return done() }
        ended.withLock { $0 = done }
        signal.raise()
    }

    private func loop(_ writer: JournalWriter) {
        while true {
            let (batch, onlyLazy, isClosed) = state.withLock { state in
                let batch = state.urgent > 0 || state.isClosed ? Self.take(&state) : []
                return (batch, batch.isEmpty && !state.requests.isEmpty, state.isClosed)
            }
            if !batch.isEmpty {
                write(batch, writer)
            } else if isClosed {
                break
            } else if onlyLazy {
                signal.wait(milliseconds: Self.laziness)
                write(state.withLock { Self.take(&$0) }, writer)
            } else {
                signal.wait()
            }
        }
        ending(writer)
        try? writer.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        ended.withLock { $0 }?()
    }

    private static func take(_ state: inout State) -> [WriteRequest] {
        let batch = Array(state.requests.prefix(Self.batch))
        state.requests.removeFirst(batch.count)
        state.urgent -= batch.reduce(0) { $0 + ($1.isLazy ? 0 : 1) }
        return batch
    }

    /// One transaction; a request that fails for its own reason is told so, and the others are written without it.
    private func write(_ batch: [WriteRequest], _ writer: JournalWriter) {
        var left = batch
        while !left.isEmpty {
            let owed = state.withLock { $0.owed }
            var failing: Int?
            do throws(JournalError) {
                try writer.begin()
                for note in owed { try writer.apply(note) }
                for (index, request) in left.enumerated() {
                    failing = index
                    try request.work(writer)
                    failing = nil
                }
                try writer.commit()
            } catch {
                writer.rollBack()
                guard let failing, error.isOfOneRequest else { return fail(left, error) }
                left.remove(at: failing).done?(error)
                continue
            }
            state.withLock { state in
                state.owed.removeFirst(owed.count)
                state.commits += 1
            }
            // Files go before those who wait are told: what they see on disk then is what the journal says.
            for file in writer.unneeded { removed(file) }
            for request in left { request.done?(nil) }
            return
        }
    }

    private func fail(_ requests: [WriteRequest], _ error: JournalError) {
        state.withLock { state in
            let notes = requests.flatMap(\.owed)
            state.owed += notes.prefix(max(0, Self.owedLimit - state.owed.count))
        }
        for request in requests { request.done?(error) }
    }
}

extension JournalError {
    /// True when other requests of the same transaction may still succeed.
    fileprivate var isOfOneRequest: Bool {
        switch self {
        case .keyTaken, .wrongKey: true
        // SQLITE_CONSTRAINT, SQLITE_TOOBIG, SQLITE_MISMATCH, and values that cannot be sealed.
        case .failed(let code, _): [0, 18, 19, 20].contains(code & 0xFF)
        default: false
        }
    }
}
