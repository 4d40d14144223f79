// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore
import FanlightTestSupport
import Synchronization
import Testing

@testable import FanlightGateway

@Suite("What clients do after the answer: look, retry, delete, watch, page through the history")
struct LaterTests {
    /// Fails at a until it is told to deliver.
    private final class Moody: Sendable {
        private let works = Atomic(false)
        func recover() { works.store(true, ordering: .relaxed) }
        func answer(_ request: HTTPRequest) async throws(TransportError) -> HTTPReply {
            if host(request, is: "a"), !works.load(ordering: .relaxed) {
                return HTTPReply(status: 403, headers: [], body: [], finalURL: request.url)
            }
            return try await Bench.delivers(request)
        }
    }

    @Test("A client that leaves while it waits finds its report under its id")
    func clientLeaves() async throws {
        let door = Door()
        let bench = try Bench { request throws(TransportError) in
            await door.pass()
            return try await Bench.delivers(request)
        }
        let waiting = Task { await bench.post() }
        #expect(await Bench.eventually { bench.transport.requests.count == 3 })
        waiting.cancel()
        let id = try #require(bench.journal.uploads.first?.id)
        door.open()
        let report = await bench.settled(id)
        #expect(report.status == 200)
        #expect(report.states == ["delivered", "delivered", "delivered"])
    }

    @Test("wait=0 and respond-async answer at once; wait=N waits so long")
    func preferences() async throws {
        let door = Door()
        let bench = try Bench(["a"]) { request throws(TransportError) in
            await door.pass()
            return try await Bench.delivers(request)
        }
        for preference in ["respond-async", "wait=0", "respond-async, wait=0"] {
            let answer = await bench.post(headers: [HTTPField("Prefer", preference)])
            #expect(answer.status == 202)
            #expect(answer.header("Location") == "/v1/uploads/\(answer.id)")
            #expect(answer.header("Preference-Applied") == preference)
        }
        let begin = ContinuousClock.now
        let answer = await bench.post(headers: [HTTPField("Prefer", "wait=1")])
        #expect(answer.status == 202)
        #expect(ContinuousClock.now - begin >= .milliseconds(990))
        door.open()
    }

