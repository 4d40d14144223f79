// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore
import FanlightTestSupport
import Synchronization
import Testing

@testable import FanlightGateway

@Suite("Callers")
struct CallerTests {
    private static func key(_ change: (inout ClientKeyConfiguration) -> Void) -> ClientKey {
        var configuration = ClientKeyConfiguration()
        configuration.sha256 = ClientKey.digest(of: "secret-key")
        change(&configuration)
        return ClientKey(configuration)
    }

    private static let bearer = [HTTPField("Authorization", "Bearer secret-key")]

    @Test("A key is known by its hash; a wrong one is refused")
    func hash() async throws {
        let bench = try Bench(options: .init(callers: { $0.clientKeys = [Self.key { _ in }] }), script: Bench.delivers)
        #expect(await bench.post(headers: Self.bearer).status == 200)
        let hash = [HTTPField("Authorization", "Bearer " + ClientKey.digest(of: "secret-key"))]
        #expect(await bench.post(headers: hash).status == 401)
    }

    @Test("A key uses the services that it may, and sees no others")
    func services() async throws {
        let key = Self.key { $0.services = ["a", "b"] }
        let bench = try Bench(options: .init(callers: { $0.clientKeys = [key] }), script: Bench.delivers)
        let usual = await bench.post(headers: Self.bearer)
        #expect(usual.states.count == 2)
        #expect(bench.requests(to: "c") == 0)
        let refused = await bench.post(query: [HTTPField("services", "a,c")], headers: Self.bearer)
        #expect(refused.status == 403)
        #expect(refused.body["code"] == .string("service_not_allowed"))
        #expect(refused.body["detail"]?.string?.contains("\"c\"") == true)
        let list = await bench.send("GET", "/v1/services", headers: Self.bearer)
        #expect(list.body["services"]?.array?.count == 2)
    }

    @Test("A key that was narrowed repeats nothing at the services that it lost")
    func narrowedRetry() async throws {
        let isDown = Atomic(true)
        let yaml = ["a", "b"].map {
            "\($0): {url: 'https://\($0).example/up', file: file, link: $.url, retry: {attempts: 1}}"
        }
        let bench = try Bench(
            yaml: yaml.joined(separator: "\n"),
            options: .init(callers: { $0.clientKeys = [Self.key { _ in }] })
        ) { request throws(TransportError) in
            if isDown.load(ordering: .relaxed) {
                throw TransportError(.refused, message: "no", requestFullySent: false)
            }
            return try await Bench.delivers(request)
        }
        let failed = await bench.post(headers: Self.bearer)
        let id = try #require(failed.body["id"]?.string)
        isDown.store(false, ordering: .relaxed)
        var settings = GatewaySettings()
        settings.clientKeys = [Self.key { $0.services = ["a"] }]
        bench.running.change(to: settings, services: try Bench.services(yaml.joined(separator: "\n")), unchanged: [])
        let path = "/v1/uploads/\(id)/retry"
        let refused = await bench.send("POST", path, query: [HTTPField("services", "a,b")], headers: Self.bearer)
        #expect(refused.status == 403)
        #expect(refused.body["code"] == .string("service_not_allowed"))
        let narrowed = await bench.send("POST", path, headers: Self.bearer)
        #expect(narrowed.states == ["delivered", "failed"])
        #expect(bench.requests(to: "b") == 1)
        let none = await bench.send("POST", path, headers: Self.bearer)
        #expect(none.status == 409)
        #expect(none.body["code"] == .string("nothing_to_retry"))
    }

    @Test("A route that a key may use stands for its services")
    func routes() async throws {
        let key = Self.key { $0.services = ["pair"] }
        let routes = [
            Route(name: "default", services: ["c"]), Route(name: "pair", services: ["a", "b"], policy: .quorum(2)),
        ]
        let bench = try Bench(
            options: .init(routes: routes, callers: { $0.clientKeys = [key] }),
            script: Bench.delivers
        )
        #expect(await bench.post(query: [HTTPField("services", "pair")], headers: Self.bearer).status == 200)
        let usual = await bench.post(headers: Self.bearer)
        #expect(usual.status == 403)
        #expect(usual.body["detail"]?.string?.contains("default route") == true)
    }

    @Test("Beyond its rate a key is told when to come again")
    func rate() async throws {
        let key = Self.key { $0.rate = Rate(count: 2, period: .seconds(3_600)) }
        let bench = try Bench(options: .init(callers: { $0.clientKeys = [key] }), script: Bench.delivers)
        #expect(await bench.post(headers: Self.bearer).status == 200)
        #expect(await bench.post(headers: Self.bearer).status == 200)
        let third = await bench.post(headers: Self.bearer)
        #expect(third.status == 429)
        #expect(third.body["code"] == .string("rate_limited"))
        #expect(third.body["detail"]?.string?.hasPrefix("This key may send 2 requests in an hour.") == true)
        let wait = try #require(third.header("Retry-After").flatMap { Int($0) })
        #expect((3_500...3_661).contains(wait))
        #expect(await bench.send("GET", "/v1/services", headers: Self.bearer).status == 200, "reading is no work")
    }

