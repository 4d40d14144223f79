// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightCurl
import FanlightTestSupport
import Glibc
import Testing

/// Requests to servers that misbehave.
@Suite struct FailureTests {
    private let transport = CurlTransport(maxConnections: 8)

    private func failure(_ request: HTTPRequest) async throws -> TransportError {
        do {
            let reply = try await transport.send(request)
            Issue.record("A reply came: \(reply.status)")
            throw TransportError(.stopped, message: "", requestFullySent: false)
        } catch let error as TransportError {
            return error
        }
    }

    @Test func refusedPort() async throws {
        let (descriptor, port) = RawServer.reserve()
        defer { close(descriptor) }
        let error = try await failure(
            HTTPRequest(method: "POST", url: "http://127.0.0.1:\(port)/?token=hush", body: .bytes([1]))
        )
        #expect(error.cause == .refused)
        #expect(!error.requestFullySent)
        #expect(!error.message.contains("hush"))
    }

    @Test func unknownHost() async throws {
        let error = try await failure(
            HTTPRequest(method: "POST", url: "http://no-such-host.invalid/", body: .bytes([1]))
        )
        #expect(error.cause == .dns)
        #expect(!error.requestFullySent)
    }

    @Test func plainServerIsNoTLS() async throws {
        let server = RawServer { peer in
            _ = peer.readSome()
            peer.write("HTTP/1.1 400 Bad Request\r\n\r\n")
        }
        defer { server.stop() }
        let error = try await failure(HTTPRequest(method: "GET", url: "https://127.0.0.1:\(server.port)/"))
        #expect(error.cause == .tls)
        #expect(!error.requestFullySent)
    }

    @Test func silenceAfterTheBodyIsAStallWithUnknownOutcome() async throws {
        let server = RawServer { peer in peer.waitForClose() }
        defer { server.stop() }
        let start = ContinuousClock.now
        let error = try await failure(
            HTTPRequest(
                method: "POST",
                url: server.url,
                body: .multipart([.init(name: "a", content: .text("b"))]),
                timeouts: Timeouts(stall: .milliseconds(300))
            )
        )
        #expect(error.cause == .stallTimeout)
        #expect(error.requestFullySent)
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    @Test func silenceAmidTheBodyIsNotFullySent() async throws {
        let server = RawServer { peer in
            _ = peer.readSome()
            sleep(3)
        }
        defer { server.stop() }
        let error = try await failure(
            HTTPRequest(
                method: "POST",
                url: server.url,
                body: .file(spooled(noise(20_000_000))),
                timeouts: Timeouts(stall: .milliseconds(400))
            )
        )
        #expect(error.cause == .stallTimeout)
        #expect(!error.requestFullySent)
    }

    @Test func drippingReplyMeetsTheTotalTimeout() async throws {
        let server = RawServer { peer in
            _ = peer.read(until: "\r\n\r\n")
            peer.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
            for _ in 0..<30 {
                peer.write("x")
                usleep(100_000)
            }
        }
        defer { server.stop() }
        let error = try await failure(
            HTTPRequest(
                method: "GET",
                url: server.url,
                timeouts: Timeouts(stall: .milliseconds(500), total: .milliseconds(900))
            )
        )
        #expect(error.cause == .totalTimeout)
        #expect(error.requestFullySent)
    }

    @Test(arguments: ["Content-Length: 5000", "X: y"]) func replyTooLarge(header: String) async throws {
        let server = RawServer { peer in
            _ = peer.read(until: "\r\n\r\n")
            peer.write("HTTP/1.1 200 OK\r\n\(header)\r\n\r\n" + String(repeating: "x", count: 5_000))
        }
        defer { server.stop() }
        let error = try await failure(HTTPRequest(method: "GET", url: server.url, maxReplyBytes: 4_999))
        #expect(error.cause == .replyTooLarge)
        let reply = try await transport.send(HTTPRequest(method: "GET", url: server.url, maxReplyBytes: 5_000))
        #expect(reply.body.count == 5_000)
    }

    @Test func headOfAReplyIsBounded() async throws {
        let server = RawServer { peer in
            _ = peer.read(until: "\r\n\r\n")
            peer.write("HTTP/1.1 200 OK\r\n")
            for _ in 0..<100 { peer.write("X: " + String(repeating: "y", count: 1_000) + "\r\n") }
            peer.write("Content-Length: 0\r\n\r\n")
        }
        defer { server.stop() }
        let error = try await failure(HTTPRequest(method: "GET", url: server.url))
        #expect(error.cause == .replyTooLarge)
    }

    @Test(arguments: [
        ("SSH-2.0-OpenSSH\r\n", TransportError.Cause.malformedReply),
        ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", .connectionLost),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", .connectionLost), ("", .connectionLost),
    ])
    func brokenReply(reply: String, cause: TransportError.Cause) async throws {
        let server = RawServer { peer in
            _ = peer.read(until: "\r\n\r\nX")
            peer.write(reply)
        }
        defer { server.stop() }
        let error = try await failure(HTTPRequest(method: "POST", url: server.url, body: .bytes([UInt8(ascii: "X")])))
        #expect(error.cause == cause)
        #expect(error.requestFullySent)
    }

