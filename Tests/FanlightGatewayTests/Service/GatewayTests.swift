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
    @Test("Services are told the place as the operator wants it; the report has it whole")
    func places() async throws {
        let rows: [(GeotagConfiguration, String?, [String])] = [
            (GeotagConfiguration(), "51.5072222", []), (GeotagConfiguration(precision: 2), "51.51", []),
            (GeotagConfiguration(isForwarded: false), nil, ["geotag_not_forwarded"]),
        ]
        for (geotag, told, warnings) in rows {
            let bench = try Bench(
                extra: ", fields: {lat: '${lat}'}",
                options: .init(geotag: geotag),
                script: Bench.delivers
            )
            let place = [HTTPField("latitude", "51.50722222"), HTTPField("longitude", "-0.1275")]
            let answer = await bench.post(query: place)
            #expect(answer.status == 200)
            #expect(answer.body["geotag"]?["latitude"] == .number("51.5072222"))
            guard case .array(let found)? = answer.body["warnings"] else { return }
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
        let bench = try Bench(script: Bench.delivers)
        let answer = await bench.post()
        #expect(answer.status == 200)
        #expect(answer.states == ["delivered", "delivered", "delivered"])
        #expect(bench.images.constraints.count == 1)
        #expect(bench.transport.requests.count == 3)
    }

    @Test("Services are taken by name, in configured order")
    func named() async throws {
        let bench = try Bench(script: Bench.delivers)
        let answer = await bench.post(query: [HTTPField("services", "c,a")])
        #expect(answer.status == 200)
        guard case .object(let links)? = answer.body["links"] else { return }
        #expect(links.map(\.name) == ["a", "c"])
    }

    @Test("first: a fallback in order, the rest is skipped")
    func first() async throws {
        let route = Route(name: "default", services: ["b", "a", "c"], policy: .first)
        let bench = try Bench(options: .init(routes: [route])) { request throws(TransportError) in
            if request.url.contains("b.example") {
                return HTTPReply(status: 403, headers: [], body: [], finalURL: request.url)
            }
            return try await Bench.delivers(request)
        }
        let answer = await bench.post()
        #expect(answer.states == ["failed", "delivered", "skipped"])
        #expect(answer.status == 207)
        #expect(bench.transport.requests.count == 2)
    }

    @Test("any: the first delivery answers, the others go on")
    func any() async throws {
        let route = Route(name: "default", services: ["a", "b"], policy: .any)
        let bench = try Bench(options: .init(routes: [route])) { request throws(TransportError) in
            if request.url.contains("b.example") { try? await Task.sleep(for: .milliseconds(400)) }
            return try await Bench.delivers(request)
        }
        let answer = await bench.post()
        #expect(answer.status == 202)
        #expect(answer.states == ["delivered", "pending"])
        #expect(answer.header("Location") == "/v1/uploads/" + answer.id)
        let later = await bench.settled(answer.id)
        #expect(later.status == 200)
        #expect(later.states == ["delivered", "delivered"])
    }

    @Test("A retryable refusal is repeated, an unknown outcome never is")
    func repeated() async throws {
        let count = Counter()
        let bench = try Bench { request throws(TransportError) in
            if request.url.contains("a.example"), count.next() < 2 {
                return HTTPReply(status: 503, headers: [HTTPField("Retry-After", "0")], body: [], finalURL: request.url)
            }
            if request.url.contains("b.example") {
                throw TransportError(.connectionLost, message: "lost", requestFullySent: true)
            }
            return try await Bench.delivers(request)
        }
        let answer = await bench.post()
        #expect(answer.status == 207)
        #expect(answer.states == ["delivered", "unknown", "delivered"])
        #expect(bench.transport.requests.filter { $0.url.contains("a.example") }.count == 3)
        #expect(bench.transport.requests.filter { $0.url.contains("b.example") }.count == 1)
    }

    @Test("respond-async answers before any service has")
    func asynchronous() async throws {
        let bench = try Bench { request throws(TransportError) in
            try? await Task.sleep(for: .milliseconds(200))
            return try await Bench.delivers(request)
        }
        let answer = await bench.post(headers: [HTTPField("Prefer", "respond-async")])
        #expect(answer.status == 202)
        #expect(answer.body["status"] == .string("pending"))
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
        let bench = try Bench(options: .init(keys: [Secret("secret-key"), Secret("other")]), script: Bench.delivers)
        let headers = authorization.map { [HTTPField("Authorization", $0)] } ?? []
        let head = RequestHead(method: "GET", path: "/v1/services", headers: headers)
        guard case .answer(let answer) = bench.service.decide(head) else { return }
        #expect(answer.status == status)
    }

    @Test("A declared length over the limit is refused before the body")
    func tooLarge() throws {
        let bench = try Bench(script: Bench.delivers)
        let head = RequestHead(method: "POST", path: "/v1/uploads", contentLength: 33_554_433)
        guard case .answer(let answer) = bench.service.decide(head) else {
            Issue.record("the body was asked for")
            return
        }
        #expect(answer.status == 413)
    }
}
