// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore
import FanlightTestSupport
import Foundation
import Synchronization
import Testing

@testable import FanlightGateway

@Suite("Stop, kill and restart")
struct RecoveryTests {
    private let folder = TemporaryFolder("recovery")

    /// A second gateway over the journal and the spool of the first one.
    private func restarted(
        _ first: Bench,
        _ spool: any Spool,
        names: [String] = ["a", "b", "c"],
        extra: String = "",
        script: @escaping ScriptedTransport.Script
    ) async throws -> Bench {
        let next = try Bench(names, extra: extra, options: .init(journal: first.journal, spool: spool), script: script)
        await next.gateway.start()
        return next
    }

    @Test("A delivery whose request was not complete is sent after the restart; one that may have arrived is unknown")
    func interrupted() async throws {
        let spool = try #require(DiskSpool(folder: folder.path))
        // a hangs before the end of its request, b after it; c has delivered.
        let first = try Bench(options: .init(spool: spool)) { request throws(TransportError) in
            if host(request, is: "c") { return try await Bench.delivers(request) }
            try? await Task.sleep(for: .seconds(600))
            throw TransportError(.stopped, message: "", requestFullySent: host(request, is: "b"))
        }
        let id = await first.post(headers: [HTTPField("Prefer", "respond-async")]).id
        #expect(
            await Bench.eventually {
                let deliveries = first.journal.uploads[0].deliveries
                return deliveries[1].phase == .releasing && deliveries[2].status == .delivered
            }
        )
        // As if the first process were killed: its journal says that a's request never was let go.
        first.journal.post(JournalNote(upload: id, delivery: 0, .progress(nil)))
        let second = try await restarted(first, spool, script: Bench.delivers)
        let report = await second.settled(id)
        #expect(report.states == ["delivered", "unknown", "delivered"])
        #expect(report.body["deliveries"]?[1]?["error"]?["kind"]?.string == "interrupted")
        #expect(second.transport.requests.map { URL(string: $0.url)?.host } == ["a.example"])
        first.gateway.interrupt()
    }

    @Test("An idempotent service is asked again although the request may have arrived")
    func idempotent() async throws {
        let spool = try #require(DiskSpool(folder: folder.path))
        let first = try Bench(["a"], extra: ", idempotent: true", options: .init(spool: spool)) {
            request throws(TransportError) in
            try? await Task.sleep(for: .seconds(600))
            throw TransportError(.stopped, message: "", requestFullySent: true)
        }
        let id = await first.post(headers: [HTTPField("Prefer", "respond-async")]).id
        #expect(await Bench.eventually { first.transport.requests.count == 1 })
        let second = try await restarted(
            first,
            spool,
            names: ["a"],
            extra: ", idempotent: true",
            script: Bench.delivers
        )
        #expect(await second.settled(id).states == ["delivered"])
        first.gateway.interrupt()
    }

    @Test("A stop leaves what is pending in the journal, and what may have arrived is unknown at once")
    func stop() async throws {
        let spool = try #require(DiskSpool(folder: folder.path))
        let first = try Bench(options: .init(spool: spool)) { request throws(TransportError) in
            if host(request, is: "c") { return try await Bench.delivers(request) }
            if host(request, is: "a") {
                return HTTPReply(
                    status: 503,
                    headers: [HTTPField("Retry-After", "60")],
                    body: [],
                    finalURL: request.url
                )
            }
            try? await Task.sleep(for: .seconds(600))
            throw TransportError(.stopped, message: "stopped", requestFullySent: true)
        }
        async let answer = first.post()
        #expect(await Bench.eventually { first.transport.requests.count == 3 })
        #expect(await Bench.eventually { first.journal.uploads[0].deliveries[2].status == .delivered })
        first.gateway.interrupt()
        let report = await answer
        #expect(report.status == 202)
        #expect(report.states == ["pending", "unknown", "delivered"])
        #expect(await Bench.eventually { first.gateway.uploadsUnderWay == 0 })
        #expect(first.journal.uploads[0].deliveries[0].notBefore != nil)
        #expect(await first.post().status == 503)
    }

    @Test("A service that is gone from the configuration fails its delivery in words")
    func serviceGone() async throws {
        let spool = try #require(DiskSpool(folder: folder.path))
        let first = try Bench(["a", "b"], options: .init(spool: spool)) { request throws(TransportError) in
            try? await Task.sleep(for: .seconds(600))
            throw TransportError(.stopped, message: "", requestFullySent: false)
        }
        let id = await first.post(headers: [HTTPField("Prefer", "respond-async")]).id
        #expect(await Bench.eventually { first.transport.requests.count == 2 })
        for index in 0..<2 { first.journal.post(JournalNote(upload: id, delivery: index, .progress(nil))) }
        let second = try await restarted(first, spool, names: ["b"], script: Bench.delivers)
        let report = await second.settled(id)
        #expect(report.states == ["failed", "delivered"])
        #expect(report.body["deliveries"]?[0]?["error"]?["message"]?.string?.contains("no longer") == true)
        first.gateway.interrupt()
    }

    @Test("The journal refuses the note: the request is not completed, and is sent once the journal writes again")
    func noteRefused() async throws {
        let sent = Counter()
        let bench = try Bench(["a"]) { request throws(TransportError) in
            _ = sent.next()
            return try await Bench.delivers(request)
        }
        let first = await bench.post()
        #expect(first.status == 200)
        bench.journal.failNotes(2)
        let second = await bench.post()
        #expect(second.states == ["delivered"])
        #expect(second.body["deliveries"]?[0]?["attempts"] == .number("3"))
        // The script runs only when the end of the request may leave.
        #expect(sent.next() == 2)
    }

    @Test("What a rate allows is not allowed anew after a restart")
    func rateSurvives() async throws {
        let spool = try #require(DiskSpool(folder: folder.path))
        let extra = ", limits: {rate: 3/hour}, deadline: 1s"
        let first = try Bench(["a"], extra: extra, options: .init(spool: spool), script: Bench.delivers)
        await first.gateway.start()
        for _ in 0..<3 { #expect(await first.post().status == 200) }
        let fourth = await first.post()
        #expect(fourth.body["deliveries"]?[0]?["error"]?["kind"]?.string == "rate_limited")
        let second = try await restarted(first, spool, names: ["a"], extra: extra, script: Bench.delivers)
        #expect(await second.post().states == ["failed"])
        #expect(second.transport.requests.isEmpty)
        let services = await second.send("GET", "/v1/services")
        #expect(services.body["services"]?[0]?["state"]?["rate_left"] == .number("0"))
    }

    @Test("The count of a rate is on disk before the end of a request leaves", arguments: ["false", "true"])
    func rateIsWrittenFirst(idempotent: String) async throws {
        let journal = MemoryJournal()
        let counted = Mutex<[Int]>([])
        let extra = ", idempotent: \(idempotent), limits: {rate: 9/hour}"
        let bench = try Bench(["a"], extra: extra, options: .init(journal: journal)) {
            request throws(TransportError) in
            let value = try? await journal.kept(RateMemory.name(of: "a"))
            let count = RateMemory.counts(value ?? nil)?.slots.reduce(0) { $0 + $1.count } ?? 0
            counted.withLock { $0.append(count) }
            return try await Bench.delivers(request)
        }
        for _ in 0..<3 { #expect(await bench.post().status == 200) }
        #expect(counted.withLock { $0 } == [1, 2, 3])
    }

    @Test("An idempotent service with a rate gets no request whose count cannot be written")
    func countRefused() async throws {
        let sent = Counter()
        let bench = try Bench(["a"], extra: ", idempotent: true, limits: {rate: 9/hour}, retry: {attempts: 1}") {
            request throws(TransportError) in
            _ = sent.next()
            return HTTPReply(status: 403, headers: [], body: [], finalURL: request.url)
        }
        let first = await bench.post()
        #expect(sent.next() == 1)
        bench.journal.failNotes(1)
        let again = await bench.send("POST", "/v1/uploads/\(first.id)/retry")
        #expect(again.body["deliveries"]?[0]?["error"]?["kind"]?.string == "interrupted")
        #expect(sent.next() == 2)
    }
}
