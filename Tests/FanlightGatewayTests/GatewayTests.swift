// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore
import FanlightTestSupport
import Foundation
import Testing

@testable import FanlightGateway

/// The gateway in process: scripted services, no sockets, no helper processes.
@Suite("The gateway in process")
struct GatewayTests {
    private struct Bench {
        var service: GatewayService
        var transport: ScriptedTransport
        var images: PassingProcessor
    }

    /// Services a, b, c at hosts of the same names; `yaml` adds routes.
    private func bench(
        routes: [Route] = [],
        keys: [Secret] = [],
        extra: String = "",
        geotag: GeotagConfiguration = GeotagConfiguration(),
        script: @escaping ScriptedTransport.Script
    ) throws -> Bench {
        let yaml = ["a", "b", "c"].map { "\($0): {url: 'https://\($0).example/up', file: file, link: $.url\(extra)}" }
        let read = YAMLReader.read(Array(yaml.joined(separator: "\n").utf8), file: "test.yaml")
        var diagnostics = read.diagnostics
        let compiler = ServiceCompiler(catalogue: .standard, environment: { _ in nil }, readFile: { _ in nil })
        let services = try #require(read.root).entries.compactMap {
            compiler.compile(name: $0.key, node: $0.value, diagnostics: &diagnostics)
        }
        #expect(diagnostics.isEmpty && services.count == 3, "\(diagnostics)")
        let folder = NSTemporaryDirectory() + "fanlight-gateway-" + UUID().uuidString
        var settings = GatewaySettings()
        settings.routes = routes
        settings.clientKeys = keys
        settings.geotag = geotag
        settings.answerWithin = .seconds(10)
        let transport = ScriptedTransport(script)
        let images = PassingProcessor()
        let gateway = Gateway(
            settings: settings,
            services: services,
            spool: try #require(DiskSpool(folder: folder)),
            images: images,
            transport: transport,
            pool: BlockingPool(threads: 1)
        )
        return Bench(service: GatewayService(gateway: gateway), transport: transport, images: images)
    }

    private static let delivers: ScriptedTransport.Script = { request throws(TransportError) in
        HTTPReply(status: 200, headers: [], body: Array(#"{"url":"\#(request.url)/1"}"#.utf8), finalURL: request.url)
    }

    private func post(
        _ bench: Bench,
        query: [HTTPField] = [],
        headers: [HTTPField] = []
    ) async throws -> (Int, JSONValue, HTTPAnswer) {
        let head = RequestHead(
            method: "POST",
            path: "/v1/uploads",
            query: query,
            headers: headers + [HTTPField("Content-Type", "image/gif")]
        )
        guard case .receive(let sink) = bench.service.decide(head) else {
            Issue.record("the head was refused")
            return (0, .null, HTTPAnswer(status: 0))
        }
        #expect(unsafe SamplePicture.gif.withUnsafeBytes { unsafe sink.receive($0) } == nil)
        let answer = await sink.finish()
        guard case .bytes(let bytes) = answer.body else { return (answer.status, .null, answer) }
        return (answer.status, (try? JSONParser.parse(bytes)) ?? .null, answer)
    }

    private func states(_ report: JSONValue) -> [String] {
        guard case .array(let deliveries)? = report["deliveries"] else { return [] }
        return deliveries.map { $0["status"]?.string ?? "" }
    }

    @Test("Services are told the place as the operator wants it; the report has it whole")
    func places() async throws {
        let rows: [(GeotagConfiguration, String?, [String])] = [
            (GeotagConfiguration(), "51.5072222", []), (GeotagConfiguration(precision: 2), "51.51", []),
            (GeotagConfiguration(isForwarded: false), nil, ["geotag_not_forwarded"]),
        ]
        for (geotag, told, warnings) in rows {
            let bench = try bench(extra: ", fields: {lat: '${lat}'}", geotag: geotag, script: Self.delivers)
            let place = [HTTPField("latitude", "51.50722222"), HTTPField("longitude", "-0.1275")]
            let (status, report, _) = try await post(bench, query: place)
            #expect(status == 200)
            #expect(report["geotag"]?["latitude"] == .number("51.5072222"))
            guard case .array(let found)? = report["warnings"] else { return }
            #expect(found.map { $0["code"]?.string } == warnings)
            for request in bench.transport.requests {
                guard case .multipart(let parts) = request.body else { continue }
                let texts = parts.compactMap { part -> String? in
                    if part.name == "lat", case .text(let text) = part.content { return text }
                    return nil
                }
                #expect(texts.first == told || texts.first == (told ?? ""))
            }
        }
    }

    @Test("Equal constraints share one rendition")
    func shared() async throws {
        let bench = try bench(script: Self.delivers)
        let (status, report, _) = try await post(bench)
        #expect(status == 200)
        #expect(states(report) == ["delivered", "delivered", "delivered"])
        #expect(bench.images.constraints.count == 1)
        #expect(bench.transport.requests.count == 3)
    }

    @Test("Services are taken by name, in configured order")
    func named() async throws {
        let bench = try bench(script: Self.delivers)
        let (status, report, _) = try await post(bench, query: [HTTPField("services", "c,a")])
        #expect(status == 200)
        guard case .object(let links)? = report["links"] else { return }
        #expect(links.map(\.name) == ["a", "c"])
    }

    @Test("first: a fallback in order, the rest is skipped")
    func first() async throws {
        let route = Route(name: "default", services: ["b", "a", "c"], policy: .first)
        let bench = try bench(routes: [route]) { request throws(TransportError) in
            if request.url.contains("b.example") {
                return HTTPReply(status: 403, headers: [], body: [], finalURL: request.url)
            }
            return try await Self.delivers(request)
        }
        let (status, report, _) = try await post(bench)
        #expect(states(report) == ["failed", "delivered", "skipped"])
        #expect(status == 207)
        #expect(bench.transport.requests.count == 2)
    }

    @Test("any: the first delivery answers, the others go on")
    func any() async throws {
        let route = Route(name: "default", services: ["a", "b"], policy: .any)
        let bench = try bench(routes: [route]) { request throws(TransportError) in
            if request.url.contains("b.example") { try? await Task.sleep(for: .milliseconds(400)) }
            return try await Self.delivers(request)
        }
        let (status, report, answer) = try await post(bench)
        #expect(status == 202)
        #expect(states(report) == ["delivered", "pending"])
        let location = try #require(answer.headers.first { $0.name == "Location" }?.value)
        try await Task.sleep(for: .milliseconds(800))
        guard case .answer(let later) = bench.service.decide(RequestHead(method: "GET", path: location)),
            case .bytes(let bytes) = later.body
        else { return }
        #expect(later.status == 200)
        #expect(states(try JSONParser.parse(bytes)) == ["delivered", "delivered"])
    }

    @Test("A retryable refusal is repeated, an unknown outcome never is")
    func repeated() async throws {
        let count = Counter()
        let bench = try bench { request throws(TransportError) in
            if request.url.contains("a.example"), count.next() < 2 {
                return HTTPReply(status: 503, headers: [HTTPField("Retry-After", "0")], body: [], finalURL: request.url)
            }
            if request.url.contains("b.example") {
                throw TransportError(.connectionLost, message: "lost", requestFullySent: true)
            }
            return try await Self.delivers(request)
        }
        let (status, report, _) = try await post(bench)
        #expect(status == 207)
        #expect(states(report) == ["delivered", "unknown", "delivered"])
        #expect(bench.transport.requests.filter { $0.url.contains("a.example") }.count == 3)
        #expect(bench.transport.requests.filter { $0.url.contains("b.example") }.count == 1)
    }

    @Test("respond-async answers before any service has")
    func asynchronous() async throws {
        let bench = try bench { request throws(TransportError) in
            try? await Task.sleep(for: .milliseconds(200))
            return try await Self.delivers(request)
        }
        let (status, report, _) = try await post(bench, headers: [HTTPField("Prefer", "respond-async")])
        #expect(status == 202)
        #expect(report["status"] == .string("pending"))
    }

    @Test(
        "With client keys only their owners get in",
        arguments: [
            (nil, 401), ("Bearer wrong", 401), ("Bearer secret-ke", 401), ("Bearer secret-keys", 401),
            ("Basic secret-key", 401),
            ("bearer secret-key", 200), ("Bearer other", 200),
        ] as [(String?, Int)]
    )
    func clientKeys(authorization: String?, status: Int) throws {
        let bench = try bench(keys: [Secret("secret-key"), Secret("other")], script: Self.delivers)
        let headers = authorization.map { [HTTPField("Authorization", $0)] } ?? []
        let head = RequestHead(method: "GET", path: "/v1/services", headers: headers)
        guard case .answer(let answer) = bench.service.decide(head) else { return }
        #expect(answer.status == status)
    }

    @Test("A declared length over the limit is refused before the body")
    func tooLarge() throws {
        let bench = try bench(script: Self.delivers)
        let head = RequestHead(method: "POST", path: "/v1/uploads", contentLength: 33_554_433)
        guard case .answer(let answer) = bench.service.decide(head) else {
            Issue.record("the body was asked for")
            return
        }
        #expect(answer.status == 413)
    }
}
