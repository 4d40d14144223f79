// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore
import FanlightTestSupport
import Testing

@testable import FanlightGateway

@Suite("Request names, traces, timing and log lines")
struct RequestOriginTests {
    private static let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    @Test(
        "A sane request name is kept, another is replaced, and every answer has one",
        arguments: [
            ("abc-123_X.y:z/=+@", true), ("a", true), (String(repeating: "a", count: 128), true),
            (String(repeating: "a", count: 129), false), ("", false), ("a b", false), ("a\"b", false), ("ä", false),
            ("a\r\nb", false),
        ]
    )
    func names(given: String, isKept: Bool) async throws {
        let bench = try Bench(script: Bench.delivers)
        for path in ["/healthz", "/nothing", "/v1/uploads/none"] {
            let answer = await bench.send("GET", path, headers: [HTTPField("X-Request-ID", given)])
            let name = answer.header("X-Request-Id") ?? ""
            #expect((name == given) == isKept && RequestOrigin.isSane(name))
        }
    }

    @Test("Log lines hold names and numbers, nothing of the picture or its caption")
    func logLines() async throws {
        let bench = try Bench(["a", "b"]) { request throws(TransportError) in
            if host(request, is: "b") { return HTTPReply(status: 401, headers: [], body: [], finalURL: request.url) }
            return try await Bench.delivers(request)
        }
        let answer = await bench.post(
            query: [
                HTTPField("title", "PLANTED-title"), HTTPField("latitude", "51.5072"),
                HTTPField("longitude", "-0.1275"),
                HTTPField("tags", "PLANTED-tag"), HTTPField("extra", "PLANTED-field"),
            ],
            headers: [HTTPField("X-Request-Id", "r-1")]
        )
        #expect(answer.status == 207)
        #expect(await Bench.eventually { bench.lines.list.count == 3 })
        let lines = bench.lines.list
        for line in lines {
            #expect(line["upload_id"]?.string == answer.id && line["request_id"]?.string == "r-1")
            let text = line.serialized()
            #expect(!text.contains("PLANTED") && !text.contains("51.5") && !text.contains("example"), "\(text)")
        }
        #expect(lines.compactMap { $0["service"]?.string } == ["a", "b"])
        #expect(lines.compactMap { $0["error_kind"]?.string } == ["auth"])
        #expect(lines.last?["message"]?.string == "upload finished")
    }

    @Test("A circuit that opens, a journal that fails and uploads that are continued are told")
    func notes() {
        let lines = LineCollector()
        let log = EventLog { lines.add($0) }
        let events: [GatewayEvent] = [
            .circuit(service: "a", state: .open), .journalFailed(.full), .recovered(uploads: 2),
            .queue(service: "a", waiting: 1, underWay: 1),
        ]
        for event in events { log.note(event, at: "now") }
        #expect(lines.list.compactMap { $0["level"]?.string } == ["warning", "error", "info"])
        #expect(lines.list.first?["service"]?.string == "a" && lines.list.first?["circuit"]?.string == "open")
    }

    @Test("A journal that fails tells why, in one line a reason and ten seconds")
    func journalFailures() throws {
        let lines = LineCollector()
        let log = EventLog { lines.add($0) }
        let start = ContinuousClock.now
        let errors: [JournalError] = [
            .full, .readOnly(path: "/secret/place"), .busy, .damaged(path: "/secret/place", reason: "PLANTED"),
            .disk(code: 778), .failed(code: 1, reason: "PLANTED"),
        ]
        for second in 0..<13 {
            for error in errors {
                log.note(.journalFailed(error), at: "now", now: start + .seconds(second))
            }
        }
        log.note(.journalFailed(.busy, isReading: true), at: "now", now: start)
        let found = lines.list
        let reasons = ["full", "read_only", "locked", "damaged", "disk_error", "other"]
        #expect(found.compactMap { $0["reason"]?.string } == reasons + reasons + ["locked"])
        #expect(found.compactMap { $0["failures"]?.int } == [1, 1, 1, 1, 1, 1, 10, 10, 10, 10, 10, 10, 1])
        #expect(found.prefix(6).map { $0["code"]?.int } == [nil, nil, nil, nil, 778, 1])
        #expect(found.dropLast().allSatisfy { $0["message"]?.string == "journal refused a write" })
        #expect(found.last?["message"]?.string == "journal cannot be read")
        for line in found {
            let text = line.serialized()
            #expect(line["detail"]?.string?.isEmpty == false && line["level"]?.string == "error")
            #expect(!text.contains("secret/place") && !text.contains("PLANTED"), "\(text)")
        }
    }

