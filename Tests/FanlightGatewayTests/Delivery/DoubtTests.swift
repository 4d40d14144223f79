// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore
import FanlightTestSupport
import Foundation
import Synchronization
import Testing

@testable import FanlightGateway

/// What may have arrived is never told as failed, also where the service may get the request again.
@Suite("Lost answers of idempotent services")
struct DoubtTests {
    private let folder = TemporaryFolder("doubt")
    private static let extra = ", idempotent: true, retry: {attempts: 2}"
    private static let later = [HTTPField("Prefer", "respond-async")]
    private static let force = [HTTPField("force", "unknown")]

    /// The service has the picture, and its answer is lost.
    private static let lost = TransportError(.connectionLost, message: "The answer was lost.", requestFullySent: true)
    private static let unsent = TransportError(.refused, message: "Nobody listens.", requestFullySent: false)

    private static func reply(_ status: Int, _ request: HTTPRequest, _ headers: [HTTPField] = []) -> HTTPReply {
        HTTPReply(status: status, headers: headers, body: [], finalURL: request.url)
    }

    private func error(_ answer: Bench.Answered, _ place: Int = 0) -> JSONValue? {
        answer.body["deliveries"]?[place]?["error"] ?? nil
    }

    @Test("Attempts used up: unknown, and repeated only by force")
    func attemptsUsedUp() async throws {
        let bench = try Bench(["a"], extra: Self.extra) { _ throws(TransportError) in throw Self.lost }
        let answer = await bench.post()
        #expect(answer.states == ["unknown"] && answer.status == 502)
        #expect(bench.transport.requests.count == 2)
        #expect(error(answer)?["kind"] == "network" && error(answer)?["retryable"] == .bool(false))
        #expect(await bench.send("POST", "/v1/uploads/\(answer.id)/retry").status == 409)
    }

    @Test("A deletion tells that the picture may be there")
    func deletion() async throws {
        let bench = try Bench(["a", "b"]) { request throws(TransportError) in
            if host(request, is: "a") { throw Self.lost }
            return Self.reply(403, request)
        }
        let answer = await bench.post()
        #expect(answer.states == ["unknown", "failed"])
        let deletion = await bench.send("DELETE", "/v1/uploads/\(answer.id)")
        #expect(deletion.status == 502 && deletion.body["status"] == "failed")
        let outcomes = deletion.body["deletions"]
        #expect(outcomes?[0]?["status"] == "unsupported" && outcomes?[1]?["status"] == "not_delivered")
        #expect(outcomes?[0]?["error"]?["kind"] == "network" && outcomes?[1]?["error"] == .null)
    }

    @Test("A retry by force keeps the doubt of what was before it", arguments: ["", ", idempotent: true"])
    func retried(declared: String) async throws {
        let count = Counter()
        let bench = try Bench(["a"], extra: declared + ", retry: {attempts: 1}") { request throws(TransportError) in
            switch count.next() {
            case 0: throw Self.lost
            case 1: return Self.reply(403, request)
            default: return try await Bench.delivers(request)
            }
        }
        let path = "/v1/uploads/\(await bench.post().id)/retry"
        let refused = await bench.send("POST", path, query: Self.force)
        #expect(refused.states == ["unknown"])
        #expect(error(refused)?["kind"] == "auth" && error(refused)?["http_status"] == .number("403"))
        #expect(error(refused)?["message"]?.string?.contains("may have arrived") == true)
        #expect(await bench.send("POST", path).status == 409)
        #expect(await bench.send("POST", path, query: Self.force).states == ["delivered"])
    }

    @Test("What comes after the lost answer says nothing of it", arguments: [401, 409, 413, 429, 500, 503, 0])
    func laterRefusal(status: Int) async throws {
        let count = Counter()
        let bench = try Bench(["a"], extra: Self.extra) { request throws(TransportError) in
            if count.next() == 0 { throw Self.lost }
            if status == 0 { throw Self.unsent }
            return Self.reply(status, request, [HTTPField("Retry-After", "0")])
        }
        let answer = await bench.post()
        #expect(answer.states == ["unknown"])
        let kinds = [401: "auth", 409: "duplicate", 413: "too_large", 429: "rate_limited", 0: "network"]
        #expect(error(answer)?["kind"]?.string == kinds[status] ?? "unavailable")
        #expect(error(answer)?["message"]?.string?.contains("may have arrived") == true)
    }

    @Test("Without a lost answer a refusal is a failure", arguments: [401, 409, 429, 500, 503])
    func plainRefusal(status: Int) async throws {
        let bench = try Bench(["a"], extra: Self.extra) { request throws(TransportError) in
            Self.reply(status, request, [HTTPField("Retry-After", "0")])
        }
        #expect(await bench.post().states == ["failed"])
    }

    @Test("A proxy that lost the service's answer leaves the same doubt", arguments: [502, 504, 520, 524])
    func proxy(status: Int) async throws {
        let bench = try Bench(["a"], extra: Self.extra) { request throws(TransportError) in
            Self.reply(status, request)
        }
        #expect(await bench.post().states == ["unknown"])
    }

