// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightTestSupport
import Foundation
import Synchronization
import Testing

/// A gateway between its stop signal and its end, as clients see it who were connected before.
@Suite("Drain of a real gateway", .serialized)
struct DrainTests {
    private static func request(_ method: String, _ path: String) -> String {
        "\(method) \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"
    }

    /// Until an upload is received, and on its way to the service.
    private static func waitUntilUnderWay(_ live: LiveGateway) async throws {
        for _ in 0..<3_000 {
            let text = String(decoding: try await live.get(live.gateway.url + "/v1/services").body, as: UTF8.self)
            if text.contains(#""under_way":1"#) { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("no upload is under way")
    }

    @Test("A body that is coming at the stop signal may end within the drain; what does not is told so")
    func halfBodies() async throws {
        let live = try LiveGateway(server: "  drain: 3s", services: "  a: {adapter: local, folder: FOLDER/a}")
        let port = try #require(URL(string: live.gateway.url)?.port.map { UInt16($0) })
        let head =
            "POST /v1/uploads HTTP/1.1\r\nHost: a\r\nContent-Type: image/gif\r\nContent-Length: \(SamplePicture.gif.count)\r\n\r\n"
        let ending = try #require(KeptConnection(port: port))
        let endless = try #require(KeptConnection(port: port))
        for connection in [ending, endless] { connection.write(Array(head.utf8) + SamplePicture.gif.prefix(10)) }
        // Two heads are read.
        var isReceiving = false
        for _ in 0..<3_000 where !isReceiving {
            let text = String(decoding: try await live.get(live.gateway.url + "/metrics").body, as: UTF8.self)
            isReceiving = text.contains("\nfanlight_http_connections 3\n")
            if !isReceiving { try await Task.sleep(for: .milliseconds(10)) }
        }
        try await Task.sleep(for: .milliseconds(100))
        kill(live.gateway.pid, SIGTERM)
        while KeptConnection(port: port) != nil { try await Task.sleep(for: .milliseconds(10)) }
        #expect(ending.ask(Array(SamplePicture.gif.dropFirst(10))).hasPrefix("HTTP/1.1 200 "))
        let late = endless.ask([])
        #expect(late.hasPrefix("HTTP/1.1 503 ") && late.contains(#""stopping""#), "\(late)")
        #expect(live.gateway.stop() == 0)
    }

    @Test("After the stop signal, connections from before bring no new work; answers to what is under way still come")
    func keptConnections() async throws {
        let live = try LiveGateway(
            server: "  drain: 60s",
            services: "  slow: {url: 'SANDBOX/upload.json?delay=4000', file: file, link: $.url}"
        )
        let port = try #require(URL(string: live.gateway.url)?.port.map { UInt16($0) })
        let wishes: [(String, String, Int)] = [
            ("POST", "/v1/uploads", 503), ("POST", "/v1/uploads/x/retry", 503), ("DELETE", "/v1/uploads/x", 503),
            ("GET", "/readyz", 503), ("GET", "/v1/uploads", 200), ("GET", "/healthz", 200),
        ]
        var connections: [KeptConnection] = []
        for _ in wishes {
            let connection = try #require(KeptConnection(port: port))
            #expect(connection.ask("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n").hasPrefix("HTTP/1.1 200"))
            connections.append(connection)
        }
        let upload = Task { try await live.post(SamplePicture.gif, type: "image/gif") }
        try await Self.waitUntilUnderWay(live)
        kill(live.gateway.pid, SIGTERM)
        while KeptConnection(port: port) != nil { try await Task.sleep(for: .milliseconds(10)) }
        for ((method, path, status), connection) in zip(wishes, connections) {
            let answer = connection.ask(Self.request(method, path))
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(method) \(path): \(answer)")
            #expect(answer.contains("Connection: close\r\n"), "\(method) \(path): \(answer)")
            if status == 503 {
                #expect(answer.contains("Retry-After: ") && answer.contains(#""stopping""#), "\(method): \(answer)")
            }
        }
        #expect(try await upload.value.0 == 200)
        #expect(live.gateway.stop() == 0)
    }

    @Test(
        "An outcome that the journal refused is written before the end when that works again, else told as lost",
        arguments: [true, false]
    )
    func owedOutcome(isPutBack: Bool) async throws {
        let (hasArrived, mayAnswer) = (Flag(), Flag())
        let service = RawServer { peer in
            var request = ""
            // Its last byte leaves when the note of it is written.
            while !request.hasSuffix("--\r\n") {
                let more = peer.readSome()
                guard !more.isEmpty else { return }
                request += more
            }
            hasArrived.raise()
            mayAnswer.wait()
            let body = #"{"url": "https://a.example/1"}"#
            peer.write("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }
        defer { service.stop() }
        let live = try LiveGateway(
            server: "  drain: \(isPutBack ? 60 : 1)s",
            services: "  slow: {url: '\(service.url)/', file: file, link: $.url}",
            logs: true
        )
        let upload = Task { try await live.post(SamplePicture.gif, type: "image/gif") }
        for _ in 0..<6_000 where !hasArrived.isRaised { try await Task.sleep(for: .milliseconds(5)) }
        try #require(hasArrived.isRaised, "the service has no request")
        let journal = live.folder + "/state/journal.sqlite"
        try FileManager.default.moveItem(atPath: journal, toPath: journal + ".away")
        mayAnswer.raise()
        let (status, report) = try await upload.value
        #expect(status == 200)
        let refused = try await live.post(SamplePicture.gif, type: "image/gif")
        #expect(refused.0 == 503 && refused.1["code"]?.string == "journal_unavailable")
        kill(live.gateway.pid, SIGTERM)
        if isPutBack {
            try await Task.sleep(for: .milliseconds(200))
            try FileManager.default.moveItem(atPath: journal + ".away", toPath: journal)
        }
        #expect(live.gateway.stop() == 0)
        let lost = try live.gateway.log.split(separator: "\n").map { try JSONParser.parse(Array($0.utf8)) }.filter {
            $0["message"]?.string == "outcomes were not written"
        }
        #expect(lost.map { $0["outcomes"]?.int } == (isPutBack ? [] : [1]))
        guard isPutBack else { return }
        let next = try LiveProcess(["serve", "--config", live.folder + "/config.yaml"], ready: "fanlight ready ")
        let id = try #require(report["id"]?.string)
        let reply = try await live.get(next.url + "/v1/uploads/" + id)
        #expect(try JSONParser.parse(reply.body)["status"]?.string == "delivered")
        #expect(next.stop() == 0)
    }
}

/// Raised once, from any thread.
private final class Flag: Sendable {
    private let value = Mutex(false)
    var isRaised: Bool { value.withLock { $0 } }
    func raise() { value.withLock { $0 = true } }
    func wait() { while !isRaised { usleep(5_000) } }
}