    @Test func onlyTheFinalHeadCounts() async throws {
        let server = RawServer { peer in
            _ = peer.read(until: "\r\n\r\n")
            peer.write("HTTP/1.1 103 Early Hints\r\nLink: early\r\n\r\n")
            peer.write("HTTP/1.1 201 Created\r\nX-Long: one\r\n two\r\nTransfer-Encoding: chunked\r\n\r\n")
            peer.write("2\r\nok\r\n0\r\nX-Trailer: late\r\n\r\n")
        }
        defer { server.stop() }
        let reply = try await transport.send(HTTPRequest(method: "GET", url: server.url))
        #expect(reply.status == 201)
        #expect(reply.header("X-Long") == "one two")
        #expect(reply.header("Link") == nil)
        #expect(reply.header("X-Trailer") == nil)
        #expect(reply.body == Array("ok".utf8))
    }

    @Test func earlyErrorReplyIsNotFullySent() async throws {
        let server = RawServer { peer in
            _ = peer.read(until: "\r\n\r\n")
            peer.write("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            sleep(1)
        }
        defer { server.stop() }
        let reply = try await transport.send(
            HTTPRequest(method: "POST", url: server.url, body: .file(spooled(noise(30_000_000))))
        )
        #expect(reply.status == 413)
        #expect(!reply.requestFullySent)
    }

    @Test func sentRequestIsNotRepeatedWhenAReusedConnectionDies() async throws {
        let requests = Counter()
        let server = RawServer { peer in
            if !peer.read(until: "\r\n\r\nX").isEmpty { requests.add() }
            peer.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            if !peer.read(until: "\r\n\r\nX").isEmpty { requests.add() }
        }
        defer { server.stop() }
        let request = HTTPRequest(method: "POST", url: server.url, body: .bytes([UInt8(ascii: "X")]))
        let reply = try await transport.send(request)
        #expect(reply.status == 200)
        let error = try await failure(request)
        #expect(error.cause == .connectionLost)
        #expect(error.requestFullySent)
        try await Task.sleep(for: .milliseconds(100))
        #expect(requests.count == 2)
    }

    @Test func connectionsAreReused() async throws {
        let server = RawServer { peer in
            while !peer.read(until: "\r\n\r\nX").isEmpty {
                peer.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        }
        defer { server.stop() }
        for _ in 0..<20 {
            let request = HTTPRequest(method: "POST", url: server.url, body: .bytes([UInt8(ascii: "X")]))
            #expect(try await transport.send(request).status == 200)
        }
        #expect(server.connections == 1)
    }

    @Test func cancelledTaskSendsNothing() async throws {
        let server = RawServer { peer in peer.waitForClose() }
        defer { server.stop() }
        let url = server.url
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await transport.send(HTTPRequest(method: "GET", url: url))
        }
        let error = await #expect(throws: TransportError.self) { try await task.value }
        #expect(error?.cause == .stopped)
        #expect(server.connections == 0)
    }

    @Test func cancellationEndsTheTransfer() async throws {
        let server = RawServer { peer in peer.waitForClose() }
        defer { server.stop() }
        let start = ContinuousClock.now
        let url = server.url
        let task = Task { try await transport.send(HTTPRequest(method: "GET", url: url)) }
        #expect(try await server.hasConnections(1))
        task.cancel()
        let error = await #expect(throws: TransportError.self) { try await task.value }
        #expect(error?.cause == .stopped)
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    @Test func shutdownEndsWhatRunsAndWhatWaits() async throws {
        let server = RawServer { peer in peer.waitForClose() }
        defer { server.stop() }
        let narrow = CurlTransport(maxConnections: 1)
        let url = server.url
        let tasks = (0..<3).map { _ in Task { try await narrow.send(HTTPRequest(method: "GET", url: url)) } }
        #expect(try await server.hasConnections(1))
        try await Task.sleep(for: .milliseconds(50))
        #expect(server.connections == 1)
        narrow.shutdown()
        for task in tasks {
            let error = await #expect(throws: TransportError.self) { try await task.value }
            #expect(error?.cause == .stopped)
        }
    }

    @Test func waitingForAPlaceCountsTowardsTheTotal() async throws {
        let server = RawServer { peer in peer.waitForClose() }
        defer { server.stop() }
        let narrow = CurlTransport(maxConnections: 1)
        let url = server.url
        let first = Task {
            try await narrow.send(HTTPRequest(method: "GET", url: url, timeouts: Timeouts(total: .seconds(3))))
        }
        #expect(try await server.hasConnections(1))
        let error = await #expect(throws: TransportError.self) {
            try await narrow.send(HTTPRequest(method: "GET", url: url, timeouts: Timeouts(total: .milliseconds(100))))
        }
        #expect(error?.cause == .totalTimeout)
        #expect(error?.requestFullySent == false)
        #expect(server.connections == 1)
        first.cancel()
        await #expect(throws: TransportError.self) { try await first.value }
    }

    @Test func fileShorterThanItSaysIsAnError() async throws {
        let server = RawServer { peer in peer.waitForClose() }
        defer { server.stop() }
        let whole = spooled(noise(1_000))
        let lying = SpooledFile(path: "/nonexistent", descriptor: dup(whole.descriptor), size: 2_000)
        let error = try await failure(HTTPRequest(method: "POST", url: server.url, body: .file(lying)))
        #expect(error.cause == .connectionLost)
        #expect(!error.requestFullySent)
    }
}
