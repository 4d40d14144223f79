// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

/// The gateway as the server sees it: every request goes to the gateway of the moment, has a name, and is counted.
public struct ObservedService: HTTPService {
    private let current: @Sendable () -> GatewayService
    private let observatory: Observatory
    private let identity: Identity

    /// Joins the interface with what observes it.
    ///
    /// - Parameters:
    ///   - observatory: Counts requests.
    ///   - current: The interface that decides on a request; asked once for each.
    public init(
        observatory: Observatory,
        identity: Identity = .system,
        current: @escaping @Sendable () -> GatewayService
    ) {
        self.observatory = observatory
        self.identity = identity
        self.current = current
    }

    /// Lets the gateway decide.
    public func decide(_ head: RequestHead) -> HeadDecision {
        let (head, requestID) = named(head)
        let label = InterfacePath.label(of: head.path)
        let interface = current()
        let shared = interface.crossOrigin.fields(for: head)
        let finish: @Sendable (HTTPAnswer) -> HTTPAnswer = { [observatory] answer in
            observatory.answered(label, status: answer.status)
            var answer = answer
            answer.headers.append(HTTPField(RequestOrigin.requestHeader, requestID))
            answer.headers += shared
            return answer
        }
        if let preflight = interface.crossOrigin.preflight(head) { return .answer(finish(preflight)) }
        switch interface.decide(head) {
        case .answer(let answer): return .answer(finish(answer))
        case .receive(let sink): return .receive(ObservedSink(sink, finish))
        }
    }

    /// Puts the request's name and trace into its head, checked or made.
    private func named(_ head: RequestHead) -> (RequestHead, String) {
        var head = head
        let given = head.header(RequestOrigin.requestHeader).flatMap { RequestOrigin.isSane($0) ? $0 : nil }
        let requestID = given ?? identity.uploadID()
        let trace = head.header(TraceContext.header).flatMap { TraceContext($0) }
        // Several lines are one list.
        let states = head.headers.filter { $0.name.lowercased() == TraceContext.stateHeader }.map(\.value)
        let state = trace == nil || states.isEmpty ? nil : states.joined(separator: ",")
        // What is not as it should be must reach nobody behind.
        let own = [RequestOrigin.requestHeader, TraceContext.header, TraceContext.stateHeader].map { $0.lowercased() }
        head.headers.removeAll { own.contains($0.name.lowercased()) }
        head.headers.append(HTTPField(RequestOrigin.requestHeader, requestID))
        if let trace {
            head.headers.append(
                HTTPField(TraceContext.header, "00-\(trace.traceID)-\(trace.parentID)-\(trace.flags)")
            )
            if let state, Self.mayPass(state) { head.headers.append(HTTPField(TraceContext.stateHeader, state)) }
        }
        return (head, requestID)
    }

    /// The standard asks for 512 characters at least to be passed on; only visible ASCII and blanks stand in it.
    private static func mayPass(_ state: String) -> Bool {
        (1...512).contains(state.utf8.count) && state.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
}

/// Passes a body on, and has the answer finished.
private final class ObservedSink: BodySink {
    private let sink: any BodySink
    private let finished: @Sendable (HTTPAnswer) -> HTTPAnswer

    init(_ sink: any BodySink, _ finished: @escaping @Sendable (HTTPAnswer) -> HTTPAnswer) {
        self.sink = sink
        self.finished = finished
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> HTTPAnswer? {
        // SAFETY: the bytes are handed on within the call that lent them.
        unsafe sink.receive(bytes).map(finished)
    }

    func finish() async -> HTTPAnswer { finished(await sink.finish()) }

    func abandon() { sink.abandon() }
}