    @Test("What was done for an idempotency key is told although the quota is used up")
    func quotaAndRepetition() async throws {
        let key = Self.key { $0.quota = Rate(count: 1, period: .seconds(86_400)) }
        let bench = try Bench(options: .init(callers: { $0.clientKeys = [key] }), script: Bench.delivers)
        let first = await bench.post(headers: Self.bearer + [HTTPField("Idempotency-Key", "one")])
        #expect(first.status == 200)
        let again = await bench.post(headers: Self.bearer + [HTTPField("Idempotency-Key", "one")])
        #expect(again.status == 200)
        #expect(again.body["id"] == first.body["id"])
        for headers in [Self.bearer + [HTTPField("Idempotency-Key", "two")], Self.bearer] {
            let refused = await bench.post(headers: headers)
            #expect(refused.status == 429)
            #expect(refused.body["code"] == .string("quota_exceeded"))
        }
    }

    @Test("A quota counts the pictures that are taken, not what is refused")
    func quota() async throws {
        let key = Self.key { $0.quota = Rate(count: 2, period: .seconds(86_400)) }
        let bench = try Bench(options: .init(callers: { $0.clientKeys = [key] }), script: Bench.delivers)
        for _ in 0..<5 {
            let damaged = await bench.post(headers: Self.bearer, picture: Array("no picture".utf8))
            #expect(damaged.status == 415)
        }
        #expect(await bench.post(headers: Self.bearer).status == 200)
        #expect(await bench.post(headers: Self.bearer).status == 200)
        let third = await bench.post(headers: Self.bearer)
        #expect(third.status == 429)
        #expect(third.body["code"] == .string("quota_exceeded"))
        #expect(third.header("Retry-After") != nil)
    }

    @Test("What a key has used counts still after a restart")
    func restart() async throws {
        let key = Self.key { $0.quota = Rate(count: 1, period: .seconds(86_400)) }
        let first = try Bench(options: .init(callers: { $0.clientKeys = [key] }), script: Bench.delivers)
        #expect(await first.post(headers: Self.bearer).status == 200)
        let second = try Bench(
            options: .init(journal: first.journal, callers: { $0.clientKeys = [key] }),
            script: Bench.delivers
        )
        await second.gateway.start()
        #expect(await second.post(headers: Self.bearer).status == 429)
    }

    @Test("What a key has used counts, too, where it gets its limits only with a reload", arguments: [true, false])
    func reload(isKnown: Bool) async throws {
        let bound = Rate(count: 2, period: .seconds(86_400))
        let limits: [@Sendable (inout ClientKeyConfiguration) -> Void] = [{ $0.quota = bound }, { $0.rate = bound }]
        for limit in limits {
            let (key, other) = (Self.key(limit), ClientKey(ClientKeyConfiguration(key: Secret("other"))))
            let journal = MemoryJournal()
            func restart(_ keys: [ClientKey]) async throws -> Bench {
                let options = Bench.Options(journal: journal, callers: { $0.clientKeys = keys })
                let bench = try Bench(["a"], options: options, script: Bench.delivers)
                await bench.gateway.start()
                return bench
            }
            let first = try await restart([key])
            #expect(await first.post(headers: Self.bearer).status == 200)
            let second = try await restart(isKnown ? [Self.key { _ in }] : [other])
            var settings = GatewaySettings()
            settings.clientKeys = [other, key]
            second.running.change(to: settings, services: second.gateway.engine.services, unchanged: ["a"])
            #expect(await second.post(headers: Self.bearer).status == 200)
            #expect(await second.post(headers: Self.bearer).status == 429)
            let third = try await restart([key])
            #expect(await third.post(headers: Self.bearer).status == 429, "the count on disk was lowered")
        }
    }

