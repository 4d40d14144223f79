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
            let compiler = ServiceCompiler(catalogue: catalogue, environment: { _ in nil }, readFile: { _ in nil })
            var diagnostics: [Diagnostic] = []
            compiler.check(adapter: adapter, beside: "", diagnostics: &diagnostics)
            let failures = diagnostics.map(\.description) + ["no tests"]
            return [Finding(adapter: adapter, test: "tests", position: entry.position, failures: failures)]
        }
        var parsed = catalogue
        for name in [adapter, entry["adapter"]?.text ?? "generic", "generic"] {
            if let node = catalogue[name] { parsed.add(name, node) }
        }
        let runner = AdapterTestRunner(catalogue: parsed)
        return tests.map { test in
            Finding(
                adapter: adapter,
                test: test["name"]?.text ?? "unnamed",
                position: test.position,
                failures: runner.failures(adapter, test)
            )
        }
    }

    private func failures(_ adapter: String, _ test: Node) -> [String] {
        let failures = TestComparison.unknownKeys(test, AdapterTestFields.test.names)
        var diagnostics: [Diagnostic] = []
        guard let service = service(adapter, test, &diagnostics) else {
            return failures + diagnostics.map(\.description)
        }
        return failures + ScriptedDelivery(test: test, service: service, context: Self.context(test)).failures()
    }

    /// The service that a test is about; `nil` when its settings do not fit.
    func service(_ adapter: String, _ test: Node, _ diagnostics: inout [Diagnostic]) -> CompiledService? {
        let at = test.position
        var entries = (test["service"]?.entries ?? []).filter { $0.key != "adapter" }
        entries.append(Node.Entry(key: "adapter", position: at, value: Node(.scalar(adapter, isPlain: true), at: at)))
        let compiler = ServiceCompiler(catalogue: catalogue, environment: { _ in nil }, readFile: { _ in nil })
        return compiler.compile(name: adapter, node: Node(.mapping(entries), at: at), diagnostics: &diagnostics)
    }

    /// The upload of a test that says nothing about it.
    static var sampleContext: DeliveryContext {
        context(Node(.mapping([]), at: SourcePosition(file: "", line: 1, column: 1)))
    }

    /// The time of every test.
    static let sampleTime = 1_700_000_000

    static func pairs(_ node: Node?) -> [(name: String, value: String)] {
        (node?.entries ?? []).compactMap { entry in entry.value.text.map { (entry.key, $0) } }
    }

    private static func number(_ node: Node?) -> Double? { node?.text.flatMap { Double($0) } }

    /// The upload of a test.
    static func context(_ test: Node) -> DeliveryContext {
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
            uuid: test["uuid"]?.text ?? "uuid",
            now: test["now"]?.text.flatMap { Int($0) } ?? sampleTime,
            publicURL: "http://gateway.test",
            content: bytes
        )
    }
}