    @Test("Several pictures answered 202 name a list, which has the form of the answer")
    func severalPictures() async throws {
        let door = Door()
        let bench = try Bench(["a"]) { request throws(TransportError) in
            await door.pass()
            return try await Bench.delivers(request)
        }
        let picture = Base64Text.of(SamplePicture.gif)
        let answer = await bench.send(
            "POST",
            "/v1/uploads",
            headers: [HTTPField("Content-Type", "application/json"), HTTPField("Prefer", "respond-async")],
            body: Array(#"{"image":["\#(picture)","\#(picture)"]}"#.utf8)
        )
        door.open()
        #expect(answer.status == 202)
        let location = try #require(answer.header("Location"))
        let parts = location.split(separator: "?").map(String.init)
        #expect(parts[0] == "/v1/uploads")
        let ids = String(parts[1].dropFirst(4))
        for id in ids.split(separator: ",") { _ = await bench.settled(String(id)) }
        let list = await bench.send("GET", "/v1/uploads", query: [HTTPField("ids", ids)])
        #expect(list.status == 200)
        #expect(list.body.array?.count == 2)
    }

    @Test("Retry repeats what failed, and only that")
    func retry() async throws {
        let moody = Moody()
        let bench = try Bench { request throws(TransportError) in try await moody.answer(request) }
        let first = await bench.post()
        #expect(first.states == ["failed", "delivered", "delivered"])
        moody.recover()
        let again = await bench.send("POST", "/v1/uploads/\(first.id)/retry")
        #expect(again.status == 200)
        #expect(again.states == ["delivered", "delivered", "delivered"])
        #expect(bench.requests(to: "a") == 2 && bench.requests(to: "b") == 1)
        let nothing = await bench.send("POST", "/v1/uploads/\(first.id)/retry")
        #expect(nothing.status == 409 && nothing.body["code"]?.string == "nothing_to_retry")
    }

    @Test("Twenty retries at once repeat a delivery once")
    func retryRace() async throws {
        let moody = Moody()
        let bench = try Bench { request throws(TransportError) in try await moody.answer(request) }
        let first = await bench.post()
        moody.recover()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask { _ = await bench.send("POST", "/v1/uploads/\(first.id)/retry") }
            }
        }
        #expect(bench.requests(to: "a") == 2)
    }

    @Test("An unknown outcome is repeated only when the client takes the risk")
    func retryUnknown() async throws {
        let count = Counter()
        let bench = try Bench(["a"]) { request throws(TransportError) in
            if count.next() == 0 {
                throw TransportError(.connectionLost, message: "lost", requestFullySent: true)
            }
            return try await Bench.delivers(request)
        }
        let first = await bench.post()
        #expect(first.states == ["unknown"])
        #expect(await bench.send("POST", "/v1/uploads/\(first.id)/retry").status == 409)
        let forced = await bench.send(
            "POST",
            "/v1/uploads/\(first.id)/retry",
            query: [HTTPField("force", "unknown")]
        )
        #expect(forced.states == ["delivered"])
    }

    @Test("Deletion: one outcome a service, with what was captured; again it is the same answer")
    func deletion() async throws {
        let yaml = """
            a: {url: 'https://a.example/up', file: file, link: $.url, save: {token: $.token},
                delete: {url: 'https://a.example/rm', query: {token: '${token}'}}}
            b: {url: 'https://b.example/up', file: file, link: $.url}
            """
        let bench = try Bench(yaml: yaml) { request throws(TransportError) in
            let body = #"{"url":"https://x.example/1","token":"t7"}"#
            return HTTPReply(status: 200, headers: [], body: Array(body.utf8), finalURL: request.url)
        }
        let first = await bench.post()
        #expect(first.body["deliveries"]?[0]?["deletable"] == .bool(true))
        let answer = await bench.send("DELETE", "/v1/uploads/\(first.id)")
        #expect(answer.status == 207)
        #expect(answer.body["status"]?.string == "partial")
        let outcomes = (answer.body["deletions"]?.array ?? []).map { $0["status"]?.string ?? "" }
        #expect(outcomes == ["deleted", "unsupported"])
        let request = try #require(bench.transport.requests.last)
        #expect(request.method == "DELETE" && request.url == "https://a.example/rm?token=t7")
        #expect(await bench.settled(first.id).states == ["deleted", "delivered"])
        // The log has its line beside the answer, perhaps a little later.
        @Sendable func lines() -> [JSONValue] {
            bench.lines.list.filter { $0["message"]?.string == "deletion finished" }
        }
        #expect(await Bench.eventually { !lines().isEmpty })
        let line = try #require(lines().first)
        #expect(lines().count == 1 && line["upload_id"]?.string == first.id && line["service"]?.string == "a")
        #expect(line["status"]?.string == "deleted" && line["error_kind"] == .null)
        #expect(await bench.send("DELETE", "/v1/uploads/\(first.id)").text == answer.text)
        #expect(bench.transport.requests.count == 3)
    }

    @Test("A deletion that fails for the moment is repeated")
    func deletionRepeats() async throws {
        let yaml = "a: {url: 'https://a.example/up', file: file, link: $.url, delete: {url: 'https://a.example/rm'}}"
        let count = Counter()
        let bench = try Bench(yaml: yaml) { request throws(TransportError) in
            if request.method == "DELETE", count.next() < 2 {
                return HTTPReply(status: 503, headers: [HTTPField("Retry-After", "0")], body: [], finalURL: request.url)
            }
            return try await Bench.delivers(request)
        }
        let first = await bench.post()
        let answer = await bench.send("DELETE", "/v1/uploads/\(first.id)")
        #expect(answer.status == 200)
        #expect(answer.body["deletions"]?[0]?["attempts"] == .number("3"))
    }

    @Test("An upload with deliveries under way is not deleted; one that is unknown is not found")
    func deletionRefused() async throws {
        let door = Door()
        let bench = try Bench(["a"]) { request throws(TransportError) in
            await door.pass()
            return try await Bench.delivers(request)
        }
        let first = await bench.post(headers: [HTTPField("Prefer", "respond-async")])
        let early = await bench.send("DELETE", "/v1/uploads/\(first.id)")
        #expect(early.status == 409 && early.body["code"]?.string == "upload_pending")
        door.open()
        for path in ["/v1/uploads/none", "/v1/uploads/none/events"] {
            #expect(await bench.send("GET", path).status == 404)
        }
        #expect(await bench.send("DELETE", "/v1/uploads/none").status == 404)
        #expect(await bench.send("POST", "/v1/uploads/none/retry").status == 404)
    }

    @Test("Text formats without a link say why instead of nothing")
    func textWithoutLinks() async throws {
        let bench = try Bench(["a"]) { request throws(TransportError) in
            HTTPReply(status: 403, headers: [], body: [], finalURL: request.url)
        }
        for format in ["text", "markdown", "html", "bbcode", "rst"] {
            let answer = await bench.post(query: [HTTPField("format", format)])
            #expect(answer.status == 502)
            #expect(answer.text.contains("a: failed: auth"), "\(answer.text)")
        }
    }

    @Test("A page of the history ends where it would be too long, and the next one goes on without a gap")
    func longHistory() async throws {
        let bench = try Bench((0..<20).map { "service-with-a-long-name-\($0)" }, script: Bench.delivers)
        await bench.gateway.start()
        for _ in 0..<60 { _ = await bench.post() }
        var seen: [String] = []
        var cursor = ""
        var pages = 0
        repeat {
            let query = [HTTPField("limit", "1000")] + (cursor.isEmpty ? [] : [HTTPField("cursor", cursor)])
            let page = await bench.send("GET", "/v1/uploads", query: query)
            #expect(page.text.utf8.count < 262_144 + 100)
            seen += (page.body["uploads"]?.array ?? []).compactMap { $0["id"]?.string }
            cursor = page.body["next"]?.string ?? ""
            pages += 1
        } while !cursor.isEmpty && pages < 60
        #expect(pages > 1 && seen.count == 60 && Set(seen).count == 60)
    }

    @Test("The history: newest first, in pages, filtered")
    func history() async throws {
        let moody = Moody()
        let bench = try Bench(["a", "b"]) { request throws(TransportError) in try await moody.answer(request) }
        var ids: [String] = []
        for number in 0..<5 {
            if number == 3 { moody.recover() }
            ids.append(await bench.post().id)
        }
        func page(_ query: [(String, String)]) async -> Bench.Answered {
            await bench.send("GET", "/v1/uploads", query: query.map { HTTPField($0.0, $0.1) })
        }
        func found(_ answer: Bench.Answered) -> [String] {
            (answer.body["uploads"]?.array ?? []).map { $0["id"]?.string ?? "" }
        }
        let first = await page([("limit", "2")])
        #expect(found(first) == [ids[4], ids[3]])
        let cursor = try #require(first.body["next"]?.string)
        #expect(found(await page([("limit", "9"), ("cursor", cursor)])) == [ids[2], ids[1], ids[0]])
        #expect(found(await page([("status", "delivered")])) == [ids[4], ids[3]])
        #expect(found(await page([("status", "partial"), ("service", "a"), ("limit", "1")])) == [ids[2]])
        #expect(found(await page([("service", "none")])) == [])
        #expect(found(await page([("since", "2999-01-01")])) == [])
        #expect(found(await page([("until", "2999-01-01T00:00:00Z"), ("since", "0")])).count == 5)
        for bad in [
            ("limit", "0"), ("status", "great"), ("since", "yesterday"), ("colour", "blue"),
            ("since", "-9223372036854775808"), ("until", "9223372036854775807"),
        ] {
            #expect(await page([bad]).status == 422)
        }
    }
}

/// Base64 for tests.
enum Base64Text {
    static func of(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<min(start + 3, bytes.count)]
            let value = part.enumerated().reduce(0) { $0 | Int($1.element) << (16 - 8 * $1.offset) }
            for place in 0..<4 {
                text.append(place <= part.count ? alphabet[value >> (18 - 6 * place) & 63] : "=")
            }
        }
        return text
    }
}
