// SPDX-License-Identifier: Apache-2.0

import CCurl
import FanlightCore
import Glibc

/// The work of the transfer thread.
@safe
struct CurlLoop {
    private static let maxIdleHandles = 64
    private static let maxPause = Duration.milliseconds(250)

    private let engine: CurlEngine
    private var waiting: [TransferTicket] = []
    private var running: [UnsafeMutableRawPointer: Transfer] = unsafe [:]
    /// Running transfers whose end is held back, by their tickets.
    private var held: [ObjectIdentifier: Transfer] = [:]
    private var idle: [UnsafeMutableRawPointer] = unsafe []
    private var nextSweep = ContinuousClock.now

    init(engine: CurlEngine) { self.engine = engine }

    /// Runs until the engine is stopped; then ends every transfer.
    mutating func run() {
        guard let multi = unsafe engine.handle else { return }
        Self.blockPipeSignal()
        while true {
            let mail = engine.takeMail()
            waiting += mail.tickets
            if mail.isStopped { break }
            for verdict in mail.verdicts { unsafe obey(verdict, multi) }
            if mail.hasCancellations { unsafe dropCancelled(multi) }
            unsafe startWaiting(multi)
            var count: Int32 = 0
            // SAFETY: only this thread uses the multi handle; curl's callbacks run inside this call.
            _ = unsafe curl_multi_perform(multi, &count)
            unsafe collectDone(multi)
            unsafe sweep(multi)
            let mayStart = unsafe !waiting.isEmpty && running.count < engine.limit
            _ = unsafe curl_multi_poll(multi, nil, 0, mayStart ? 0 : pause, nil)
        }
        unsafe endAll(multi)
    }

