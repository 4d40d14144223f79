// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightTestSupport
import Foundation
import Testing

@testable import FanlightGateway

@Suite("Server-sent events")
struct WatchingTests {
    private struct Event: Equatable {
        var name = ""
        var id = ""
        var data = ""
    }

    /// Reads until the stream ends, or until nothing came for a while.
    private func read(_ stream: AnswerStream, patience: Int = 400) async -> (events: [Event], beats: Int, isOver: Bool)
    {
        var bytes: [UInt8] = []
        var quiet = 0
        var isOver = false
        while quiet < patience, !isOver {
            switch stream.take(atMost: 10_000) {
            case .bytes(let more):
                bytes += more
                quiet = 0
            case .finished: isOver = true
            case .nothing:
                quiet += 1
                try? await Task.sleep(for: .milliseconds(2))
            }
        }
        var events: [Event] = []
        var beats = 0
        for block in String(decoding: bytes, as: UTF8.self).components(separatedBy: "\n\n") where !block.isEmpty {
            if block.hasPrefix(":") {
                beats += 1
                continue
            }
            var event = Event()
            for line in block.split(separator: "\n") {
                if line.hasPrefix("event: ") { event.name = String(line.dropFirst(7)) }
                if line.hasPrefix("id: ") { event.id = String(line.dropFirst(4)) }
                if line.hasPrefix("data: ") { event.data = String(line.dropFirst(6)) }
            }
            events.append(event)
        }
        return (events, beats, isOver)
    }

    @Test("One event an outcome, then end with the report; signs of life between them")
    func live() async throws {
        let door = Door()
        let bench = try Bench(["a", "b"]) { request throws(TransportError) in
            if host(request, is: "b") { await door.pass() }
            return try await Bench.delivers(request)
        }
        let first = await bench.post(headers: [HTTPField("Prefer", "respond-async")])
        let answer = await bench.send("GET", "/v1/uploads/\(first.id)/events")
        #expect(answer.status == 200 && answer.header("Content-Type") == "text/event-stream")
        let stream = try #require(answer.stream)
        try await Task.sleep(for: .milliseconds(130))
        door.open()
        let (events, beats, isOver) = await read(stream)
        #expect(events.map(\.name) == ["delivery", "delivery", "end"])
        #expect(events.map(\.id) == ["1", "2", "end"])
        #expect(beats >= 1 && isOver)
        let report = try JSONParser.parse(Array(events[2].data.utf8))
        #expect(report["status"]?.string == "delivered")
        #expect(try JSONParser.parse(Array(events[0].data.utf8))["service"]?.string == "a")
    }

    @Test("Who comes back with the last id misses nothing and gets nothing twice")
    func resumes() async throws {
        let bench = try Bench(script: Bench.delivers)
        let first = await bench.post()
        for (last, ids) in [
            ("", ["1", "2", "3", "end"]), ("2", ["3", "end"]), ("3", ["end"]), ("x", ["1", "2", "3", "end"]),
        ] {
            let headers = last.isEmpty ? [] : [HTTPField("Last-Event-ID", last)]
            let answer = await bench.send("GET", "/v1/uploads/\(first.id)/events", headers: headers)
            let (events, _, isOver) = await read(try #require(answer.stream))
            #expect(events.map(\.id) == ids && isOver)
        }
        let done = await bench.send(
            "GET",
            "/v1/uploads/\(first.id)/events",
            headers: [HTTPField("Last-Event-ID", "end")]
        )
        #expect(done.status == 204)
    }

    @Test("A stop ends the stream without its last event")
    func stops() async throws {
        let bench = try Bench(["a"]) { request throws(TransportError) in
            try? await Task.sleep(for: .seconds(60))
            throw TransportError(.stopped, message: "", requestFullySent: false)
        }
        let first = await bench.post(headers: [HTTPField("Prefer", "respond-async")])
        let answer = await bench.send("GET", "/v1/uploads/\(first.id)/events")
        bench.gateway.interrupt()
        let (events, _, isOver) = await read(try #require(answer.stream), patience: 1_000)
        #expect(events.isEmpty && isOver)
    }
}
