// SPDX-License-Identifier: Apache-2.0

import CCurl
import FanlightCore
import Glibc
import Synchronization

/// The multi handle and its thread (C: curl_multi_perform, curl_multi_poll, curl_multi_wakeup).
///
/// Tasks leave tickets in an inbox and wake the thread, which alone touches curl.
@safe
final class CurlEngine: Sendable {
    private struct Inbox {
        var tickets: [TransferTicket] = []
        var verdicts: [Verdict] = []
        var hasCancellations = false
        var isStopped = false
        var thread: OwnThread?
        /// True when the thread was woken and has not looked yet: one wake is enough for all that comes until then.
        var isAwaited = false
    }

    /// What was said about the end of a body that is held back.
    struct Verdict {
        var ticket: TransferTicket
        var mayLeave: Bool
    }

    /// True when libcurl is ready for use in this process.
    private static let isReady = {
        fl_keep_upload_buffers()
        return fl_global_init() == CURLE_OK
    }()

    private let maxConnections: Int
    private let inbox = Mutex(Inbox())
    // SAFETY: set once; only curl_multi_wakeup, which any thread may call, is used off the transfer thread, and only
    // under the inbox lock and before `isStopped`; the handle is freed in deinit, when neither side is left.
    private nonisolated(unsafe) let multi: UnsafeMutableRawPointer?

    init(maxConnections: Int) {
        self.maxConnections = maxConnections
        unsafe multi = Self.isReady ? curl_multi_init() : nil
        guard let multi = unsafe multi else {
            inbox.withLock { $0.isStopped = true }
            return
        }
        // The default, four times the handles added, lets idle connections be dropped while few transfers run.
        _ = unsafe fl_multi_setopt_long(multi, CURLMOPT_MAXCONNECTS, maxConnections)
    }

    deinit {
        // SAFETY: the thread holds a reference while it runs, so it is gone and every easy handle with it.
        if let multi = unsafe multi { unsafe curl_multi_cleanup(multi) }
    }

    /// Starts the thread, which holds the engine until ``shutdown()``.
    func start() {
        inbox.withLock { inbox in
            guard !inbox.isStopped else { return }
            inbox.thread = OwnThread { [self] in
                var loop = CurlLoop(engine: self)
                loop.run()
            }
            inbox.isStopped = inbox.thread == nil
        }
    }

    /// Stops the thread and waits for it; may be called more than once.
    func shutdown() {
        let thread = inbox.withLock { inbox in
            if !inbox.isStopped { wake(&inbox) }
            inbox.isStopped = true
            defer { inbox.thread = nil }
            return inbox.thread
        }
        thread?.join()
    }

    /// Sends one request without following redirects.
    func perform(_ request: HTTPRequest) async throws(TransportError) -> HTTPReply {
        if request.hasNoBody, let gate = request.beforeLastByte {
            guard await gate() else { throw Self.withheld }
        }
        let ticket = TransferTicket(request)
        let outcome: TransferTicket.Outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                ticket.wait(with: continuation)
                submit(ticket)
            }
        } onCancel: {
            ticket.cancel()
            inbox.withLock { inbox in
                guard !inbox.isStopped else { return }
                inbox.hasCancellations = true
                wake(&inbox)
            }
        }
        return try outcome.get()
    }

    /// Asks, off the transfer thread, whether the end of a body may leave; the loop finds the verdict in its mail.
    func ask(about ticket: TransferTicket) {
        guard let gate = ticket.request.beforeLastByte else { return }
        Task {
            let mayLeave = await gate()
            inbox.withLock { inbox in
                guard !inbox.isStopped else { return }
                inbox.verdicts.append(Verdict(ticket: ticket, mayLeave: mayLeave))
                wake(&inbox)
            }
        }
    }

    private func submit(_ ticket: TransferTicket) {
        let isTaken = inbox.withLock { inbox in
            guard !inbox.isStopped else { return false }
            inbox.tickets.append(ticket)
            wake(&inbox)
            return true
        }
        if !isTaken { ticket.resume(.failure(Self.stopped)) }
    }

    private func wake(_ inbox: inout Inbox) {
        guard !inbox.isAwaited else { return }
        inbox.isAwaited = true
        // SAFETY: curl_multi_wakeup is the one multi call that is safe from any thread.
        if let multi = unsafe multi { _ = unsafe curl_multi_wakeup(multi) }
    }

    static let withheld = TransferTicket.withheld(isSent: false)
    static let stopped = TransportError(.stopped, message: "The transport was stopped.", requestFullySent: false)

    /// What the thread finds when it looks into the inbox.
    struct Mail {
        var tickets: [TransferTicket]
        var verdicts: [Verdict]
        var hasCancellations: Bool
        var isStopped: Bool
    }

    func takeMail() -> Mail {
        inbox.withLock { inbox in
            defer {
                inbox.tickets = []
                inbox.verdicts = []
                inbox.hasCancellations = false
                inbox.isAwaited = false
            }
            return Mail(
                tickets: inbox.tickets,
                verdicts: inbox.verdicts,
                hasCancellations: inbox.hasCancellations,
                isStopped: inbox.isStopped
            )
        }
    }

    /// The multi handle for the loop on the transfer thread.
    var handle: UnsafeMutableRawPointer? { unsafe multi }
    var limit: Int { maxConnections }
}
