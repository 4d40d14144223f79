// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightCore
import FanlightTestSupport
import Synchronization
import Testing

@testable import FanlightGateway

@Suite("The webhook")
struct WebhookTests {
    private static let hook = NotifySettings(url: "https://hook.example/in", secret: Secret("0123456789abcdef"))

    @Test("A finished upload is told once, signed, with its report")
    func told() async throws {
        let bench = try Bench(["a"], options: .init(notify: Self.hook), script: Bench.delivers)
        await bench.gateway.start()
        let first = await bench.post()
        #expect(await Bench.eventually { bench.requests(to: "hook") == 1 })
        let call = try #require(bench.transport.requests.first { host($0, is: "hook") })
        guard case .bytes(let bytes) = call.body else {
            Issue.record("no body")
            return
        }
        let body = try JSONParser.parse(bytes)
        #expect(body["event"]?.string == "upload.finished")
        #expect(body["upload"]?["id"]?.string == first.id)
        #expect(body["upload"]?["status"]?.string == "delivered")
        let signature = try #require(call.headers.first { $0.name == "Fanlight-Signature" }?.value)
        let parts = signature.split(separator: ",").map(String.init)
        let time = String(parts[0].dropFirst(2))
        let expected = ContentHash.hmacSHA256(of: Array("\(time).".utf8) + bytes, key: Array("0123456789abcdef".utf8))
        #expect(parts[1] == "v1=" + expected)
        #expect(await Bench.eventually { bench.journal.uploads[0].notification?.isDone == true })
        try await Task.sleep(for: .milliseconds(50))
        #expect(bench.requests(to: "hook") == 1)
        let lines = bench.lines.list.filter { $0["message"]?.string?.hasPrefix("webhook") == true }
        #expect(lines.count == 1 && lines[0]["message"]?.string == "webhook finished")
        #expect(lines[0]["upload_id"]?.string == first.id && lines[0]["status"]?.string == "delivered")
        bench.gateway.interrupt()
    }

    @Test("A call that fails is due again later, and the last one is given up", arguments: [(1, true), (2, false)])
    func repeated(attempts: Int, isDone: Bool) async throws {
        var hook = Self.hook
        hook.attempts = attempts
        let bench = try Bench(["a"], options: .init(notify: hook)) { request throws(TransportError) in
            if host(request, is: "hook") { return HTTPReply(status: 500, headers: [], body: [], finalURL: "") }
            return try await Bench.delivers(request)
        }
        await bench.gateway.start()
        _ = await bench.post()
        #expect(await Bench.eventually { bench.journal.uploads[0].notification?.attempts == 1 })
        let state = try #require(bench.journal.uploads[0].notification)
        #expect(state.isDone == isDone)
        #expect((state.dueAt == nil) == isDone)
        let words = isDone ? ("webhook finished", "given_up") : ("webhook failed", "repeated")
        let line = try #require(bench.lines.list.first { $0["message"]?.string == words.0 })
        #expect(line["status"]?.string == words.1 && line["level"]?.string == "warning")
        #expect(line["upload_id"]?.string == bench.journal.uploads[0].id)
        #expect(line["http_status"] == .number("500") && line["error_kind"]?.string == "rejected")
        let metrics = await bench.send("GET", "/metrics").text
        for result in ["delivered", "failed", "given_up"] {
            let count = result == (isDone ? "given_up" : "failed") ? 1 : 0
            #expect(metrics.contains("fanlight_webhooks_total{result=\"\(result)\"} \(count)\n"))
        }
        bench.gateway.interrupt()
    }

    /// A clock that a test moves.
    private final class SlowClock: Sendable {
        private let time = Mutex(Timestamp(milliseconds: 1_000_000))

        func advance(_ duration: Duration) { time.withLock { $0 = $0 + duration } }

        var clock: EngineClock {
            EngineClock(now: { self.time.withLock { $0 } }) { until in
                while self.time.withLock({ $0 }) < until, !Task.isCancelled {
                    try? await Task.sleep(for: .milliseconds(1))
                }
            }
        }
    }

    @Test("A call that failed is made again when it is due, not later")
    func onTime() async throws {
        let clock = SlowClock()
        let bench = try Bench(["a"], options: .init(notify: Self.hook, clock: clock.clock)) {
            request throws(TransportError) in
            if host(request, is: "hook") { return HTTPReply(status: 500, headers: [], body: [], finalURL: "") }
            return try await Bench.delivers(request)
        }
        await bench.gateway.start()
        _ = await bench.post()
        for (calls, wait) in [(1, 5), (2, 10), (3, 20)] {
            #expect(await Bench.eventually { bench.journal.uploads[0].notification?.attempts == calls })
            try await Task.sleep(for: .milliseconds(20))
            clock.advance(.seconds(wait))
            #expect(await Bench.eventually { bench.requests(to: "hook") == calls + 1 })
        }
        bench.gateway.interrupt()
    }

    @Test("What was owed when the gateway ended is told after the restart")
    func afterRestart() async throws {
        let silent = try Bench(["a"], options: .init(notify: Self.hook), script: Bench.delivers)
        // Never started, so that nothing was told.
        _ = await silent.post()
        #expect(silent.journal.uploads[0].notification?.dueAt != nil)
        let next = try Bench(["a"], options: .init(notify: Self.hook, journal: silent.journal), script: Bench.delivers)
        await next.gateway.start()
        #expect(await Bench.eventually { next.requests(to: "hook") == 1 })
        next.gateway.interrupt()
    }
}
