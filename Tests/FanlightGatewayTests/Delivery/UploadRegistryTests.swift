// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightTestSupport
import Testing

@testable import FanlightGateway

@Suite("Uploads under way, by id")
struct UploadRegistryTests {
    private func upload(_ id: String, readAt moment: Int) -> LiveUpload {
        let record = JournalUpload(
            id: id,
            createdAt: 0,
            image: ImageFacts(mediaType: .gif, width: 1, height: 1),
            imageBytes: 1,
            sha256: "",
            deliveries: [JournalDelivery(service: "a")]
        )
        return LiveUpload(record, group: "", moment: moment)
    }

    private func isOutdated(_ entry: UploadRegistry.Entry) -> Bool {
        if case .outdated = entry { true } else { false }
    }

    @Test("A record that was read before the upload left is not taken up again")
    func outdated() {
        let registry = UploadRegistry()
        let early = upload("u", readAt: registry.moment)
        let worker = upload("u", readAt: registry.moment)
        guard case .entered(let live) = registry.enter(worker) else {
            Issue.record("not entered")
            return
        }
        #expect(live === worker)
        if case .entered(let same) = registry.enter(early) { #expect(same === worker) }
        #expect(!registry.leave(worker))
        #expect(registry.leave(worker))
        // What it shows as pending has been delivered meanwhile.
        #expect(isOutdated(registry.enter(early)))
        #expect(!isOutdated(registry.enter(upload("other", readAt: 0))))
        #expect(!isOutdated(registry.enter(upload("u", readAt: registry.moment))))
    }

    @Test("Departures are remembered in bounded memory, and what was forgotten counts as left")
    func memory() {
        var departures = Departures()
        for number in 1...5_000 { departures.add("u\(number)") }
        #expect(departures.count == 5_000)
        #expect(departures.last(of: "u5000") == 5_000)
        #expect(departures.last(of: "u4000") == 4_000)
        let forgotten = departures.last(of: "never")
        #expect((2_000...4_000).contains(forgotten))
        #expect(departures.last(of: "u1") == forgotten)
    }

    @Test("A journal that cannot be read at the start is asked again, and what it holds is continued")
    func recoveryIsRepeated() async throws {
        let first = try Bench(["a"]) { request throws(TransportError) in
            try? await Task.sleep(for: .seconds(600))
            throw TransportError(.stopped, message: "", requestFullySent: false)
        }
        let spool = first.gateway.spool
        let id = await first.post(headers: [HTTPField("Prefer", "respond-async")]).id
        #expect(await Bench.eventually { first.transport.requests.count == 1 })
        first.gateway.interrupt()
        #expect(await Bench.eventually { first.gateway.uploadsUnderWay == 0 })
        first.journal.failLooks(1)
        let options = Bench.Options(journal: first.journal, spool: spool)
        let second = try Bench(["a"], options: options, script: Bench.delivers)
        await second.gateway.start()
        #expect(await Bench.eventually { second.requests(to: "a") == 1 })
        #expect(await second.settled(id).states == ["delivered"])
        second.gateway.interrupt()
    }

    @Test("A journal that is full makes nobody call the webhook over and over")
    func webhookWithoutJournal() async throws {
        let hook = NotifySettings(url: "https://hook.example/done", secret: Secret("0123456789abcdef"))
        let bench = try Bench(["a"], options: .init(notify: hook), script: Bench.delivers)
        _ = await bench.post()
        bench.journal.fail(with: .full)
        await bench.gateway.start()
        #expect(await Bench.eventually { bench.requests(to: "hook") >= 1 })
        // Somebody who wakes it has it look once more, not on and on.
        for _ in 0..<3 {
            try await Task.sleep(for: .milliseconds(100))
            bench.gateway.notifier?.wake()
        }
        try await Task.sleep(for: .milliseconds(200))
        // Once for each who woke it: the upload's end, which the start may meet or not, the start, and three times here.
        #expect((1...5).contains(bench.requests(to: "hook")))
        bench.gateway.interrupt()
    }

    @Test("A picture that no service takes is told to the webhook, too")
    func nothingToSend() async throws {
        let hook = NotifySettings(url: "https://hook.example/done", secret: Secret("0123456789abcdef"))
        let extra = ", limits: {formats: [png]}"
        let bench = try Bench(["a"], extra: extra, options: .init(notify: hook), script: Bench.delivers)
        bench.images.refuse(with: .noRendition("no such format"))
        await bench.gateway.start()
        #expect(await bench.post().states == ["failed"])
        #expect(await Bench.eventually { bench.requests(to: "hook") == 1 })
        bench.gateway.interrupt()
    }

    @Test("A link that has ended is not reused; one that stands is", arguments: [(false, 1), (true, 2)])
    func reusedLinks(hasEnded: Bool, requests: Int) async throws {
        let extra = ", expires_at: $.until, duplicates: reuse"
        let bench = try Bench(["a"], extra: extra) { request throws(TransportError) in
            let until = hasEnded ? "2020-01-01T00:00:00Z" : "2999-01-01T00:00:00Z"
            let body = #"{"url":"https://a.example/1","until":"\#(until)"}"#
            return HTTPReply(status: 200, headers: [], body: Array(body.utf8), finalURL: request.url)
        }
        for _ in 0..<2 { #expect(await bench.post().states == ["delivered"]) }
        #expect(bench.transport.requests.count == requests)
    }

    @Test("A cursor that no page gave is refused instead of beginning from the start")
    func cursors() async throws {
        let bench = try Bench(["a"], script: Bench.delivers)
        _ = await bench.post()
        for cursor in ["zz!", "-1", "zzzzzzzzzzzzzzzzzzzz", "x", "abc", "999", "1", "100000000"] {
            let answer = await bench.send("GET", "/v1/uploads", query: [HTTPField("cursor", cursor)])
            #expect(answer.body["code"]?.string == "bad_field", "\(cursor)")
        }
        #expect(await bench.send("GET", "/v1/uploads", query: [HTTPField("cursor", "")]).status == 200)
    }
}
