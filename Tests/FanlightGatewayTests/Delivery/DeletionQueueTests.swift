// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore
import FanlightTestSupport
import Testing

@testable import FanlightGateway

@Suite("Deletions take their place at the service like deliveries")
struct DeletionQueueTests {
    private static func yaml(_ more: String) -> String {
        "a: {url: 'https://a.example/up', file: file, link: $.url, delete: {url: 'https://a.example/rm'}, \(more)}"
    }

    private static func isDeletion(_ request: HTTPRequest) -> Bool { request.method == "DELETE" }

    @Test("A deletion waits while the service has no place")
    func concurrency() async throws {
        let door = Door()
        let count = Counter()
        let bench = try Bench(yaml: Self.yaml("limits: {concurrency: 1}")) { request throws(TransportError) in
            if count.next() == 1 { await door.pass() }
            return try await Bench.delivers(request)
        }
        let first = await bench.post()
        let second = Task { await bench.post() }
        #expect(await Bench.eventually { bench.transport.requests.count == 2 })
        let early = await bench.send("DELETE", "/v1/uploads/\(first.id)", headers: [HTTPField("Prefer", "wait=0")])
        #expect(early.status == 202)
        let isQueued = await Bench.eventually {
            let services = await bench.send("GET", "/v1/services")
            return services.body["services"]?[0]?["state"]?["waiting"] == .number("1")
        }
        #expect(isQueued)
        #expect(!bench.transport.requests.contains(where: Self.isDeletion))
        door.open()
        #expect(await second.value.status == 200)
        #expect(await Bench.eventually { await bench.settled(first.id).states == ["deleted"] })
        #expect(bench.gateway.engine.gates["a"]?.snapshot.underWay == 0)
    }

    @Test("A deletion counts in the service's rate, and waits for it")
    func rate() async throws {
        let bench = try Bench(yaml: Self.yaml("limits: {rate: 2/hour}, deadline: 2s"), script: Bench.delivers)
        let first = await bench.post()
        let second = await bench.post()
        let late = await bench.send("DELETE", "/v1/uploads/\(first.id)")
        #expect(late.status == 502)
        #expect(late.body["deletions"]?[0]?["error"]?["kind"]?.string == "rate_limited")
        #expect(late.body["deletions"]?[0]?["error"]?["retryable"] == .bool(true))
        #expect(bench.transport.requests.count == 2)
        #expect(second.status == 200)
        #expect(await bench.settled(first.id).states == ["delivered"])
    }

    @Test("A deletion that uses the rate up leaves nothing for an upload")
    func rateOfUploads() async throws {
        let more = "limits: {rate: 2/hour}, deadline: 1s, retry: {attempts: 1}"
        let bench = try Bench(yaml: Self.yaml(more), script: Bench.delivers)
        let first = await bench.post()
        #expect(await bench.send("DELETE", "/v1/uploads/\(first.id)").status == 200)
        #expect(await bench.post().states == ["failed"])
        #expect(bench.transport.requests.count == 2)
    }

    @Test("Deletions that find a dead service open its circuit, and end at an open one once a probe has failed")
    func breaker() async throws {
        let more = "retry: {attempts: 1}, breaker: {failures: 2, pause: 1s}"
        let bench = try Bench(yaml: Self.yaml(more)) { request throws(TransportError) in
            guard Self.isDeletion(request) else { return try await Bench.delivers(request) }
            throw TransportError(.refused, message: "refused", requestFullySent: false)
        }
        var ids: [String] = []
        for _ in 0..<4 { ids.append(await bench.post().id) }
        for id in ids.prefix(2) {
            let answer = await bench.send("DELETE", "/v1/uploads/\(id)")
            #expect(answer.body["deletions"]?[0]?["error"]?["kind"]?.string == "network")
        }
        #expect(bench.gateway.engine.gates["a"]?.snapshot.circuit == .open)
        // The third is the probe; the fourth waits for it.
        let kinds = await withTaskGroup(of: String.self) { group in
            for id in ids.suffix(2) {
                group.addTask {
                    let answer = await bench.send("DELETE", "/v1/uploads/\(id)")
                    return answer.body["deletions"]?[0]?["error"]?["kind"]?.string ?? ""
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(kinds.sorted() == ["circuit_open", "network"])
        #expect(bench.transport.requests.count(where: Self.isDeletion) == 3)
    }

    @Test("A stop leaves a deletion that waits for its place in the journal")
    func stop() async throws {
        let door = Door()
        let count = Counter()
        let bench = try Bench(yaml: Self.yaml("limits: {concurrency: 1}")) { request throws(TransportError) in
            // The place stays taken, also when the gateway stops.
            if count.next() == 1 { await Task { await door.pass() }.value }
            return try await Bench.delivers(request)
        }
        let first = await bench.post()
        let second = Task { await bench.post() }
        #expect(await Bench.eventually { bench.transport.requests.count == 2 })
        _ = await bench.send("DELETE", "/v1/uploads/\(first.id)", headers: [HTTPField("Prefer", "wait=0")])
        bench.gateway.interrupt()
        door.open()
        _ = await second.value
        #expect(await Bench.eventually { bench.gateway.uploadsUnderWay == 0 })
        #expect(bench.journal.uploads[0].deliveries[0].deletion?.state == .pending)
        #expect(!bench.transport.requests.contains(where: Self.isDeletion))
    }
}