    @Test("An upload that the journal refuses leaves the reason in the log")
    func refusedUpload() async throws {
        let bench = try Bench(["a"], script: Bench.delivers)
        await bench.gateway.start()
        bench.journal.fail(with: .readOnly(path: "/secret/place"))
        #expect(await bench.post().status == 503)
        let told = bench.events.list.contains {
            if case .journalFailed(.readOnly, false) = $0 { true } else { false }
        }
        #expect(told)
    }

    @Test("A valid traceparent goes on with a span of its own for each request")
    func traces() async throws {
        let bench = try Bench(["a", "b"], script: Bench.delivers)
        _ = await bench.post(
            headers: [
                HTTPField("Traceparent", Self.trace), HTTPField("tracestate", "vendor=1"),
                HTTPField("Tracestate", "b=2"),
            ]
        )
        let sent = bench.transport.requests
        let parents = sent.compactMap { $0.headers.first { $0.name == "traceparent" }?.value }
        #expect(parents.count == 2 && Set(parents).count == 2)
        for parent in parents {
            #expect(parent.hasPrefix("00-0af7651916cd43dd8448eb211c80319c-") && parent.hasSuffix("-01"))
            #expect(!parent.contains("b7ad6b7169203331") && TraceContext(parent) != nil)
        }
        #expect(sent.allSatisfy { $0.headers.contains(HTTPField("tracestate", "vendor=1,b=2")) })
    }

    @Test("No trace, no header; what is no trace goes nowhere")
    func noTraces() async throws {
        let bench = try Bench(["a"], script: Bench.delivers)
        _ = await bench.post()
        _ = await bench.post(headers: [
            HTTPField("traceparent", "00-zz-b7ad6b7169203331-01"), HTTPField("tracestate", "x=1"),
        ])
        #expect(bench.transport.requests.count == 2)
        for request in bench.transport.requests {
            #expect(!request.headers.contains { $0.name.lowercased().hasPrefix("trace") })
        }
    }

    @Test(
        "What a traceparent is",
        arguments: [
            (trace, true), ("01" + trace.dropFirst(2) + "-more", true), ("ff" + trace.dropFirst(2), false),
            (trace + "-more", false), (trace.uppercased(), false), ("", false),
            ("00-00000000000000000000000000000000-b7ad6b7169203331-01", false),
            ("00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", false),
            ("00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01", false),
        ]
    )
    func traceparent(text: String, isValid: Bool) {
        #expect((TraceContext(text) != nil) == isValid)
    }

    @Test("The policy off tells no service, start begins a trace")
    func policies() {
        let identity = Identity(now: { 0 }, random: { 0xABC })
        let head = RequestHead(method: "POST", path: "/", headers: [HTTPField("traceparent", Self.trace)])
        let bare = RequestHead(method: "POST", path: "/")
        #expect(RequestOrigin(head, .off, identity).trace == nil)
        #expect(RequestOrigin(bare, .pass, identity).trace == nil)
        #expect(RequestOrigin(bare, .start, identity).trace?.traceID == "0000000000000abc0000000000000abc")
        #expect(RequestOrigin(head, .start, identity).trace?.traceID == "0af7651916cd43dd8448eb211c80319c")
    }

    @Test("Server-Timing says where the time of an upload went; a refusal has the steps that it came to")
    func timing() async throws {
        let bench = try Bench(["a"], script: Bench.delivers)
        func steps(_ answer: Bench.Answered) -> [String] {
            (answer.header("Server-Timing") ?? "").split(separator: ", ").map { String($0.prefix { $0 != ";" }) }
        }
        #expect(steps(await bench.post()) == ["receive", "prepare", "deliver", "total"])
        #expect(steps(await bench.post(picture: [1, 2, 3])) == ["receive", "total"])
    }
}
