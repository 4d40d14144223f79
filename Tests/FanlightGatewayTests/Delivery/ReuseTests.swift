// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore
import FanlightTestSupport
import Foundation
import Synchronization
import Testing

@testable import FanlightGateway

@Suite("The same picture again: sent once, its link given again")
struct ReuseTests {
    private static let extra = ", duplicates: reuse, retry: {attempts: 1}"

    /// Links with a number of their own.
    private static func numbered(_ request: HTTPRequest, _ number: Int) -> HTTPReply {
        HTTPReply(status: 200, headers: [], body: Array(#"{"url":"https://h/\#(number)"}"#.utf8), finalURL: request.url)
    }

    private func link(_ answer: Bench.Answered) -> String? { answer.body["deliveries"]?[0]?["link"]?.string }

    @Test("Fifty equal uploads at the same moment are sent once; all have the one link")
    func atOnce() async throws {
        let door = Door()
        let count = Counter()
        let bench = try Bench(["a"], extra: Self.extra) { request throws(TransportError) in
            let number = count.next()
            await door.pass()
            return Self.numbered(request, number)
        }
        let answers = await withTaskGroup(of: Bench.Answered.self) { group in
            for _ in 0..<50 { group.addTask { await bench.post() } }
            #expect(await Bench.eventually { bench.gateway.uploadsUnderWay == 50 })
            door.open()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(bench.transport.requests.count == 1)
        #expect(answers.allSatisfy { $0.status == 200 && link($0) == "https://h/0" })
        #expect(Set(answers.map(\.id)).count == 50)
        #expect(answers.count { $0.body["deliveries"]?[0]?["attempts"] == .number("0") } == 49)
    }

    @Test("When the first one fails, the next sends the picture itself; the others take its link")
    func firstFails() async throws {
        let door = Door()
        let count = Counter()
        let bench = try Bench(["a"], extra: Self.extra) { request throws(TransportError) in
            let number = count.next()
            await door.pass()
            if number == 0 { return HTTPReply(status: 403, headers: [], body: [], finalURL: request.url) }
            return Self.numbered(request, number)
        }
        let answers = await withTaskGroup(of: Bench.Answered.self) { group in
            for _ in 0..<5 { group.addTask { await bench.post() } }
            #expect(await Bench.eventually { bench.gateway.uploadsUnderWay == 5 })
            door.open()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(bench.transport.requests.count == 2)
        #expect(answers.flatMap(\.states).sorted() == ["delivered", "delivered", "delivered", "delivered", "failed"])
        #expect(Set(answers.compactMap { link($0) }) == ["https://h/1"])
    }

    @Test("Other captions, options and places are other deliveries, and wait for nobody")
    func different() async throws {
        let door = Door()
        let bench = try Bench(["a"], extra: Self.extra) { request throws(TransportError) in
            await door.pass()
            return try await Bench.delivers(request)
        }
        let waiting = ["", "one", "two"].map { title in
            Task { await bench.post(query: title.isEmpty ? [] : [HTTPField("title", title)]) }
        }
        #expect(await Bench.eventually { bench.transport.requests.count == 3 })
        door.open()
        for task in waiting { #expect(await task.value.status == 200) }
    }

    @Test("The wait for the first one ends with the deadline, and that of a client with its own patience")
    func waits() async throws {
        let door = Door()
        let bench = try Bench(["a"], extra: Self.extra + ", deadline: 1s") { request throws(TransportError) in
            await door.pass()
            return try await Bench.delivers(request)
        }
        let first = Task { await bench.post() }
        #expect(await Bench.eventually { bench.transport.requests.count == 1 })
        let second = await bench.post(headers: [HTTPField("Prefer", "wait=0")])
        #expect(second.status == 202)
        let report = await bench.settled(second.id)
        #expect(report.states == ["failed"])
        #expect(report.body["deliveries"]?[0]?["error"]?["retryable"] == .bool(true))
        door.open()
        _ = await first.value
        #expect(bench.transport.requests.count == 1)
    }

    @Test("After a stop, what waited is continued: one is sent, the other takes its link")
    func restart() async throws {
        let folder = TemporaryFolder("reuse")
        let spool = try #require(DiskSpool(folder: folder.path))
        let first = try Bench(["a"], extra: Self.extra, options: .init(spool: spool)) {
            request throws(TransportError) in
            try? await Task.sleep(for: .seconds(600))
            throw TransportError(.refused, message: "", requestFullySent: false)
        }
        var ids: [String] = []
        for _ in 0..<3 { ids.append(await first.post(headers: [HTTPField("Prefer", "respond-async")]).id) }
        #expect(await Bench.eventually { first.transport.requests.count == 1 })
        // As if it were killed before the end of the first request could leave.
        first.journal.post(JournalNote(upload: ids[0], delivery: 0, .progress(nil)))
        let second = try Bench(["a"], extra: Self.extra, options: .init(journal: first.journal, spool: spool)) {
            request throws(TransportError) in
            try? await Task.sleep(for: .milliseconds(20))
            return try await Bench.delivers(request)
        }
        await second.gateway.start()
        for id in ids { #expect(await second.settled(id).states == ["delivered"]) }
        #expect(second.transport.requests.count == 1)
        first.gateway.interrupt()
        #expect(await Bench.eventually { first.gateway.uploadsUnderWay == 0 })
    }

    @Test("One that may have arrived before a kill is unknown, and the one that waited for it is sent")
    func unknownFirst() async throws {
        let folder = TemporaryFolder("reuse")
        let spool = try #require(DiskSpool(folder: folder.path))
        let first = try Bench(["a"], extra: Self.extra, options: .init(spool: spool)) {
            request throws(TransportError) in
            try? await Task.sleep(for: .seconds(600))
            throw TransportError(.refused, message: "", requestFullySent: false)
        }
        var ids: [String] = []
        for _ in 0..<2 { ids.append(await first.post(headers: [HTTPField("Prefer", "respond-async")]).id) }
        #expect(await Bench.eventually { first.journal.uploads[0].deliveries[0].phase == .releasing })
        let options = Bench.Options(journal: first.journal, spool: spool)
        let second = try Bench(["a"], extra: Self.extra, options: options, script: Bench.delivers)
        await second.gateway.start()
        #expect(await second.settled(ids[0]).states == ["unknown"])
        #expect(await second.settled(ids[1]).states == ["delivered"])
        #expect(second.transport.requests.count == 1)
        first.gateway.interrupt()
    }

    @Test("A service that has another host now is sent the picture")
    func otherHost() async throws {
        let bench = try Bench(["a"], extra: Self.extra, script: Bench.delivers)
        #expect(link(await bench.post()) == "https://a.example/up/1")
        #expect(link(await bench.post()) == "https://a.example/up/1")
        #expect(bench.transport.requests.count == 1)
        let yaml = "a: {url: 'https://other.example/up', file: file, link: $.url\(Self.extra)}"
        bench.running.change(to: GatewaySettings(), services: try Bench.services(yaml), unchanged: [])
        #expect(link(await bench.post()) == "https://other.example/up/1")
        #expect(bench.transport.requests.count == 2)
    }

    // MARK: Deletion

    private static let deletable = """
        a: {url: 'https://a.example/up', file: file, link: $.url, save: {token: $.url}, duplicates: reuse,
            delete: {url: 'https://a.example/rm', query: {token: '${token}'}}}
        """

    private func deletions(_ answer: Bench.Answered) -> [String] {
        (answer.body["deletions"]?.array ?? []).map { $0["status"]?.string ?? "" }
    }

    @Test("A picture that two uploads link to is deleted with the last of them, whichever that is")
    func sharedDeletion() async throws {
        for deletesOriginalFirst in [true, false] {
            let count = Counter()
            let bench = try Bench(yaml: Self.deletable) { request throws(TransportError) in
                Self.numbered(request, count.next())
            }
            let both = [await bench.post().id, await bench.post().id]
            let (first, last) = deletesOriginalFirst ? (both[0], both[1]) : (both[1], both[0])
            let one = await bench.send("DELETE", "/v1/uploads/\(first)")
            #expect(one.status == 207 && one.body["status"]?.string == "partial")
            #expect(deletions(one) == ["shared"])
            #expect(one.body["deletions"]?[0]?["error"]?["kind"]?.string == "duplicate")
            #expect(bench.transport.requests.count == 1)
            let line = bench.lines.list.last { $0["message"]?.string == "deletion finished" }
            #expect(line?["status"]?.string == "shared" && line?["upload_id"]?.string == first)
            let given = await bench.settled(first)
            #expect(given.states == ["deleted"])
            #expect(given.body["links"] == .object([]))
            #expect(given.body["deliveries"]?[0]?["error"]?["kind"]?.string == "duplicate")
            #expect(await bench.settled(last).states == ["delivered"])
            // Again it is the same answer.
            #expect(await bench.send("DELETE", "/v1/uploads/\(first)").text == one.text)
            // The other's picture stands, and is reused as before.
            let third = await bench.post()
            #expect(link(third) == "https://h/0" && bench.transport.requests.count == 1)
            #expect(deletions(await bench.send("DELETE", "/v1/uploads/\(third.id)")) == ["shared"])
            let end = await bench.send("DELETE", "/v1/uploads/\(last)")
            #expect(end.status == 200 && deletions(end) == ["deleted"])
            #expect(bench.transport.requests.last?.method == "DELETE")
            #expect(bench.transport.requests.count == 2)
            // Nothing stands any more: it is sent again.
            #expect(link(await bench.post()) == "https://h/2")
        }
    }

    @Test("Uploads that share a picture and are deleted at once delete it once")
    func deletionRace() async throws {
        let count = Counter()
        let bench = try Bench(yaml: Self.deletable) { request throws(TransportError) in
            Self.numbered(request, count.next())
        }
        for _ in 0..<20 {
            var ids: [String] = []
            for _ in 0..<6 { ids.append(await bench.post().id) }
            let words = await withTaskGroup(of: [String].self) { group in
                for id in ids { group.addTask { deletions(await bench.send("DELETE", "/v1/uploads/\(id)")) } }
                return await group.reduce(into: []) { $0 += $1 }
            }
            #expect(words.sorted() == ["deleted"] + Array(repeating: "shared", count: 5))
        }
        #expect(bench.transport.requests.count { $0.method == "DELETE" } == 20)
        #expect(bench.transport.requests.count { $0.method == "POST" } == 20)
    }

    @Test("An upload that comes while the last one is deleted never gets a link to a deleted picture")
    func reuseRace() async throws {
        let gone = Mutex<Set<String>>([])
        let count = Counter()
        let bench = try Bench(yaml: Self.deletable) { request throws(TransportError) in
            if request.method == "DELETE" {
                let token = request.url.split(separator: "=").last.map(String.init) ?? ""
                gone.withLock { _ = $0.insert(token.replacing("%3A", with: ":").replacing("%2F", with: "/")) }
            }
            return Self.numbered(request, count.next())
        }
        bench.journal.delayReuse(by: .milliseconds(10))
        for round in 0..<30 {
            let id = await bench.post().id
            async let second = bench.post()
            // The wish comes before, while, and after the second one looks for a link.
            try await Task.sleep(for: .milliseconds(round % 6 * 2))
            async let deletion = bench.send("DELETE", "/v1/uploads/\(id)")
            let (answer, report) = await (deletion, second)
            let given = try #require(link(report))
            #expect(deletions(answer) == ["shared"] || deletions(answer) == ["deleted"])
            #expect(!gone.withLock { $0.contains(given) }, "\(given) is gone")
            #expect(deletions(await bench.send("DELETE", "/v1/uploads/\(report.id)")) == ["deleted"])
        }
        #expect(gone.withLock { $0.count } >= 30)
    }

    @Test("A wish that the journal refuses changes nothing, and is taken later")
    func journalRefuses() async throws {
        let bench = try Bench(yaml: Self.deletable, script: Bench.delivers)
        let ids = [await bench.post().id, await bench.post().id]
        bench.journal.fail(with: .full)
        #expect(await bench.send("DELETE", "/v1/uploads/\(ids[0])").status == 503)
        bench.journal.fail(with: nil)
        #expect(await bench.settled(ids[0]).states == ["delivered"])
        #expect(deletions(await bench.send("DELETE", "/v1/uploads/\(ids[0])")) == ["shared"])
    }
}
