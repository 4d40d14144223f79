// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore
import FanlightTestSupport
import Foundation
import Synchronization
import Testing

@testable import FanlightGateway

/// A gateway in process: scripted services, a journal in memory, no sockets, no helper processes.
final class Bench: Sendable {
    let service: any HTTPService
    let gateway: Gateway
    /// Takes other configurations.
    let running: RunningGateway
    let lines = LineCollector()
    let transport: ScriptedTransport
    let images: PassingProcessor
    let journal: MemoryJournal
    let events: EventCollector
    let observatory = Observatory(version: "test")
    private let folder = TemporaryFolder("gateway")

    /// What a test may set.
    struct Options {
        var routes: [Route] = []
        var keys: [Secret] = []
        var notify: NotifySettings?
        var journal = MemoryJournal()
        var spool: (any Spool)?
        var openRenditions = Gateway.defaultOpenRenditions
        var clock: EngineClock?
        var answerWithin: Duration = .seconds(10)
        var geotag = GeotagConfiguration()
        /// False = no file of a request is held by the test.
        var remembersRequests = true
        /// Changes what concerns those who ask.
        var callers: (inout GatewaySettings) -> Void = { _ in }
    }

    /// Makes services from YAML, one a line.
    ///
    /// - Parameter extra: Keys of every service.
    convenience init(
        _ names: [String] = ["a", "b", "c"],
        extra: String = "",
        options: Options = Options(),
        script: @escaping ScriptedTransport.Script
    ) throws {
        let lines = names.map { "\($0): {url: 'https://\($0).example/up', file: file, link: $.url\(extra)}" }
        try self.init(yaml: lines.joined(separator: "\n"), options: options, script: script)
    }

    init(yaml: String, options: Options = Options(), script: @escaping ScriptedTransport.Script) throws {
        let services = try Self.services(yaml)
        var settings = GatewaySettings()
        settings.routes = options.routes
        settings.clientKeys = options.keys.map { ClientKey(ClientKeyConfiguration(key: $0)) }
        settings.answerWithin = options.answerWithin
        settings.notify = options.notify
        settings.geotag = options.geotag
        options.callers(&settings)
        settings.heartbeat = .milliseconds(50)
        transport = ScriptedTransport(remembers: options.remembersRequests, script)
        images = PassingProcessor()
        journal = options.journal
        events = EventCollector()
        gateway = Gateway(
            settings: settings,
            services: services,
            spool: try options.spool ?? #require(DiskSpool(folder: folder.path)),
            images: images,
            transport: transport,
            journal: journal,
            pool: BlockingPool(threads: 1),
            openRenditions: options.openRenditions,
            clock: options.clock,
            log: EventLog { [lines] in lines.add($0) },
            events: GatewayEvents { [events, observatory] in
                events.add($0)
                observatory.events.tell($0)
            }
        )
        running = RunningGateway(gateway)
        service = ObservedService(observatory: observatory) { [running, observatory] in
            GatewayService(gateway: running.gateway, observatory: observatory)
        }
    }

    /// Compiles services from YAML.
    static func services(_ yaml: String) throws -> [CompiledService] {
        let read = YAMLReader.read(Array(yaml.utf8), file: "test.yaml")
        var diagnostics = read.diagnostics
        let compiler = ServiceCompiler(catalogue: .standard, environment: { _ in nil }, readFile: { _ in nil })
        let services = try #require(read.root).entries.compactMap {
            compiler.compile(name: $0.key, node: $0.value, diagnostics: &diagnostics)
        }
        #expect(diagnostics.isEmpty, "\(diagnostics)")
        return services
    }

    /// Answers with a link.
    static let delivers: ScriptedTransport.Script = { request throws(TransportError) in
        HTTPReply(status: 200, headers: [], body: Array(#"{"url":"\#(request.url)/1"}"#.utf8), finalURL: request.url)
    }

    /// An answer, with its body read.
    struct Answered: Sendable {
        var status: Int
        var body: JSONValue
        var text: String
        var headers: [HTTPField]
        var stream: AnswerStream?

        func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

        /// States of the deliveries.
        var states: [String] { (body["deliveries"]?.array ?? []).map { $0["status"]?.string ?? "" } }
        var id: String { body["id"]?.string ?? "" }
    }

    /// Sends a request of any kind.
    func send(
        _ method: String,
        _ path: String,
        query: [HTTPField] = [],
        headers: [HTTPField] = [],
        body: [UInt8] = []
    ) async -> Answered {
        let head = RequestHead(method: method, path: path, query: query, headers: headers, peer: "192.0.2.1")
        let answer: HTTPAnswer
        switch service.decide(head) {
        case .answer(let ready): answer = ready
        case .receive(let sink):
            if let early = unsafe body.withUnsafeBytes({ unsafe sink.receive($0) }) {
                answer = early
            } else {
                answer = await sink.finish()
            }
        }
        var bytes: [UInt8] = []
        if case .bytes(let whole) = answer.body { bytes = whole }
        var stream: AnswerStream?
        if case .stream(let live) = answer.body { stream = live }
        return Answered(
            status: answer.status,
            body: (try? JSONParser.parse(bytes)) ?? .null,
            text: String(decoding: bytes, as: UTF8.self),
            headers: answer.headers,
            stream: stream
        )
    }

    /// POSTs one small picture.
    func post(
        query: [HTTPField] = [],
        headers: [HTTPField] = [],
        picture: [UInt8] = SamplePicture.gif
    ) async -> Answered {
        await send(
            "POST",
            "/v1/uploads",
            query: query,
            headers: headers + [HTTPField("Content-Type", "image/gif")],
            body: picture
        )
    }

    /// The report of an upload, asked for again until nothing is pending, five seconds at most.
    func settled(_ id: String) async -> Answered {
        var answer = await send("GET", "/v1/uploads/" + id)
        for _ in 0..<500 where answer.body["status"]?.string == "pending" {
            try? await Task.sleep(for: .milliseconds(10))
            answer = await send("GET", "/v1/uploads/" + id)
        }
        return answer
    }

    /// Waits until a condition holds, five seconds at most.
    static func eventually(_ condition: @Sendable () async -> Bool) async -> Bool {
        for _ in 0..<1_000 {
            if await condition() { return true }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return false
    }

    /// Requests that went to a service.
    func requests(to name: String) -> Int { transport.requests.count { $0.url.contains("//\(name).") } }
}

/// Remembers log lines.
final class LineCollector: Sendable {
    private let all = Mutex<[JSONValue]>([])

    func add(_ line: JSONValue) { all.withLock { $0.append(line) } }

    var list: [JSONValue] { all.withLock { $0 } }
}

/// Remembers what happened.
final class EventCollector: Sendable {
    private let all = Mutex<[GatewayEvent]>([])

    func add(_ event: GatewayEvent) { all.withLock { $0.append(event) } }

    var list: [GatewayEvent] { all.withLock { $0 } }
}

/// A door that stays shut until a test opens it.
final class Door: Sendable {
    private let isOpen = Atomic(false)

    func open() { isOpen.store(true, ordering: .relaxed) }

    func pass() async {
        while !isOpen.load(ordering: .relaxed), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(2)) }
    }
}

/// A name in a URL's host.
func host(_ request: HTTPRequest, is name: String) -> Bool { request.url.contains("//\(name).") }
