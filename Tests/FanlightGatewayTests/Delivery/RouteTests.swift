// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore
import FanlightTestSupport
import Testing

@testable import FanlightGateway

@Suite("Routes, optional and shadow services, duplicates")
struct RouteTests {
    private static let failsAtB: ScriptedTransport.Script = { request throws(TransportError) in
        if host(request, is: "b") { return HTTPReply(status: 403, headers: [], body: [], finalURL: request.url) }
        return try await Bench.delivers(request)
    }

    @Test("The failure of an optional service does not make an upload partial", arguments: [true, false])
    func optional(inRoute: Bool) async throws {
        let route = Route(name: "default", services: ["a", "b"], roles: inRoute ? ["b": .optional] : [:])
        let yaml = """
            a: {url: 'https://a.example/up', file: file, link: $.url}
            b: {url: 'https://b.example/up', file: file, link: $.url\(inRoute ? "" : ", optional: true")}
            """
        let bench = try Bench(yaml: yaml, options: .init(routes: [route]), script: Self.failsAtB)
        let answer = await bench.post()
        #expect(answer.status == 200)
        #expect(answer.states == ["delivered", "failed"])
    }

    @Test("A shadow service is measured and never in the answer, and nobody waits for it")
    func shadow() async throws {
        let door = Door()
        let yaml = """
            a: {url: 'https://a.example/up', file: file, link: $.url}
            s: {url: 'https://s.example/up', file: file, link: $.url, shadow: true}
            """
        let bench = try Bench(yaml: yaml) { request throws(TransportError) in
            if host(request, is: "s") { await door.pass() }
            return try await Bench.delivers(request)
        }
        let answer = await bench.post()
        #expect(answer.status == 200)
        #expect(answer.body["deliveries"]?.array?.count == 1)
        #expect(!answer.text.contains("s.example"))
        door.open()
        #expect(
            await Bench.eventually {
                bench.events.list.contains { event in
                    if case .delivery("s", .shadow, .delivered, _, _, _) = event { true } else { false }
                }
            }
        )
        #expect(bench.requests(to: "s") == 1)
        #expect(await bench.post(query: [HTTPField("services", "s")]).status == 422)
    }

    @Test("quorum: answered when so many have delivered")
    func quorum() async throws {
        let door = Door()
        let route = Route(name: "two", services: ["a", "b", "c"], policy: .quorum(2))
        let bench = try Bench(options: .init(routes: [route])) { request throws(TransportError) in
            if host(request, is: "c") { await door.pass() }
            return try await Bench.delivers(request)
        }
        let answer = await bench.post(query: [HTTPField("services", "two")])
        #expect(answer.status == 202)
        #expect(answer.states == ["delivered", "delivered", "pending"])
        door.open()
        #expect(await bench.settled(answer.id).status == 200)
    }

    @Test("A fallback route passes over a service whose circuit is open at once")
    func fallbackPastOpenCircuit() async throws {
        let route = Route(name: "default", services: ["a", "b"], policy: .first)
        let extra = ", retry: {attempts: 1}, breaker: {failures: 1, when_open: wait}"
        let bench = try Bench(["a", "b"], extra: extra, options: .init(routes: [route])) {
            request throws(TransportError) in
            if host(request, is: "a") { throw TransportError(.refused, message: "no", requestFullySent: false) }
            return try await Bench.delivers(request)
        }
        #expect(await bench.post().states == ["failed", "delivered"])
        let second = await bench.post()
        #expect(second.states == ["failed", "delivered"])
        #expect(second.body["deliveries"]?[0]?["error"]?["kind"]?.string == "circuit_open")
        #expect(bench.requests(to: "a") == 1)
    }

    @Test("A retried fallback begins again with what failed")
    func fallbackRetry() async throws {
        let count = Counter()
        let route = Route(name: "default", services: ["a", "b"], policy: .first)
        let bench = try Bench(["a", "b"], options: .init(routes: [route])) { request throws(TransportError) in
            if count.next() < 2 { return HTTPReply(status: 403, headers: [], body: [], finalURL: request.url) }
            return try await Bench.delivers(request)
        }
        let first = await bench.post()
        #expect(first.states == ["failed", "failed"])
        let again = await bench.send("POST", "/v1/uploads/\(first.id)/retry")
        #expect(again.states == ["delivered", "skipped"])
    }

    @Test("duplicates: reuse gives the link again for the same picture and caption, and sends anything else")
    func duplicates() async throws {
        let bench = try Bench(["a", "b"], extra: ", duplicates: reuse", script: Bench.delivers)
        let title = [HTTPField("title", "one")]
        let first = await bench.post(query: title)
        let second = await bench.post(query: title)
        #expect(second.status == 200)
        #expect(second.body["links"] == first.body["links"])
        #expect(second.body["deliveries"]?[0]?["attempts"] == .number("0"))
        #expect(bench.transport.requests.count == 2)
        _ = await bench.post(query: [HTTPField("title", "two")])
        _ = await bench.post(query: title + [HTTPField("latitude", "1"), HTTPField("longitude", "2")])
        var other = SamplePicture.gif
        other[13] = 9
        _ = await bench.post(query: title, picture: other)
        #expect(bench.transport.requests.count == 8)
    }

    @Test("Without reuse the same picture is sent again")
    func send() async throws {
        let bench = try Bench(["a"], script: Bench.delivers)
        _ = await bench.post()
        _ = await bench.post()
        #expect(bench.transport.requests.count == 2)
    }
}
