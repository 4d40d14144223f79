// SPDX-License-Identifier: Apache-2.0

import FanlightCore

@testable import FanlightAdapters

/// Plays the host of a service: drives deliveries and logins with answers that a test makes up.
struct ScriptedHost {
    /// Answers the n-th request of a step, counted from 0.
    typealias Script = (HTTPRequest, Exchange, _ visit: Int) -> Result<HTTPReply, TransportError>

    /// A request that went out, and what came of it.
    struct Sent {
        var request: HTTPRequest
        var exchange: Exchange
        var answer: Result<HTTPReply, TransportError>
    }

    /// One attempt of a delivery.
    struct Attempt {
        /// `nil` when it did not end.
        var result: Result<DeliveryLinks, DeliveryFailure>?
        /// Requests in order.
        var sent: [Sent] = []

        var failure: DeliveryFailure? {
            if case .failure(let failure)? = result { return failure }
            return nil
        }
        var links: DeliveryLinks? {
            if case .success(let links)? = result { return links }
            return nil
        }
    }

    let service: CompiledService
    let context: DeliveryContext
    var session: SessionValues?
    private(set) var run: DeliveryRun
    private var now: Int
    private var visits: [String: Int] = [:]

    init(service: CompiledService, context: DeliveryContext, session: SessionValues?) {
        self.service = service
        self.context = context
        self.session = session
        run = DeliveryRun(service: service, context: context)
        now = context.now
    }

    init(_ rehearsal: Rehearsal) {
        self.init(service: rehearsal.service, context: rehearsal.context, session: rehearsal.session)
    }

    /// Plays one attempt to its end; after a failure the next call is the next attempt.
    mutating func deliver(again: Bool = false, _ script: Script) -> Attempt {
        var run = run
        defer { self.run = run }
        return Self.play(&run, first: again ? .again : .start, &self, script)
    }

    /// Plays the deletion of a delivered picture; `nil` when the adapter cannot delete.
    mutating func delete(_ links: DeliveryLinks, _ script: Script) -> Attempt? {
        var later = DeliveryContext.none(now: now)
        later.captures = links.captures
        later.uuid = context.uuid
        guard var run = service.deleteRun(later) else { return nil }
        return Self.play(&run, first: .start, &self, script)
    }

    private static func play(
        _ run: inout DeliveryRun,
        first: DeliveryRun.Event,
        _ host: inout ScriptedHost,
        _ script: Script
    ) -> Attempt {
        var attempt = Attempt()
        var event = first
        for _ in 0..<500 {
            switch run.handle(event, now: host.now) {
            case .finished(let result):
                attempt.result = result
                return attempt
            case .pause(let wait):
                host.now += Int(wait.components.seconds) + 1
                event = .paused
            case .store: event = .stored
            case .openSession(let need):
                switch host.open(need, &attempt, script) {
                case .success(let values): event = .session(values)
                case .failure(let failure): event = .sessionFailed(failure)
                }
            case .send(let request, let exchange):
                switch host.answer(request, exchange, &attempt, script) {
                case .success(let reply): event = .reply(reply)
                case .failure(let error): event = .failed(error)
                }
            }
        }
        return attempt
    }

    /// The session that is open, or a newer one; a service whose script has no login renews the one that it has.
    private mutating func open(
        _ need: SessionNeed,
        _ attempt: inout Attempt,
        _ script: Script
    ) -> Result<SessionValues, DeliveryFailure> {
        if let session, need.stale == nil || session.generation != need.stale { return .success(session) }
        if var given = session, given.generation > 0,
            attempt.sent.allSatisfy({ !$0.exchange.step.hasPrefix("login.") }),
            visits.keys.allSatisfy({ !$0.hasPrefix("login.") })
        {
            given.generation += 1
            session = given
            return .success(given)
        }
        guard var run = SessionRun(service: service, after: session, uuid: context.uuid, now: now) else {
            return .failure(DeliveryFailure(kind: .interrupted, message: "the service has no sessions"))
        }
        var event = SessionRun.Event.start
        for _ in 0..<100 {
            switch run.handle(event, now: now) {
            case .finished(let result):
                session = try? result.get()
                return result
            case .send(let request, let exchange):
                switch answer(request, exchange, &attempt, script) {
                case .success(let reply): event = .reply(reply)
                case .failure(let error): event = .failed(error)
                }
            }
        }
        return .failure(DeliveryFailure(kind: .interrupted, message: "the login did not end"))
    }

    private mutating func answer(
        _ request: HTTPRequest,
        _ exchange: Exchange,
        _ attempt: inout Attempt,
        _ script: Script
    ) -> Result<HTTPReply, TransportError> {
        let visit = visits[exchange.step, default: 0]
        visits[exchange.step] = visit + 1
        let answer = script(request, exchange, visit)
        attempt.sent.append(Sent(request: request, exchange: exchange, answer: answer))
        return answer
    }
}