    @Test("A start waits for the journal to tell what keys have used")
    func busyJournal() async throws {
        let key = Self.key { $0.quota = Rate(count: 1, period: .seconds(86_400)) }
        let first = try Bench(options: .init(callers: { $0.clientKeys = [key] }), script: Bench.delivers)
        #expect(await first.post(headers: Self.bearer).status == 200)
        first.journal.fail(with: .busy)
        let options = Bench.Options(journal: first.journal, callers: { $0.clientKeys = [key] })
        let second = try Bench(options: options, script: Bench.delivers)
        let start = Task { await second.gateway.start() }
        #expect(
            await Bench.eventually {
                second.events.list.contains { if case .journalFailed = $0 { true } else { false } }
            }
        )
        first.journal.fail(with: nil)
        await start.value
        #expect(await second.post(headers: Self.bearer).status == 429)
    }

    @Test("A key with another value and the same name has the uploads and the usage of the one before")
    func renewed() async throws {
        func options(_ text: String, _ journal: MemoryJournal) -> Bench.Options {
            let key = Self.key {
                $0 = ClientKeyConfiguration(key: Secret(text)); $0.name = "shop"
            }
            return .init(journal: journal, callers: { $0.clientKeys = [key] })
        }
        let journal = MemoryJournal()
        let first = try Bench(options: options("old", journal), script: Bench.delivers)
        let id = await first.post(headers: [HTTPField("Authorization", "Bearer old")]).id
        let second = try Bench(options: options("new", journal), script: Bench.delivers)
        let headers = [HTTPField("Authorization", "Bearer new")]
        #expect(await second.send("GET", "/v1/uploads/" + id, headers: headers).status == 200)
    }

    @Test("An address has its rate, whatever it says that it stands for")
    func addressRate() async throws {
        let bench = try Bench(
            options: .init(callers: { $0.addressRate = Rate(count: 1, period: .seconds(3_600)) }),
            script: Bench.delivers
        )
        #expect(await bench.post().status == 200)
        #expect(await bench.post(headers: [HTTPField("X-Forwarded-For", "203.0.113.7")]).status == 429)
    }

    @Test("Behind a trusted proxy each client has its own rate")
    func proxiedRate() async throws {
        let bench = try Bench(
            options: .init(callers: {
                $0.addressRate = Rate(count: 1, period: .seconds(3_600))
                $0.trustedProxies = ["192.0.2.0/24"]
            }),
            script: Bench.delivers
        )
        func post(_ address: String) async -> Int {
            await bench.post(headers: [HTTPField("X-Forwarded-For", address)]).status
        }
        #expect(await post("203.0.113.7") == 200)
        #expect(await post("203.0.113.8") == 200)
        #expect(await post("203.0.113.7") == 429)
        #expect(await post("198.51.100.1, 203.0.113.7") == 429, "what the client wrote itself counts for nothing")
    }

    @Test("Whoever tries keys has to wait")
    func guessing() async throws {
        let bench = try Bench(
            options: .init(callers: {
                $0.clientKeys = [Self.key { _ in }]
                $0.addressRate = Rate(count: 3, period: .seconds(3_600))
            }),
            script: Bench.delivers
        )
        for number in 0..<3 {
            let headers = [HTTPField("Authorization", "Bearer guess-\(number)")]
            #expect(await bench.send("GET", "/v1/services", headers: headers).status == 401)
        }
        #expect(await bench.send("GET", "/v1/services", headers: Self.bearer).status == 429)
    }

    @Test(
        "The client's address is the nearest that no proxy of ours has",
        arguments: [
            ("198.51.100.9", "1.2.3.4", .xForwardedFor, "198.51.100.9"),
            ("10.0.0.1", "1.2.3.4, 5.6.7.8, 10.0.0.2", .xForwardedFor, "5.6.7.8"),
            ("10.0.0.1", "1.2.3.4, unknown, 10.0.0.2", .xForwardedFor, "10.0.0.2"),
            ("10.0.0.1", "", .xForwardedFor, "10.0.0.1"), ("10.0.0.1", "10.0.0.3,10.0.0.2", .xForwardedFor, "10.0.0.3"),
            ("10.0.0.1", "for=1.2.3.4, for=\"[2001:db8::1]:99\";proto=https", .forwarded, "2001:db8:0:0:0:0:0:1"),
            ("10.0.0.1", "proto=https;For=5.6.7.8", .forwarded, "5.6.7.8"),
            ("10.0.0.1", "by=1.2.3.4;for=\"5.6.7.8\";host=\"a,b;for=9.9.9.9\"", .forwarded, "5.6.7.8"),
            ("10.0.0.1", "host=\"a\\\",for=9.9.9.9;\";for=5.6.7.8", .forwarded, "5.6.7.8"),
            ("10.0.0.1", "for=_hidden", .forwarded, "10.0.0.1"),
            ("10.0.0.1", "for=\"5.6.7.8\";host=\"a,b;for=9.9.9.9\"", .forwarded, "5.6.7.8"),
            ("10.0.0.1", "for=5.6.7.8;host=\"a\\\", for=9.9.9.9\"", .forwarded, "5.6.7.8"),
            ("10.0.0.1", "for=9.9.9.9 , , for = \"5.6.7.8:99\" ; proto=https,", .forwarded, "5.6.7.8"),
            ("10.0.0.1", "for=5.6.7.8:99, for=[2001:db8::1]", .forwarded, "2001:db8:0:0:0:0:0:1"),
            ("10.0.0.1", "for=9.9.9.9;x=\", for=\"5.6.7.8\"", .forwarded, "10.0.0.1"),
            ("10.0.0.1", "for=9.9.9.9, for=5.6.7.8;host=\"open", .forwarded, "10.0.0.1"),
            ("10.0.0.1", "for=9.9.9.9, for=5.6.7.8;host=\"a\"b", .forwarded, "10.0.0.1"),
            ("10.0.0.1", "for=5.6.7.8;for=9.9.9.9", .forwarded, "10.0.0.1"),
            ("10.0.0.1", "for=9.9.9.9, for", .forwarded, "10.0.0.1"),
            ("10.0.0.1", "for=9.9.9.9, proto=https", .forwarded, "10.0.0.1"),
        ] as [(String, String, ForwardedField, String)]
    )
    func addresses(peer: String, value: String, field: ForwardedField, expected: String) {
        let head = RequestHead(method: "GET", path: "/", headers: [HTTPField(field.rawValue, value)], peer: peer)
        #expect(ClientAddress.of(head, proxies: ["10.0.0.0/8"], field: field) == expected)
    }

    @Test("A body for which there is no room is refused before it is read, and room comes back")
    func spool() async throws {
        let bench = try Bench(options: .init(callers: { $0.maxSpool = 1_000 }), script: Bench.delivers)
        func decide(_ length: Int?) -> HeadDecision {
            let type = [HTTPField("Content-Type", "image/gif")]
            return bench.service.decide(
                RequestHead(method: "POST", path: "/v1/uploads", headers: type, contentLength: length)
            )
        }
        var held: HeadDecision? = decide(900)
        guard case .receive = held else { return #expect(Bool(false), "the first body was refused") }
        guard case .answer(let answer) = decide(200) else { return #expect(Bool(false), "the second body was taken") }
        #expect(answer.status == 503)
        #expect(answer.headers.contains { $0.name == "Retry-After" })
        guard case .receive(let chunked) = decide(nil) else { return #expect(Bool(false), "refused") }
        let bytes = [UInt8](repeating: 0, count: 200)
        #expect(unsafe bytes.withUnsafeBytes { unsafe chunked.receive($0) }?.status == 503)
        held = nil
        #expect(bench.gateway.callers.receivingBytes == 0)
        guard case .receive = decide(900) else { return #expect(Bool(false), "no room came back") }
    }

    @Test("Large bodies leave room for small ones, however these say their length")
    func reserve() async throws {
        let bench = try Bench(options: .init(callers: { $0.maxSpool = 100_000 }), script: Bench.delivers)
        func decide(_ length: Int?) -> HeadDecision {
            let type = [HTTPField("Content-Type", "image/gif")]
            return bench.service.decide(
                RequestHead(method: "POST", path: "/v1/uploads", headers: type, contentLength: length)
            )
        }
        func isTaken(_ decision: HeadDecision) -> Bool { if case .receive = decision { true } else { false } }
        let large = (0..<2).map { _ in decide(45_000) }
        #expect(large.allSatisfy(isTaken))
        #expect(!isTaken(decide(5_000)), "the last tenth is not for large ones")
        let small = decide(500)
        #expect(isTaken(small))
        guard case .receive(let chunked) = decide(nil) else { return #expect(Bool(false), "refused") }
        let bytes = [UInt8](repeating: 0, count: 400)
        #expect(unsafe bytes.withUnsafeBytes { unsafe chunked.receive($0) } == nil)
        #expect(unsafe bytes.withUnsafeBytes { unsafe chunked.receive($0) }?.status == 503, "small pieces, large body")
        withExtendedLifetime((large, small)) {}
        // With nothing else under way there is room for all that the bound allows.
        let fresh = try Bench(options: .init(callers: { $0.maxSpool = 100_000 }), script: Bench.delivers)
        let head = RequestHead(
            method: "POST",
            path: "/v1/uploads",
            headers: [HTTPField("Content-Type", "image/gif")],
            contentLength: 100_000
        )
        #expect(isTaken(fresh.service.decide(head)))
    }

    @Test("Pictures of uploads under way take room until they are delivered")
    func underWay() async throws {
        let door = Door()
        let bench = try Bench(["a"], options: .init(callers: { $0.maxSpool = SamplePicture.gif.count + 10 })) {
            request throws(TransportError) in
            await door.pass()
            return try await Bench.delivers(request)
        }
        let wait = [HTTPField("Prefer", "respond-async")]
        let first = await bench.post(headers: wait)
        #expect(first.status == 202)
        #expect(bench.gateway.registry.bytes > 0)
        #expect(await bench.post(headers: wait).status == 503)
        door.open()
        _ = await bench.settled(first.id)
        #expect(await Bench.eventually { bench.gateway.registry.bytes == 0 })
        // The door is open: the delivery may be over before the answer is written.
        let last = await bench.post(headers: wait).status
        #expect(last == 202 || last == 200)
    }
}