    @Test("A known duplicate is delivered on the repetition, as ever")
    func recovered() async throws {
        let count = Counter()
        let extra = Self.extra + ", recover: [{when: status == 409, link: $.url}]"
        let bench = try Bench(["a"], extra: extra) { request throws(TransportError) in
            if count.next() == 0 { throw Self.lost }
            let body = #"{"url":"https://h/there"}"#
            return HTTPReply(status: 409, headers: [], body: Array(body.utf8), finalURL: request.url)
        }
        let answer = await bench.post()
        #expect(answer.states == ["delivered"])
        #expect(answer.body["links"]?["a"] == "https://h/there")
    }

    @Test("No place for the repetition: an open circuit, a rate that is used up, the deadline")
    func noPlace() async throws {
        let rows = [
            (", idempotent: true, retry: {attempts: 3}, limits: {rate: 1/hour}, deadline: 5s", "rate_limited"),
            (", idempotent: true, retry: {attempts: 9}, deadline: 1s", "network"),
            (", idempotent: true, breaker: {failures: 1, pause: 1m}, deadline: 5s", "circuit_open"),
        ]
        for (extra, kind) in rows {
            let bench = try Bench(["a"], extra: extra) { _ throws(TransportError) in throw Self.lost }
            let answer = await bench.post()
            #expect(answer.states == ["unknown"])
            #expect(error(answer)?["kind"]?.string == kind)
        }
    }

    @Test("A fallback goes on after a lost answer alike, and skips nothing that may have arrived")
    func fallback() async throws {
        let route = Route(name: "default", services: ["a", "b"], policy: .first)
        for declared in ["", ", idempotent: true"] {
            let extra = declared + ", retry: {attempts: 1}"
            let aIsWell = Mutex(false)
            let bench = try Bench(["a", "b"], extra: extra, options: .init(routes: [route])) {
                request throws(TransportError) in
                if host(request, is: "a"), aIsWell.withLock({ $0 }) { return try await Bench.delivers(request) }
                throw Self.lost
            }
            let answer = await bench.post()
            #expect(answer.states == ["unknown", "unknown"], "\(declared)")
            aIsWell.withLock { $0 = true }
            let again = await bench.send("POST", "/v1/uploads/\(answer.id)/retry", query: Self.force)
            #expect(again.states == ["delivered", "unknown"], "\(declared)")
            #expect(bench.requests(to: "b") == 1)
        }
    }

    @Test("quorum and any: an unknown delivery is none")
    func quorum() async throws {
        for policy in [RoutePolicy.quorum(2), .any] {
            let route = Route(name: "default", services: ["a", "b"], policy: policy)
            let bench = try Bench(["a", "b"], extra: Self.extra, options: .init(routes: [route])) {
                request throws(TransportError) in
                if host(request, is: "b") { return try await Bench.delivers(request) }
                throw Self.lost
            }
            let answer = await bench.post()
            let report = await bench.settled(answer.id)
            #expect(report.states == ["unknown", "delivered"] && report.status == 207)
        }
    }

    @Test("reuse: the next one of equal deliveries is sent after a lost answer, the lost one stays unknown")
    func reuse() async throws {
        let door = Door()
        let count = Counter()
        let extra = ", idempotent: true, duplicates: reuse, retry: {attempts: 1}"
        let bench = try Bench(["a"], extra: extra) { request throws(TransportError) in
            let number = count.next()
            await door.pass()
            if number == 0 { throw Self.lost }
            return try await Bench.delivers(request)
        }
        let answers = await withTaskGroup(of: Bench.Answered.self) { group in
            for _ in 0..<3 { group.addTask { await bench.post() } }
            #expect(await Bench.eventually { bench.gateway.uploadsUnderWay == 3 })
            door.open()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.flatMap(\.states).sorted() == ["delivered", "delivered", "unknown"])
        #expect(bench.transport.requests.count == 2)
    }

