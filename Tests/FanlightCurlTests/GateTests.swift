// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightCurl
import FanlightTestSupport
import Synchronization
import Testing

/// A gate that a test opens or shuts, and that tells when it was asked.
private final class Gate: Sendable {
    private let state = Mutex<(asked: Int, verdict: Bool?)>((0, nil))

    var asked: Int { state.withLock { $0.asked } }

    func decide(_ verdict: Bool) { state.withLock { $0.verdict = verdict } }

    func ask() async -> Bool {
        state.withLock { $0.asked += 1 }
        while true {
            if let verdict = state.withLock({ $0.verdict }) { return verdict }
            try? await Task.sleep(for: .milliseconds(2))
        }
    }
}

/// The end of a request is held back until it may leave.
@Suite struct GateTests {
    private let transport = CurlTransport(maxConnections: 8)

    private static let bodies: [(String, HTTPRequest.Body)] = [
        ("bytes", .bytes(noise(10))), ("one byte", .bytes([65])), ("a file", .file(spooled(noise(1_000_000)))),
        (
            "a form that ends with a file",
            .multipart([
                .init(name: "a", content: .text("b")),
                .init(name: "f", content: .file(spooled(noise(400_000)), name: "f")),
            ])
        ),
        (
            "a form that ends with an empty text",
            .multipart([
                .init(name: "f", content: .file(spooled(noise(400_000)), name: "f")),
                .init(name: "t", content: .text("xy")),
                .init(name: "e", content: .text("")),
            ])
        ),
        ("pieces", .pieces([.bytes(noise(5)), .base64(spooled(noise(300_001)))])),
        ("an empty form", .multipart([.init(name: "e", content: .text(""))])), ("no body", .empty),
    ]

    /// Counts what arrives after the head, answers when the whole declared length is there.
    private func server(_ complete: Counter) -> RawServer {
        RawServer { peer in
            var came: [UInt8] = []
            var wanted = Int.max
            while came.count < wanted {
                let part = peer.readBytes()
                if part.isEmpty { return }
                came += part
                if wanted == .max, let end = Self.headEnd(came) { wanted = end + Self.length(came[..<end]) }
            }
            complete.add()
            peer.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
    }

    /// Bytes of the head with its empty line; `nil` before it is complete.
    private static func headEnd(_ bytes: [UInt8]) -> Int? {
        let mark = Array("\r\n\r\n".utf8)
        return (0..<max(0, bytes.count - 3)).first { Array(bytes[$0..<($0 + 4)]) == mark }.map { $0 + 4 }
    }

    /// The declared length of the body.
    private static func length(_ head: ArraySlice<UInt8>) -> Int {
        let lines = String(decoding: head, as: UTF8.self).lowercased().split(separator: "\r\n")
        let line = lines.first { $0.hasPrefix("content-length:") }
        return line.flatMap { Int($0.dropFirst(15).drop { $0 == " " }) } ?? 0
    }

    private func request(_ url: String, _ body: HTTPRequest.Body, _ gate: Gate) -> HTTPRequest {
        var request = HTTPRequest(method: "POST", url: url, body: body)
        request.beforeLastByte = { await gate.ask() }
        return request
    }

    @Test("Until the gate opens, no complete request arrives; then it does, once", arguments: bodies)
    func opens(name: String, body: HTTPRequest.Body) async throws {
        let complete = Counter()
        let server = server(complete)
        defer { server.stop() }
        let gate = Gate()
        let request = request(server.url, body, gate)
        let sending = Task { try await transport.send(request) }
        for _ in 0..<2_000 where gate.asked == 0 { try await Task.sleep(for: .milliseconds(2)) }
        try await Task.sleep(for: .milliseconds(60))
        #expect(gate.asked == 1)
        #expect(complete.count == 0)
        gate.decide(true)
        #expect(try await sending.value.status == 200)
        #expect(complete.count == 1 && gate.asked == 1)
    }

    @Test("A gate that stays shut ends the exchange, and the request never was complete", arguments: bodies)
    func staysShut(name: String, body: HTTPRequest.Body) async throws {
        let complete = Counter()
        let server = server(complete)
        defer { server.stop() }
        let gate = Gate()
        gate.decide(false)
        do {
            _ = try await transport.send(request(server.url, body, gate))
            Issue.record("a reply came")
        } catch {
            #expect(error.cause == .stopped && !error.requestFullySent)
        }
        try await Task.sleep(for: .milliseconds(30))
        #expect(complete.count == 0)
    }

    @Test("Cancelling while the end is held back ends the exchange, not sent")
    func cancelled() async throws {
        let complete = Counter()
        let server = server(complete)
        defer { server.stop() }
        let gate = Gate()
        let request = request(server.url, .file(spooled(noise(100_000))), gate)
        let sending = Task { try await transport.send(request) }
        for _ in 0..<2_000 where gate.asked == 0 { try await Task.sleep(for: .milliseconds(2)) }
        sending.cancel()
        switch await sending.result {
        case .success: Issue.record("a reply came")
        case .failure(let error): #expect((error as? TransportError)?.requestFullySent == false)
        }
        gate.decide(true)
        try await Task.sleep(for: .milliseconds(30))
        #expect(complete.count == 0)
    }
}
