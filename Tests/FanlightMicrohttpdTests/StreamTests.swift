// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightMicrohttpd
import Testing

@Suite struct StreamTests {
    private let service = ScriptedService()

    private func start() throws -> MicrohttpdServer {
        try MicrohttpdServer(address: "127.0.0.1", port: 0, service: service)
    }

    @Test func newsIsSentWhenItComes() async throws {
        let server = try start()
        defer { server.stop() }
        let client = try #require(RawClient(port: server.port))
        client.write("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(await client.read(until: "\r\n\r\n").contains("Transfer-Encoding: chunked"))
        for word in ["first", "second", "third"] {
            #expect(service.stream.write(Array(word.utf8)))
            #expect(await client.read(until: word).contains(word))
        }
        service.stream.finish()
        #expect(await client.read(until: "0\r\n\r\n").hasSuffix("0\r\n\r\n"))
        client.write("GET /answer HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(await client.read(until: "at once").contains("at once"))
        #expect(!service.stream.isAbandoned)
    }

    @Test func headOfAStreamIsAHeadAndNothingMore() async throws {
        let server = try start()
        defer { server.stop() }
        let client = try #require(RawClient(port: server.port))
        client.write("HEAD /stream HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(await client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200"))
        client.write("GET /answer HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(await client.read(until: "at once").hasPrefix("HTTP/1.1 200"))
        #expect(service.stream.isAbandoned)
    }

    @Test func aLongBodyArrivesWhole() async throws {
        let server = try start()
        defer { server.stop() }
        let client = try #require(RawClient(port: server.port))
        for _ in 0..<90 { service.stream.write([UInt8](repeating: UInt8(ascii: "x"), count: 1_000)) }
        service.stream.finish()
        client.write("GET /stream HTTP/1.0\r\n\r\n")
        let text = await client.readAll()
        #expect(text.filter { $0 == "x" }.count == 90_000)
    }

    @Test func aClientThatLeavesIsNoticedAtTheNextNews() async throws {
        let server = try start()
        defer { server.stop() }
        var client = RawClient(port: server.port)
        client?.write("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = await client?.read(until: "\r\n\r\n")
        client = nil
        let isNoticed = try await ScriptedService.eventually {
            service.stream.write(Array(": are you there\n\n".utf8))
            return service.stream.isAbandoned
        }
        #expect(isNoticed)
        #expect(!service.stream.write([1]))
    }

    @Test func aClientThatDoesNotReadCostsNoMoreThanTheLimit() async throws {
        let stream = AnswerStream(limit: 1_000)
        #expect(stream.write([UInt8](repeating: 0, count: 900)))
        #expect(!stream.write([UInt8](repeating: 0, count: 200)))
        #expect(!stream.write([1]))
        #expect(stream.take(atMost: 2_000) == .bytes([UInt8](repeating: 0, count: 900)))
        #expect(stream.take(atMost: 2_000) == .finished)
    }

    @Test func aStopEndsOpenStreams() async throws {
        let server = try start()
        let client = try #require(RawClient(port: server.port))
        client.write("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = await client.read(until: "\r\n\r\n")
        server.stop()
        #expect(await client.readAll().hasSuffix("0\r\n\r\n"))
        #expect(!service.stream.write([1]))
    }
}
