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

    /// The end of the request was not let go.
    static func withheld(isSent: Bool) -> TransportError {
        TransportError(.stopped, message: "The end of the request was held back.", requestFullySent: isSent)
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

extension HTTPRequest {
    /// True where nothing but a form's own marks follows the head.
    var hasNoBody: Bool {
        if case .empty = body { return true }
        if case .bytes(let bytes) = body { return bytes.isEmpty }
        if case .file(let file) = body { return file.size == 0 }
        if case .multipart(let parts) = body { return parts.allSatisfy(\.content.isEmpty) }
        return false
    }
}

extension HTTPRequest.Part.Content {
    /// True for no bytes.
    fileprivate var isEmpty: Bool {
        if case .text(let text) = self { return text.isEmpty }
        if case .file(let file, _) = self { return file.size == 0 }
        return false
    }
}