    @Test("The webhook, the log and the metrics tell what the report tells")
    func told() async throws {
        let bodies = Mutex<[JSONValue]>([])
        var options = Bench.Options()
        options.notify = NotifySettings(url: "https://hook.example/", secret: Secret("s"))
        let bench = try Bench(["a"], extra: Self.extra, options: options) { request throws(TransportError) in
            guard host(request, is: "hook") else { throw Self.lost }
            if case .bytes(let bytes) = request.body, let value = try? JSONParser.parse(bytes) {
                bodies.withLock { $0.append(value) }
            }
            return Self.reply(204, request)
        }
        await bench.gateway.start()
        #expect(await bench.post().states == ["unknown"])
        #expect(await Bench.eventually { bodies.withLock { !$0.isEmpty } })
        #expect(bodies.withLock { $0.first?.serialized().contains(#""status":"unknown""#) } == true)
        #expect(
            bench.events.list.contains { event in
                if case .delivery("a", _, .unknown, .network, 2, _) = event { true } else { false }
            }
        )
        let metrics = await bench.send("GET", "/metrics").text
        #expect(metrics.contains(#"fanlight_deliveries_total{service="a",outcome="unknown"} 1"#))
        bench.gateway.interrupt()
    }

    // MARK: Kill and restart

    private func restarted(
        _ first: Bench,
        _ spool: any Spool,
        _ names: [String],
        _ extra: String,
        script: @escaping ScriptedTransport.Script
    ) async throws -> Bench {
        let next = try Bench(names, extra: extra, options: .init(journal: first.journal, spool: spool), script: script)
        await next.gateway.start()
        return next
    }

    @Test("The doubt is on disk before the end of the request leaves, and a refused note holds the request back")
    func notedFirst() async throws {
        let journal = MemoryJournal()
        let seen = Mutex<[Bool]>([])
        let bench = try Bench(["a"], extra: Self.extra, options: .init(journal: journal)) {
            request throws(TransportError) in
            seen.withLock { $0.append(journal.uploads.last?.deliveries[0].isInDoubt ?? false) }
            return try await Bench.delivers(request)
        }
        #expect(await bench.post().states == ["delivered"])
        #expect(journal.uploads.last?.deliveries[0].isInDoubt == false)
        journal.failNotes(1)
        let second = await bench.post()
        #expect(second.states == ["delivered"])
        #expect(second.body["deliveries"]?[0]?["attempts"] == .number("2"))
        #expect(seen.withLock { $0 } == [true, true])
    }

    @Test("Killed after the request: a repetition that fails is unknown, and so is a service that is gone")
    func killed() async throws {
        let spool = try #require(DiskSpool(folder: folder.path))
        let first = try Bench(["a", "b", "c"], extra: Self.extra, options: .init(spool: spool)) {
            request throws(TransportError) in
            // c's body has not left when the kill comes.
            if host(request, is: "c") { throw Self.unsent }
            try? await Task.sleep(for: .seconds(600))
            throw Self.lost
        }
        let id = await first.post(headers: Self.later).id
        #expect(
            await Bench.eventually { first.journal.uploads[0].deliveries.prefix(2).allSatisfy(\.isInDoubt) }
        )
        let second = try await restarted(first, spool, ["a", "c"], Self.extra) { request throws(TransportError) in
            Self.reply(403, request)
        }
        let report = await second.settled(id)
        #expect(report.states == ["unknown", "unknown", "failed"])
        #expect(error(report)?["kind"] == "auth" && error(report, 1)?["kind"] == "rejected")
        let words = error(report, 1)?["message"]?.string ?? ""
        #expect(words.contains("force=unknown") && !words.contains("Retry"), "a plain retry does not send it")
        first.gateway.interrupt()
    }

    @Test("Stopped while it waits after a lost answer: the doubt is there after the start")
    func stoppedInBackOff() async throws {
        let spool = try #require(DiskSpool(folder: folder.path))
        let count = Counter()
        let extra = ", idempotent: true, retry: {attempts: 5}"
        let first = try Bench(["a"], extra: extra, options: .init(spool: spool)) { request throws(TransportError) in
            // The answer after the lost one is a refusal, which does not take the doubt away.
            if count.next() == 0 { throw Self.lost }
            return Self.reply(503, request, [HTTPField("Retry-After", "2")])
        }
        let id = await first.post(headers: Self.later).id
        #expect(
            await Bench.eventually {
                first.transport.requests.count == 2 && first.journal.uploads[0].deliveries[0].notBefore != nil
            }
        )
        first.gateway.interrupt()
        #expect(await Bench.eventually { first.gateway.uploadsUnderWay == 0 })
        let delivery = first.journal.uploads[0].deliveries[0]
        #expect(delivery.status == .pending && delivery.isInDoubt && delivery.phase == .waiting)
        let second = try await restarted(first, spool, ["a"], extra) { request throws(TransportError) in
            Self.reply(403, request)
        }
        #expect(await second.settled(id).states == ["unknown"])
    }

    @Test("A refusal that was seen leaves no doubt, also after a restart")
    func certain() async throws {
        let spool = try #require(DiskSpool(folder: folder.path))
        let first = try Bench(["a"], extra: Self.extra, options: .init(spool: spool)) {
            request throws(TransportError) in
            Self.reply(503, request, [HTTPField("Retry-After", "1")])
        }
        let id = await first.post(headers: Self.later).id
        #expect(await Bench.eventually { first.journal.uploads[0].deliveries[0].notBefore != nil })
        first.gateway.interrupt()
        #expect(await Bench.eventually { first.gateway.uploadsUnderWay == 0 })
        let second = try await restarted(first, spool, ["a"], Self.extra) { request throws(TransportError) in
            Self.reply(403, request)
        }
        #expect(await second.settled(id).states == ["failed"])
    }
}
