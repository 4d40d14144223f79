// SPDX-License-Identifier: Apache-2.0

public import FanlightConfiguration
import FanlightCore

/// Runs the `tests:` of adapter files; nothing is sent.
///
/// A test says: given this service and this upload, this request goes out; given this reply, these links or this
/// failure come back.
public struct AdapterTestRunner: Sendable {
    /// What one test showed.
    public struct Finding: Sendable, Equatable {
        /// Adapter that was tested.
        public var adapter: String
        /// Name of the test.
        public var test: String
        /// Where the test stands.
        public var position: SourcePosition
        /// One line a difference; empty when the test passed.
        public var failures: [String]

        /// True when nothing differed.
        public var passed: Bool { failures.isEmpty }
    }

    private let catalogue: Catalogue

    /// Creates a runner over a catalogue, which holds the adapters to be tested and those that they are based on.
    public init(catalogue: Catalogue) { self.catalogue = catalogue }

    /// Runs every test of every adapter.
    public func runAll() -> [Finding] { catalogue.names.flatMap { run($0) } }

    /// Runs the tests of one adapter; one without tests fails.
    public func run(_ adapter: String) -> [Finding] {
        guard let entry = catalogue[adapter] else { return [] }
        let tests = entry["tests"]?.items ?? []
        guard !tests.isEmpty else {
            return [Finding(adapter: adapter, test: "tests", position: entry.position, failures: ["no tests"])]
        }
        return tests.map { test in
            Finding(
                adapter: adapter,
                test: test["name"]?.text ?? "unnamed",
                position: test.position,
                failures: failures(adapter, test)
            )
        }
    }

    private func failures(_ adapter: String, _ test: Node) -> [String] {
        var failures = TestComparison.unknownKeys(test, AdapterTestFields.test.names)
        let at = test.position
        var entries = (test["service"]?.entries ?? []).filter { $0.key != "adapter" }
        entries.append(Node.Entry(key: "adapter", position: at, value: Node(.scalar(adapter, isPlain: true), at: at)))
        var diagnostics: [Diagnostic] = []
        let compiler = ServiceCompiler(catalogue: catalogue, environment: { _ in nil }, readFile: { _ in nil })
        let node = Node(.mapping(entries), at: at)
        guard let service = compiler.compile(name: adapter, node: node, diagnostics: &diagnostics) else {
            return failures + diagnostics.map(\.description)
        }
        let context = Self.context(test)
        if let expected = test["request"] { failures += TestComparison.plan(expected, service, context) }
        if test["reply"] != nil || test["result"] != nil || test["error"] != nil {
            failures += Self.judge(test, service, context)
        }
        return failures
    }

    /// The upload of a test that says nothing about it.
    static var sampleContext: DeliveryContext {
        context(Node(.mapping([]), at: SourcePosition(file: "", line: 1, column: 1)))
    }

    /// The time of every test.
    static let sampleTime = 1_700_000_000

    private static func pairs(_ node: Node?) -> [(name: String, value: String)] {
        (node?.entries ?? []).compactMap { entry in entry.value.text.map { (entry.key, $0) } }
    }

    private static func number(_ node: Node?) -> Double? { node?.text.flatMap { Double($0) } }

    private static func context(_ test: Node) -> DeliveryContext {
        let caption = test["caption"]
        let bytes = Array("picture".utf8)
        let type = test["picture"]?.text.flatMap { MediaType(rawValue: $0) } ?? .jpeg
        let rendition = Rendition(
            file: SpooledFile(path: "", descriptor: -1, size: bytes.count),
            mediaType: type,
            width: 640,
            height: 480,
            lane: .untouched
        )
        var geotag: Geotag?
        if let latitude = number(test["geotag"]?["latitude"]), let longitude = number(test["geotag"]?["longitude"]) {
            let altitude = number(test["geotag"]?["altitude"])
            geotag = Geotag(latitude: latitude, longitude: longitude, altitude: altitude, source: .client)
        }
        return DeliveryContext(
            caption: Caption(
                title: caption?["title"]?.text,
                description: caption?["description"]?.text,
                message: caption?["message"]?.text,
                alt: caption?["alt"]?.text,
                tags: caption?["tags"]?.items.compactMap(\.text) ?? [],
                fields: pairs(caption?["fields"])
            ),
            geotag: geotag,
            takenAt: "2018-07-25T14:34:23Z",
            rendition: rendition,
            options: Dictionary(pairs(test["options"]).map { ($0.name, $0.value) }) { _, last in last },
            uploadID: "01938f3e-7c1a-7b6e-9f5e-0c7d2c1b8a44",
            idempotencyKey: "idempotency-key",
            uuid: "uuid",
            now: 1_700_000_000,
            publicURL: "http://gateway.test",
            content: bytes
        )
    }

    private static func judge(_ test: Node, _ service: CompiledService, _ context: DeliveryContext) -> [String] {
        var failures: [String] = []
        if let reply = test["reply"] { failures += TestComparison.unknownKeys(reply, AdapterTestFields.reply.names) }
        let result: Result<DeliveryLinks, DeliveryFailure>
        let plan = try? service.plan(context)
        if case .store(_, let name) = plan {
            result = service.outcome(ofStored: name, context: context)
        } else {
            var url = ""
            if case .exchange(let request) = plan { url = request.url }
            let reply = test["reply"]
            result = service.outcome(
                of: HTTPReply(
                    status: reply?["status"]?.text.flatMap { Int($0) } ?? 200,
                    headers: pairs(reply?["headers"]).map { HTTPField($0.name, $0.value) },
                    body: Array((reply?["body"]?.text ?? "").utf8),
                    finalURL: url
                ),
                context: context
            )
        }
        switch result {
        case .success(let links):
            guard let expected = test["result"] else {
                return failures + ["expected a failure, got \(links.best ?? "an identifier")"]
            }
            failures += TestComparison.links(expected, links)
            if let expected = test["delete"] { failures += deletion(expected, service, context, links) }
            return failures
        case .failure(let failure):
            guard let expected = test["error"] else { return failures + ["expected a success, got \(failure.message)"] }
            return failures + TestComparison.failure(expected, failure)
        }
    }

    /// Compares the request that deletes the picture again, `delete:`.
    private static func deletion(
        _ expected: Node,
        _ service: CompiledService,
        _ context: DeliveryContext,
        _ links: DeliveryLinks
    ) -> [String] {
        var context = context
        context.captures = links.captures
        do {
            guard let request = try service.deletePlan(context) else { return ["delete: the adapter cannot delete"] }
            return TestComparison.request(expected, request, method: "DELETE").map { "delete: " + $0 }
        } catch {
            return ["delete: " + error.message]
        }
    }
}