    /// A TLS write to a closed connection must not end the process; curl leaves signals alone (CURLOPT_NOSIGNAL).
    private static func blockPipeSignal() {
        var signals = sigset_t()
        // SAFETY: one structure, alive during the calls.
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    private var pause: Int32 {
        guard unsafe !running.isEmpty || !waiting.isEmpty else { return 60_000 }
        let time = min(Self.maxPause, max(.zero, nextSweep - ContinuousClock.now))
        return Int32(time.wholeMilliseconds)
    }

    private mutating func startWaiting(_ multi: UnsafeMutableRawPointer) {
        guard !waiting.isEmpty else { return }
        var started = 0
        for ticket in waiting {
            guard unsafe running.count < engine.limit else { break }
            started += 1
            unsafe begin(ticket, multi)
        }
        waiting.removeFirst(started)
    }

    private mutating func begin(_ ticket: TransferTicket, _ multi: UnsafeMutableRawPointer) {
        if ticket.isCancelled { return ticket.resume(.failure(Self.cancelled)) }
        if ContinuousClock.now >= ticket.deadline { return ticket.resume(.failure(Self.waitedTooLong)) }
        // SAFETY: a handle is in `idle`, or in exactly one transfer.
        guard let easy = unsafe idle.popLast() ?? curl_easy_init() else {
            return ticket.resume(.failure(CurlEngine.stopped))
        }
        let transfer = unsafe Transfer(ticket, easy: easy)
        if let problem = unsafe transfer.setUp(running: running.count) {
            recycle(transfer)
            return ticket.resume(.failure(problem))
        }
        if ticket.request.beforeLastByte != nil, !ticket.request.hasNoBody,
            !transfer.holdEnd({ [engine] in engine.ask(about: ticket) })
        {
            recycle(transfer)
            return ticket.resume(.failure(TransferTicket.withheld(isSent: false)))
        }
        if ticket.request.beforeLastByte != nil { held[ObjectIdentifier(ticket)] = transfer }
        unsafe running[easy] = transfer
        nextSweep = min(nextSweep, ContinuousClock.now + ticket.request.timeouts.stall)
        guard unsafe curl_multi_add_handle(multi, easy) == CURLM_OK else {
            let error = transfer.error(.connectionLost, "The transfer cannot start.")
            return unsafe end(transfer, multi, with: .failure(error))
        }
    }

    /// Lets the end of a body go, or ends the transfer; one that is over already is not concerned.
    private mutating func obey(_ verdict: CurlEngine.Verdict, _ multi: UnsafeMutableRawPointer) {
        guard let transfer = held.removeValue(forKey: ObjectIdentifier(verdict.ticket)) else { return }
        if verdict.mayLeave { return transfer.releaseEnd() }
        unsafe end(transfer, multi, with: .failure(TransferTicket.withheld(isSent: transfer.requestFullySent)))
    }

    private mutating func collectDone(_ multi: UnsafeMutableRawPointer) {
        var code = CURLE_OK
        while let easy = unsafe fl_multi_next_done(multi, &code) {
            guard let transfer = unsafe running[easy] else { continue }
            unsafe end(transfer, multi, with: transfer.outcome(of: code))
        }
    }

    /// Ends what was silent too long.
    ///
    /// Runs at most four times a second, or when the earliest stall is due.
    private mutating func sweep(_ multi: UnsafeMutableRawPointer) {
        let now = ContinuousClock.now
        guard now >= nextSweep else { return }
        nextSweep = now + Self.maxPause
        dropLate(at: now)
        for transfer in unsafe Array(running.values) {
            let limit = transfer.ticket.request.timeouts.stall
            let silence = transfer.silence(at: now)
            if silence >= limit {
                let error = transfer.error(.stallTimeout, "No byte in either direction within \(limit).")
                unsafe end(transfer, multi, with: .failure(error))
            } else {
                nextSweep = min(nextSweep, now + (limit - silence))
            }
        }
    }

    private mutating func dropLate(at now: ContinuousClock.Instant) {
        guard waiting.contains(where: { $0.deadline <= now }) else { return }
        for ticket in waiting where ticket.deadline <= now { ticket.resume(.failure(Self.waitedTooLong)) }
        waiting.removeAll { $0.deadline <= now }
    }

    private mutating func dropCancelled(_ multi: UnsafeMutableRawPointer) {
        for ticket in waiting where ticket.isCancelled { ticket.resume(.failure(Self.cancelled)) }
        waiting.removeAll(where: \.isCancelled)
        for transfer in unsafe Array(running.values) where transfer.ticket.isCancelled {
            unsafe end(transfer, multi, with: .failure(transfer.error(.stopped, "The delivery was cancelled.")))
        }
    }

    private mutating func endAll(_ multi: UnsafeMutableRawPointer) {
        for ticket in waiting { ticket.resume(.failure(CurlEngine.stopped)) }
        waiting = []
        for transfer in unsafe Array(running.values) {
            unsafe end(transfer, multi, with: .failure(transfer.error(.stopped, CurlEngine.stopped.message)))
        }
        // SAFETY: no handle is in the multi handle any more.
        while let easy = unsafe idle.popLast() { unsafe curl_easy_cleanup(easy) }
    }

    private mutating func end(
        _ transfer: Transfer,
        _ multi: UnsafeMutableRawPointer,
        with outcome: TransferTicket.Outcome
    ) {
        unsafe running[transfer.easy] = nil
        held[ObjectIdentifier(transfer.ticket)] = nil
        _ = unsafe curl_multi_remove_handle(multi, transfer.easy)
        recycle(transfer)
        transfer.ticket.resume(outcome)
    }

    /// Takes the handle back.
    ///
    /// Resetting keeps connections, sessions and names, which are the multi handle's.
    private mutating func recycle(_ transfer: Transfer) {
        let easy = unsafe transfer.easy
        // SAFETY: the handle is out of the multi handle; after reset or cleanup curl points to nothing of ours.
        if unsafe idle.count < Self.maxIdleHandles {
            unsafe curl_easy_reset(easy)
            unsafe idle.append(easy)
        } else {
            unsafe curl_easy_cleanup(easy)
        }
        transfer.tearDown()
    }

    private static let cancelled = TransportError(
        .stopped,
        message: "The delivery was cancelled.",
        requestFullySent: false
    )
    private static let waitedTooLong = TransportError(
        .totalTimeout,
        message: "No free connection in time.",
        requestFullySent: false
    )
}
