// SPDX-License-Identifier: Apache-2.0

import CMicrohttpd
import FanlightCore
import Synchronization

/// One request and its answer, from the head on.
///
/// Server threads move it along; a task of the service hands in the answer while the connection is suspended.
@safe
final class Exchange: Sendable {
    /// How far the request is.
    enum Stage: Sendable {
        case receiving(any BodySink)
        /// Refused amid the body: the answer is out, what still comes is thrown away.
        case draining(Int)
        case working
        case ready(HTTPAnswer)
        case over
    }

    private struct State {
        var stage: Stage
        var isSuspended = false
    }

    // SAFETY: used under the lock while the stage is not `over`, which is as long as the library keeps the connection.
    private nonisolated(unsafe) let connection: OpaquePointer
    private let state: Mutex<State>

    /// True when the answer ends the connection, because nobody can be sure where the body ended.
    let isLast: Bool

    /// True for a request that wants the head of its answer only.
    let isHead: Bool

    init(_ connection: OpaquePointer, stage: Stage, isLast: Bool = false, isHead: Bool = false) {
        unsafe self.connection = unsafe connection
        self.isLast = isLast
        self.isHead = isHead
        state = Mutex(State(stage: stage))
    }

    /// Where the exchange is; setting it is for server threads, which never work on one exchange at the same time.
    var stage: Stage {
        get { state.withLock { $0.stage } }
        set { state.withLock { $0.stage = newValue } }
    }

    /// Suspends the connection until ``complete(_:)`` (C: MHD_suspend_connection).
    ///
    /// - Returns: False when the answer is there already; the connection then stays as it is.
    func suspend() -> Bool {
        state.withLock { state in
            guard case .working = state.stage else { return false }
            // SAFETY: called within the library's handler for this connection.
            unsafe MHD_suspend_connection(connection)
            state.isSuspended = true
            return true
        }
    }

    /// Takes the answer and resumes the connection (C: MHD_resume_connection); only the first answer counts.
    ///
    /// - Parameter send: Sends the answer without the library; false when it has to.
    func complete(_ answer: HTTPAnswer, or send: (HTTPAnswer) -> Bool = { _ in false }) {
        state.withLock { state in
            guard case .working = state.stage else { return }
            state.stage = send(answer) ? .over : .ready(answer)
            guard state.isSuspended else { return }
            state.isSuspended = false
            // SAFETY: a suspended connection is kept by the library until it is resumed.
            unsafe MHD_resume_connection(connection)
        }
    }

    /// Ends the exchange.
    ///
    /// - Returns: The sink of a body that never became complete.
    func end() -> (any BodySink)? {
        state.withLock { state in
            defer { state.stage = .over }
            guard case .receiving(let sink) = state.stage else { return nil }
            return sink
        }
    }
}

/// Exchanges that wait for the service, so that a stop can answer them.
final class WaitingExchanges: Sendable {
    private struct State {
        var exchanges: [ObjectIdentifier: Exchange] = [:]
        var isStopped = false
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.exchanges.count } }

    /// Adds an exchange; false when the server is stopping.
    func add(_ exchange: Exchange) -> Bool {
        state.withLock { state in
            guard !state.isStopped else { return false }
            state.exchanges[ObjectIdentifier(exchange)] = exchange
            return true
        }
    }

    func remove(_ exchange: Exchange) {
        state.withLock { _ = $0.exchanges.removeValue(forKey: ObjectIdentifier(exchange)) }
    }

    /// Answers all that wait and lets no more in.
    func stop(with answer: HTTPAnswer) {
        let all = state.withLock { state in
            state.isStopped = true
            defer { state.exchanges = [:] }
            return Array(state.exchanges.values)
        }
        for exchange in all { exchange.complete(answer) }
    }
}
