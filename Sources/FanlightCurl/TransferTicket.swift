// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Synchronization

/// What a waiting task and the transfer thread share: the request, who waits, and whether it still does.
final class TransferTicket: Sendable {
    typealias Outcome = Result<HTTPReply, TransportError>

    let request: HTTPRequest
    let deadline: ContinuousClock.Instant
    private let state = Mutex(State())

    private struct State {
        var isCancelled = false
        var continuation: CheckedContinuation<Outcome, Never>?
    }

    init(_ request: HTTPRequest) {
        self.request = request
        deadline = ContinuousClock.now + request.timeouts.total
    }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func cancel() { state.withLock { $0.isCancelled = true } }

    func wait(with continuation: CheckedContinuation<Outcome, Never>) {
        state.withLock { $0.continuation = continuation }
    }

    /// Hands the outcome to the waiting task; only the first one counts.
    func resume(_ outcome: Outcome) {
        let waiting = state.withLock { state in
            defer { state.continuation = nil }
            return state.continuation
        }
        waiting?.resume(returning: outcome)
    }
}
