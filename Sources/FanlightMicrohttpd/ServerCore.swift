// SPDX-License-Identifier: Apache-2.0

import CMicrohttpd
import FanlightCore
import Synchronization

/// What the library's callbacks work on; one per server.
@safe
final class ServerCore: Sendable {
    /// After a refusal before or amid the body: what is still read, and for how long.
    ///
    /// Closing with unread bytes makes the kernel send a reset, which may overtake the answer.
    private static let linger = (bytes: 32 << 20, time: Duration.seconds(3))
    /// Bytes a second that the slowest client is allowed to read an answer with.
    private static let slowestReader = 16_384

    private let service: any HTTPService
    private let limits: ServerLimits
    let table: ConnectionTable
    let refusals = Refusals()
    let waiting = WaitingExchanges()
    let streams = OpenStreams()
    private let isClosing = Atomic(false)
    private let isSweepOver = Atomic(false)

    init(service: any HTTPService, limits: ServerLimits) {
        self.service = service
        self.limits = limits
        table = ConnectionTable(limits: limits, refusals: refusals)
    }

    /// From now on each answer closes its connection.
    func closeConnections() { isClosing.store(true, ordering: .relaxed) }

    func sweep() { table.sweep { isSweepOver.load(ordering: .acquiring) } }

    func endSweep() {
        isSweepOver.store(true, ordering: .releasing)
        table.wake()
    }

    /// The head is read.
    func begin(_ connection: OpaquePointer, _ request: HeadReader.Result) -> (Exchange, MHD_Result) {
        let key = UInt(bitPattern: connection)
        table.beginRequest(key)
        let isHead = request.head.method == "HEAD"
        switch decide(request, key: key) {
        case .receive(let sink):
            // The library takes lone line feeds between chunks, and a line that begins with a zero byte for the end of
            // the trailer; a proxy in front may not. What comes behind such a body is not run.
            let isChunked = if case .chunked = request.framing { true } else { false }
            return (unsafe Exchange(connection, stage: .receiving(sink), isLast: isChunked, isHead: isHead), .YES)
        case .answer(let answer):
            if case .none = request.framing, !request.isOdd {
                // Queued at the next call: an answer to the first one would close the connection.
                return (unsafe Exchange(connection, stage: .ready(answer), isHead: isHead), .YES)
            }
            let hasBody = if case .none = request.framing { false } else { true }
            if hasBody, !isHead, request.head.header("Expect") == nil, case .bytes = answer.body {
                return (unsafe Exchange(connection, stage: .draining(0)), sendLast(answer, key: key))
            }
            // Nothing to drain: the client waits for leave to send, or the library sees no body.
            return (unsafe Exchange(connection, stage: .over), unsafe queue(answer, on: connection, closing: true))
        }
    }

    private func decide(_ request: HeadReader.Result, key: UInt) -> HeadDecision {
        guard let refusal = refusal(of: request, key: key) else { return service.decide(request.head) }
        refusals.count(refusal.status)
        return .answer(refusal)
    }

    /// The server's own answer to a request that the service is not asked about.
    private func refusal(of request: HeadReader.Result, key: UInt) -> HTTPAnswer? {
        switch table.surplus(key) {
        case .server: return RawAnswer.busy
        case .address: return RawAnswer.addressBusy
        case nil: break
        }
        if request.isOdd { return RawAnswer.oddHead }
        if request.bytes > limits.maxHeadBytes { return RawAnswer.headTooLarge }
        if case .unclear = request.framing { return RawAnswer.badLength }
        if case .length(let length) = request.framing, let limit = limits.maxBodyBytes, length > limit {
            return RawAnswer.tooLarge
        }
        return nil
    }

    /// The next bytes of the body.
    func take(_ bytes: UnsafeRawBufferPointer, _ exchange: Exchange, _ connection: OpaquePointer) -> MHD_Result {
        switch exchange.stage {
        case .receiving(let sink):
            table.received(UInt(bitPattern: connection), bytes.count)
            guard let refusal = unsafe sink.receive(bytes) else { return .YES }
            exchange.stage = .draining(0)
            return sendLast(refusal, key: UInt(bitPattern: connection))
        case .draining(let count):
            exchange.stage = .draining(count + bytes.count)
            return count <= Self.linger.bytes ? .YES : .NO
        default: return .NO
        }
    }

    private func sendLast(_ answer: HTTPAnswer, key: UInt) -> MHD_Result {
        table.sendLast(RawAnswer.bytes(of: answer), on: key, lingering: Self.linger.time) ? .YES : .NO
    }

    /// The request is complete, or its connection was resumed.
    func proceed(_ exchange: Exchange, _ connection: OpaquePointer) -> MHD_Result {
        switch exchange.stage {
        case .receiving(let sink): return unsafe work(sink, exchange, connection)
        case .ready(let answer):
            exchange.stage = .over
            let shown = exchange.isHead ? Self.withoutStream(answer) : answer
            return unsafe queue(shown, on: connection, closing: exchange.isLast)
        case .working: return .YES
        case .draining, .over: return .NO
        }
    }

    /// The answer to HEAD: for a body without a known end the library would send the end of one behind the head.
    private static func withoutStream(_ answer: HTTPAnswer) -> HTTPAnswer {
        guard case .stream(let stream) = answer.body else { return answer }
        stream.close()
        var answer = answer
        answer.body = .bytes([])
        return answer
    }

    private func work(_ sink: any BodySink, _ exchange: Exchange, _ connection: OpaquePointer) -> MHD_Result {
        guard waiting.add(exchange) else {
            exchange.stage = .over
            sink.abandon()
            return unsafe queue(RawAnswer.stopping, on: connection, closing: true)
        }
        let key = UInt(bitPattern: connection)
        table.beginWork(key)
        exchange.stage = .working
        let isSuspended = exchange.suspend()
        Task {
            let answer = await sink.finish()
            exchange.complete(answer) { !exchange.isHead && sendToFinished($0, key: key) }
            waiting.remove(exchange)
        }
        return isSuspended ? .YES : unsafe proceed(exchange, connection)
    }

    /// Answers a client that has closed its side behind the request, which the library takes for one that has left.
    private func sendToFinished(_ answer: HTTPAnswer, key: UInt) -> Bool {
        guard case .bytes = answer.body, table.hasClientFinished(key) else { return false }
        return sendLast(answer, key: key) == .YES
    }

    /// The exchange is over, for whatever reason.
    func end(_ exchange: Exchange, _ connection: OpaquePointer) {
        exchange.end()?.abandon()
        table.endRequest(UInt(bitPattern: connection))
    }

    private func queue(_ answer: HTTPAnswer, on connection: OpaquePointer, closing: Bool) -> MHD_Result {
        let key = UInt(bitPattern: connection)
        let closes = closing || isClosing.load(ordering: .relaxed) || table.surplus(key) != nil
        switch unsafe ResponseWriter.queue(answer, on: connection, closing: closes, streams: streams) {
        case .bytes(let size):
            table.beginAnswer(key, within: limits.clientTimeout + .seconds(size / Self.slowestReader))
        case .stream: table.beginAnswer(key, within: nil)
        case nil: return .NO
        }
        return .YES
    }
}
