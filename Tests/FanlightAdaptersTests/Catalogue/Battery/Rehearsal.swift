// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore

/// A delivery of a catalogue entry as one of its own tests tells it, to be played with one exchange going wrong.
struct Rehearsal {
    /// What became of it, and what was known of the exchange that went wrong.
    struct Outcome {
        var result: Result<DeliveryLinks, DeliveryFailure>
        /// `nil` when it was a login.
        var exchange: Exchange?
        /// Requests that went out after the faulty one.
        var later: [HTTPRequest] = []
    }

    let adapter: String
    let service: CompiledService
    /// The picture is no file; its bytes are in memory.
    let context: DeliveryContext
    let replies: [HTTPReply]
    let session: SessionValues?
    /// Values that nobody may see.
    let secrets: [String]

    /// Steps whose reply is not read but for its status.
    let silentSteps: Set<String>

    /// The first test of an entry that ends with links and tells every reply.
    init?(adapter: String, catalogue: Catalogue = .standard) {
        let tests = catalogue[adapter]?["tests"]?.items ?? []
        let found = tests.first { $0["result"] != nil && !Self.exchanges($0).isEmpty && $0["request"]?["store"] == nil }
        guard let test = found else { return nil }
        let at = test.position
        let name = Node.Entry(key: "adapter", position: at, value: Node(.scalar(adapter, isPlain: true), at: at))
        let node = Node(.mapping((test["service"]?.entries ?? []) + [name]), at: at)
        var diagnostics: [Diagnostic] = []
        let compiler = ServiceCompiler(catalogue: catalogue, environment: { _ in nil }, readFile: { _ in nil })
        guard let service = compiler.compile(name: adapter, node: node, diagnostics: &diagnostics) else { return nil }
        self.adapter = adapter
        self.service = service
        var context = Fixtures.context(
            caption: Caption(
                title: test["caption"]?["title"]?.text,
                description: test["caption"]?["description"]?.text,
                message: test["caption"]?["message"]?.text,
                alt: test["caption"]?["alt"]?.text,
                tags: test["caption"]?["tags"]?.items.compactMap(\.text) ?? []
            ),
            geotag: Self.geotag(test["geotag"]),
            options: Dictionary(Self.pairs(test["options"]).map { ($0.name, $0.value) }) { _, last in last }
        )
        if let now = test["now"]?.text.flatMap({ Int($0) }) { context.now = now }
        if let uuid = test["uuid"]?.text { context.uuid = uuid }
        if let type = test["picture"]?.text.flatMap({ MediaType(rawValue: $0) }) { context.rendition.mediaType = type }
        self.context = context
        replies = Self.exchanges(test)
        session = test["session"].map { node in
            let pairs = Self.pairs(node).map { ($0.name, JSONValue.string($0.value)) }
            return SessionValues(values: Dictionary(pairs) { _, last in last }, generation: 1)
        }
        secrets = service.secrets.filter { $0.utf8.count >= 4 }
        silentSteps = Set(Self.steps(adapter, catalogue).filter(Self.isSilent).compactMap { $0["id"]?.text })
    }

    /// Steps of an entry or of the one that it is based on.
    static func steps(_ adapter: String, _ catalogue: Catalogue = .standard) -> [Node] {
        guard let entry = catalogue[adapter] else { return [] }
        if let own = entry["steps"]?.items, !own.isEmpty { return own }
        return entry["adapter"]?.text.map { steps($0, catalogue) } ?? []
    }

    private static func isSilent(_ step: Node) -> Bool {
        let tests = step["ok"].map { $0.items.isEmpty ? [$0] : $0.items } ?? []
        return step["save"] == nil && tests.allSatisfy { $0.text?.hasPrefix("status") ?? false }
    }

    private static func exchanges(_ test: Node) -> [HTTPReply] {
        let list = test["exchanges"]?.items.map { $0["reply"] } ?? [test["reply"]].filter { $0 != nil }
        return list.map { node in
            HTTPReply(
                status: node?["status"]?.text.flatMap { Int($0) } ?? 200,
                headers: pairs(node?["headers"]).map { HTTPField($0.name, $0.value) },
                body: Array((node?["body"]?.text ?? "").utf8),
                finalURL: ""
            )
        }
    }

