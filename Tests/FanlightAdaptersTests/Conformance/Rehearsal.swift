// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore

@testable import FanlightAdapters

/// A delivery that succeeds, as one of an entry's own tests tells it; a fault is then put into one of its steps.
struct Rehearsal: Sendable, CustomStringConvertible {
    /// One exchange of the delivery.
    struct Visit: Sendable {
        var step: String
        var reply: HTTPReply
    }

    let adapter: String
    let test: String
    var service: CompiledService
    var context: DeliveryContext
    /// The session that is open before, where the test gives one.
    let session: SessionValues?
    /// Exchanges in order, those of a login among them.
    let visits: [Visit]
    /// How it ends without a fault.
    let links: DeliveryLinks

    var description: String { "\(adapter), \(test)" }
    /// Steps that are visited, in order of the first visit.
    var steps: [String] {
        visits.map(\.step).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    private static let entries = Dictionary(uniqueKeysWithValues: Catalogue.standard.names.map { ($0, found(for: $0)) })

    /// The rehearsals of an entry: those of its tests that are needed to visit every step that any of them visits.
    static func all(of adapter: String) -> [Rehearsal] { entries[adapter] ?? [] }

    private static func found(for adapter: String) -> [Rehearsal] {
        var seen: Set<String> = []
        return (Catalogue.standard[adapter]?["tests"]?.items ?? []).filter { $0["result"] != nil }
            .compactMap { Rehearsal(adapter, $0) }
            .filter { rehearsal in
                let news = Set(rehearsal.steps).subtracting(seen)
                seen.formUnion(news)
                return !news.isEmpty
            }
    }

    /// Plays a test as it is written; `nil` where it does not end in a success.
    init?(_ adapter: String, _ test: Node, catalogue: Catalogue = .standard) {
        var diagnostics: [Diagnostic] = []
        guard let service = AdapterTestRunner(catalogue: catalogue).service(adapter, test, &diagnostics) else {
            return nil
        }
        let replies = Self.replies(test)
        let context = AdapterTestRunner.context(test)
        let session = Self.session(test)
        var visits: [Visit] = []
        var host = ScriptedHost(service: service, context: context, session: session)
        let attempt = host.deliver { request, exchange, _ in
            guard visits.count < replies.count else {
                return .failure(TransportError(.stopped, message: "", requestFullySent: false))
            }
            var reply = replies[visits.count]
            reply.finalURL = request.url
            visits.append(Visit(step: exchange.step, reply: reply))
            return .success(reply)
        }
        guard case .success(let links)? = attempt.result else { return nil }
        self.adapter = adapter
        self.test = test["name"]?.text ?? "unnamed"
        self.service = service
        self.context = context
        self.session = session
        self.visits = visits
        self.links = links
    }

    /// The reply to a visit of a step; later visits than those of the rehearsal get the last one.
    func reply(to step: String, visit: Int) -> HTTPReply? {
        let replies = visits.filter { $0.step == step }.map(\.reply)
        return replies.isEmpty ? nil : replies[min(visit, replies.count - 1)]
    }

    /// The program of a step of the delivery or of its login.
    func program(of step: String) -> StepProgram? {
        if step.hasPrefix("login.") {
            return service.session?.steps.first { "login." + $0.id == step }
        }
        return service.steps.first { $0.id == step }
    }

    static func replies(_ test: Node) -> [HTTPReply] {
        let nodes = test["exchanges"]?.items.map { $0["reply"] } ?? [test["reply"]]
        return nodes.map { node in
            HTTPReply(
                status: node?["status"]?.text.flatMap { Int($0) } ?? 200,
                headers: AdapterTestRunner.pairs(node?["headers"]).map { HTTPField($0.name, $0.value) },
                body: Array((node?["body"]?.text ?? "").utf8),
                finalURL: ""
            )
        }
    }

    static func session(_ test: Node) -> SessionValues? {
        test["session"].map { node in
            let pairs = AdapterTestRunner.pairs(node).map { ($0.name, JSONValue.string($0.value)) }
            return SessionValues(values: Dictionary(pairs) { _, last in last }, generation: 1)
        }
    }
}
