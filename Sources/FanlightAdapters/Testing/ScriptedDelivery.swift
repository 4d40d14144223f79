// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore

/// One test of an adapter: a delivery whose exchanges are written down beside it.
struct ScriptedDelivery {
    /// One request that must go out, with its reply.
    private struct Exchange {
        var request: Node?
        var reply: Node?
    }

    let test: Node
    let service: CompiledService
    let context: DeliveryContext

    /// One line a difference.
    func failures() -> [String] {
        var player = Player(exchanges: exchanges, now: context.now, content: context.content ?? [])
        var run = DeliveryRun(service: service, context: context)
        let result = play(&run, &player)
        var failures = player.failures
        if let result {
            failures += judge(result, player)
        } else if expectsOutcome, failures.isEmpty {
            failures.append("the delivery did not end")
        }
        if player.next < player.exchanges.count, result != nil, failures.isEmpty, player.next > 0 {
            failures.append("\(player.exchanges.count - player.next) request(s) did not go out")
        }
        return failures
    }

    private var exchanges: [Exchange] {
        if let list = test["exchanges"]?.items, !list.isEmpty {
            return list.map { Exchange(request: $0["request"], reply: $0["reply"]) }
        }
        return [Exchange(request: test["request"], reply: test["reply"])]
    }

    private var expectsOutcome: Bool { test["result"] != nil || test["error"] != nil }

    /// Exchanges that are left, and what differed so far.
    private struct Player {
        var exchanges: [Exchange]
        var now: Int
        let content: [UInt8]
        var next = 0
        var failures: [String] = []

        mutating func take() -> Exchange? {
            guard next < exchanges.count else { return nil }
            next += 1
            return exchanges[next - 1]
        }

        /// Names the exchange where there are several.
        func named(_ lines: [String]) -> [String] {
            exchanges.count == 1 ? lines : lines.map { "exchange \(next): " + $0 }
        }
    }

    /// Plays a run to its end; `nil` when the script ends before.
    private func play(_ run: inout DeliveryRun, _ player: inout Player) -> Result<DeliveryLinks, DeliveryFailure>? {
        var event = DeliveryRun.Event.start
        for _ in 0..<1_000 {
            switch run.handle(event, now: player.now) {
            case .finished(let result): return result
            case .pause(let wait):
                player.now += Int(wait.components.seconds)
                event = .paused
            case .store(let folder, let name):
                let exchange = player.take()
                if let expected = exchange?.request { player.failures += TestComparison.store(expected, folder, name) }
                event = .stored
            case .openSession(let need):
                switch session(need, &player) {
                case .success(let values)?: event = .session(values)
                case .failure(let failure)?: event = .sessionFailed(failure)
                case nil: return nil
                }
            case .send(let request, _):
                guard let answer = exchange(request, &player) else { return nil }
                switch answer {
                case .success(let reply): event = .reply(reply)
                case .failure(let error): event = .failed(error)
                }
            }
        }
        return nil
    }

    /// The session that the test gives, or that its exchanges open.
    private func session(_ need: SessionNeed, _ player: inout Player) -> Result<SessionValues, DeliveryFailure>? {
        let given = test["session"].map { node in
            let pairs = AdapterTestRunner.pairs(node).map { ($0.name, JSONValue.string($0.value)) }
            return SessionValues(values: Dictionary(pairs) { _, last in last }, generation: 1)
        }
        if let given, need.stale == nil { return .success(given) }
        guard var run = SessionRun(service: service, after: given, uuid: context.uuid, now: player.now) else {
            return nil
        }
        var event = SessionRun.Event.start
        for _ in 0..<1_000 {
            switch run.handle(event, now: player.now) {
            case .finished(let result): return result
            case .send(let request, _):
                guard let answer = exchange(request, &player) else { return nil }
                switch answer {
                case .success(let reply): event = .reply(reply)
                case .failure(let error): event = .failed(error)
                }
            }
        }
        return nil
    }

    /// Compares a request with the next of the script and gives its answer; `nil` when the script ends here.
    private func exchange(_ request: HTTPRequest, _ player: inout Player) -> Result<HTTPReply, TransportError>? {
        guard let exchange = player.take() else {
            player.failures.append("one more request went out: \(request.method) \(request.url)")
            return nil
        }
        if let expected = exchange.request {
            let lines =
                TestComparison.unknownKeys(expected, AdapterTestFields.request.names)
                + TestComparison.request(expected, request, method: "POST", content: player.content)
            player.failures += player.named(lines)
        }
        let isLast = player.next == player.exchanges.count
        if isLast, exchange.reply == nil, !expectsOutcome { return nil }
        return answer(exchange.reply, to: request, &player)
    }

    private func answer(
        _ node: Node?,
        to request: HTTPRequest,
        _ player: inout Player
    ) -> Result<HTTPReply, TransportError> {
        if let node { player.failures += TestComparison.unknownKeys(node, AdapterTestFields.reply.names) }
        let isSent = node?["sent"]?.text != "false"
        if let text = node?["fails"]?.text {
            guard let cause = TransportError.Cause(rawValue: text) else {
                player.failures.append("unknown failure '\(text)'")
                return .failure(TransportError(.stopped, message: "", requestFullySent: isSent))
            }
            return .failure(TransportError(cause, message: text, requestFullySent: isSent))
        }
        return .success(
            HTTPReply(
                status: node?["status"]?.text.flatMap { Int($0) } ?? 200,
                headers: AdapterTestRunner.pairs(node?["headers"]).map { HTTPField($0.name, $0.value) },
                body: Array((node?["body"]?.text ?? "").utf8),
                finalURL: request.url,
                requestFullySent: isSent
            )
        )
    }

    private func judge(_ result: Result<DeliveryLinks, DeliveryFailure>, _ player: Player) -> [String] {
        switch result {
        case .failure(let failure):
            if player.next == 0, let kind = test["request"]?["error"]?.text {
                return TestComparison.difference("error", kind, failure.kind.rawValue)
            }
            guard let expected = test["error"] else { return ["expected a success, got \(failure.message)"] }
            return TestComparison.failure(expected, failure)
        case .success(let links):
            guard let expected = test["result"] else {
                return test["error"] == nil ? [] : ["expected a failure, got \(links.best ?? "an identifier")"]
            }
            let failures = TestComparison.links(expected, links)
            return failures + (test["delete"].map { deletion($0, links) } ?? [])
        }
    }

    /// Compares the request that deletes the picture again, `delete:`.
    private func deletion(_ expected: Node, _ links: DeliveryLinks) -> [String] {
        var later = DeliveryContext.none(now: context.now)
        later.captures = links.captures
        later.uuid = context.uuid
        guard var run = service.deleteRun(later) else { return ["delete: the adapter cannot delete"] }
        var exchange = expected["request"].map { Exchange(request: $0, reply: expected["reply"]) }
        if exchange == nil { exchange = Exchange(request: expected, reply: nil) }
        let method = service.delete?.request.method ?? "DELETE"
        var player = Player(exchanges: [], now: context.now, content: [])
        var event = DeliveryRun.Event.start
        while true {
            switch run.handle(event, now: player.now) {
            case .openSession(let need):
                guard case .success(let values)? = session(need, &player) else { return ["delete: no session"] }
                event = .session(values)
            case .send(let request, _):
                guard let request = exchange?.request.map({ (node: $0, sent: request) }) else { return [] }
                let lines = TestComparison.request(request.node, request.sent, method: method, content: [])
                return lines.map { "delete: " + $0 }
            case .finished(.failure(let failure)): return ["delete: " + failure.message]
            default: return ["delete: nothing was sent"]
            }
        }
    }
}
