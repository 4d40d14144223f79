// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore
import FanlightTestSupport
import Testing

@testable import FanlightGateway

@Suite("Idempotency keys")
struct IdempotencyTests {
    private func key(_ value: String = "k1") -> HTTPField { HTTPField("Idempotency-Key", value) }

    @Test("The same key from 50 clients at once makes one upload and 50 equal reports")
    func concurrent() async throws {
        let bench = try Bench { request throws(TransportError) in
            try? await Task.sleep(for: .milliseconds(50))
            return try await Bench.delivers(request)
        }
        let answers = await withTaskGroup(of: Bench.Answered.self) { group in
            for _ in 0..<50 { group.addTask { await bench.post(headers: [key()]) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count == 50)
        #expect(answers.allSatisfy { $0.status == 200 })
        #expect(Set(answers.map(\.text)).count == 1)
        #expect(bench.journal.uploads.count == 1)
        #expect(bench.transport.requests.count == 3)
        #expect(answers.count { $0.header("Idempotency-Replayed") == "true" } == 49)
    }

    @Test("Two keys in one request are refused, and neither is taken", arguments: ["k1", "k2"])
    func twice(second: String) async throws {
        let bench = try Bench(script: Bench.delivers)
        let answer = await bench.post(headers: [key(), HTTPField("idempotency-key", second)])
        #expect(answer.status == 400)
        #expect(answer.body["code"]?.string == "malformed")
        #expect(answer.body["detail"]?.string?.contains("Idempotency-Key") == true)
        #expect(bench.journal.uploads.isEmpty)
        #expect(await bench.post(headers: [key()]).status == 200)
    }

    @Test("The same key later gives the stored report with the status of its state")
    func later() async throws {
        let bench = try Bench { request throws(TransportError) in
            if host(request, is: "a") { return HTTPReply(status: 403, headers: [], body: [], finalURL: request.url) }
            return try await Bench.delivers(request)
        }
        let first = await bench.post(headers: [key()])
        let second = await bench.post(headers: [key()])
        #expect(first.status == 207 && second.status == 207)
        #expect(first.text == second.text)
        #expect(bench.requests(to: "b") == 1)
    }

    @Test("The same key with another picture or other fields is refused", arguments: [true, false])
    func other(picture: Bool) async throws {
        let bench = try Bench(script: Bench.delivers)
        _ = await bench.post(headers: [key()])
        var bytes = SamplePicture.gif
        if picture { bytes[13] = 1 }
        let answer = await bench.post(query: picture ? [] : [HTTPField("title", "x")], headers: [key()], picture: bytes)
        #expect(answer.status == 409)
        #expect(answer.body["code"]?.string == "idempotency_key_reused")
        #expect(bench.journal.uploads.count == 1)
    }

    @Test("Without image.sha256 a report has no hash, but a request with a key is still told from another")
    func withoutHash() async throws {
        let bench = try Bench(options: Bench.Options(callers: { $0.givesHash = false }), script: Bench.delivers)
        let plain = await bench.post()
        #expect(plain.status == 200)
        #expect(plain.body["image"]?["sha256"] == .null)
        let first = await bench.post(headers: [key()])
        let hash = ContentHash.sha256(of: Array(SamplePicture.gif))
        #expect(first.body["image"]?["sha256"]?.string == hash)
        var bytes = SamplePicture.gif
        bytes[13] = 1
        #expect(await bench.post(headers: [key()], picture: bytes).status == 409)
    }

    @Test("A key belongs to its client")
    func perClient() async throws {
        let options = Bench.Options(keys: [Secret("one"), Secret("two")])
        let bench = try Bench(["a"], options: options, script: Bench.delivers)
        let first = await bench.post(headers: [key(), HTTPField("Authorization", "Bearer one")])
        let second = await bench.post(headers: [key(), HTTPField("Authorization", "Bearer two")])
        #expect(first.id != second.id)
        let stranger = await bench.send(
            "GET",
            "/v1/uploads/" + first.id,
            headers: [HTTPField("Authorization", "Bearer two")]
        )
        #expect(stranger.status == 404)
    }

    @Test(
        "What was done for a key is reported also when its client may less, or a service is gone, by now",
        arguments: [nil, "a,b", "a"],
        [["b"], ["a"]]
    )
    func narrowed(named: String?, left: Set<String>) async throws {
        func settings(_ allowed: [String]?) -> (inout GatewaySettings) -> Void {
            { settings in
                var configuration = ClientKeyConfiguration(key: Secret("one"))
                configuration.services = allowed
                settings.clientKeys = [ClientKey(configuration)]
            }
        }
        let headers = [key(), HTTPField("Authorization", "Bearer one")]
        let query = named.map { [HTTPField("services", $0)] } ?? []
        let journal = MemoryJournal()
        let options = Bench.Options(journal: journal, callers: settings(nil))
        let before = try Bench(["a", "b"], options: options, script: Bench.delivers)
        let first = await before.post(query: query, headers: headers)
        #expect(first.status == 200)
        let narrow = Bench.Options(journal: journal, callers: settings(left.sorted()))
        for services in [["a", "b"], left.sorted()] {
            let after = try Bench(services, options: narrow, script: Bench.delivers)
            await after.gateway.start()
            let second = await after.post(query: query, headers: headers)
            #expect(second.status == 200 && second.id == first.id, "\(second.text)")
            #expect(second.header("Idempotency-Replayed") == "true" && after.transport.requests.isEmpty)
            // The key is still bound to what was sent with it.
            let other = await after.post(query: query + [HTTPField("title", "x")], headers: headers)
            #expect(other.status == 409)
        }
        #expect(journal.uploads.count == 1)
    }

    @Test("A refused request leaves its key free")
    func refused() async throws {
        let bench = try Bench(script: Bench.delivers)
        let refused = await bench.post(headers: [key()], picture: Array("GIF89a".utf8))
        #expect(refused.status == 422)
        let taken = await bench.post(headers: [key()])
        #expect(taken.status == 200)
    }

    @Test(
        "Keys that are no keys are refused",
        arguments: ["", "with blank", "\u{e9}", String(repeating: "k", count: 256)]
    )
    func malformed(value: String) async throws {
        let bench = try Bench(script: Bench.delivers)
        #expect(await bench.post(headers: [key(value)]).status == 400)
    }

    @Test("When the journal cannot write, 503 says so, nothing is sent, and the key stays free")
    func journalFails() async throws {
        let bench = try Bench(script: Bench.delivers)
        bench.journal.fail(with: .full)
        let refused = await bench.post(headers: [key()])
        #expect(refused.status == 503)
        #expect(refused.body["code"]?.string == "journal_unavailable")
        #expect(refused.header("Retry-After") != nil)
        #expect(bench.transport.requests.isEmpty)
        bench.journal.fail(with: nil)
        #expect(await bench.post(headers: [key()]).status == 200)
    }
}