    private static func pairs(_ node: Node?) -> [(name: String, value: String)] {
        (node?.entries ?? []).compactMap { entry in entry.value.text.map { (entry.key, $0) } }
    }

    private static func geotag(_ node: Node?) -> Geotag? {
        guard let latitude = node?["latitude"]?.text.flatMap({ Double($0) }),
            let longitude = node?["longitude"]?.text.flatMap({ Double($0) })
        else { return nil }
        return Geotag(latitude: latitude, longitude: longitude, altitude: nil, source: .client)
    }

    /// Plays the delivery; from exchange `index` on every request of the same step meets the fault.
    ///
    /// - Parameter index: `nil` = nothing goes wrong.
    func play(_ fault: Fault?, at index: Int?) -> Outcome? {
        var stage = Stage(rehearsal: self, fault: fault, index: index)
        var run = DeliveryRun(service: service, context: context)
        var event = DeliveryRun.Event.start
        for _ in 0..<100 {
            switch run.handle(event, now: stage.now) {
            case .finished(let result): return Outcome(result: result, exchange: stage.faulty, later: stage.later)
            case .pause(let wait):
                stage.now += max(1, Int(wait.components.seconds))
                event = .paused
            case .store: return nil
            case .openSession(let need):
                switch open(need, &stage) {
                case .success(let values)?: event = .session(values)
                case .failure(let failure)?: event = .sessionFailed(failure)
                case nil: return nil
                }
            case .send(let request, let exchange):
                switch stage.answer(request, exchange) {
                case .success(let reply): event = .reply(reply)
                case .failure(let error): event = .failed(error)
                }
            }
        }
        return nil
    }

    private func open(_ need: SessionNeed, _ stage: inout Stage) -> Result<SessionValues, DeliveryFailure>? {
        if let session { return .success(session) }
        // A renewal after the fault finds the login as it was.
        if let opened = stage.opened { return .success(opened) }
        guard var run = SessionRun(service: service, after: nil, uuid: context.uuid, now: stage.now) else { return nil }
        var event = SessionRun.Event.start
        for _ in 0..<20 {
            switch run.handle(event, now: stage.now) {
            case .finished(let result):
                stage.opened = try? result.get()
                return result
            case .send(let request, _):
                switch stage.answer(request, nil) {
                case .success(let reply): event = .reply(reply)
                case .failure(let error): event = .failed(error)
                }
            }
        }
        return nil
    }

    /// Where a play stands.
    private struct Stage {
        let rehearsal: Rehearsal
        let fault: Fault?
        let index: Int?
        var now: Int
        var next = 0
        var isFaulty = false
        var faultyStep: String?
        var faulty: Exchange?
        var later: [HTTPRequest] = []
        var opened: SessionValues?
        /// What a step was answered, for a delivery that goes back to it.
        var seen: [String: HTTPReply] = [:]

        init(rehearsal: Rehearsal, fault: Fault?, index: Int?) {
            self.rehearsal = rehearsal
            self.fault = fault
            self.index = index
            now = rehearsal.context.now
        }

        mutating func answer(_ request: HTTPRequest, _ exchange: Exchange?) -> Result<HTTPReply, TransportError> {
            if let fault, isFaulty, exchange?.step == faultyStep { return fault.answer(own: own(next - 1), request) }
            if isFaulty { later.append(request) }
            defer { next += 1 }
            if let fault, next == index {
                isFaulty = true
                faultyStep = exchange?.step
                faulty = exchange
                return fault.answer(own: own(next), request)
            }
            var reply = own(next)
            if isFaulty, let exchange, !exchange.isPoll, let earlier = seen[exchange.step] { reply = earlier }
            if let step = exchange?.step { seen[step] = reply }
            reply.finalURL = request.url
            return .success(reply)
        }

        private func own(_ index: Int) -> HTTPReply {
            index < rehearsal.replies.count
                ? rehearsal.replies[index] : HTTPReply(status: 200, headers: [], body: [], finalURL: "")
        }
    }
}
