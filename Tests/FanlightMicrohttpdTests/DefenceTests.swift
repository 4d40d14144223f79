// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightMicrohttpd
import Testing

/// Clients that mean ill, or leave, and a server that stops.
@Suite struct DefenceTests {
    private let service = ScriptedService()

    private func start(_ limits: ServerLimits = ServerLimits()) throws -> MicrohttpdServer {
        try MicrohttpdServer(address: "127.0.0.1", port: 0, service: service, limits: limits)
    }

    private func ask(_ server: MicrohttpdServer, _ request: String) async throws -> String {
        let client = try #require(RawClient(port: server.port))
        client.write(request)
        return await client.readAll()
    }

    @Test(arguments: ["", "Expect: 100-continue\r\n"]) func declaredTooLargeIsRefusedUnread(expect: String) async throws
    {
        let server = try start(ServerLimits(maxBodyBytes: 1_000))
        let answer = try await ask(server, "POST /up HTTP/1.1\r\nHost: a\r\n\(expect)Content-Length: 1001\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 413"))
        #expect(answer.contains(#""code":"too_large""#))
        #expect(service.finishCount == 0)
    }

    @Test func earlyRefusalIsNotLostWhenTheBodyIsSentAnyway() async throws {
        let server = try start(ServerLimits(maxBodyBytes: 1_000))
        for _ in 0..<20 {
            let client = try #require(RawClient(port: server.port))
            client.write("POST /up HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n")
            client.write([UInt8](repeating: 1, count: 2_000_000))
            #expect(await client.readAll().contains(#""code":"too_large""#))
        }
    }

    @Test func refusalAmidTheBodyReachesTheClient() async throws {
        let server = try start()
        let client = try #require(RawClient(port: server.port))
        client.write("POST /refuse HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        let chunk = "400\r\n" + String(repeating: "x", count: 1_024) + "\r\n"
        for _ in 0..<100 { client.write(chunk) }
        let answer = await client.readAll()
        #expect(answer.hasPrefix("HTTP/1.1 413 Content Too Large\r\nX-Why: enough\r\n"))
        #expect(answer.hasSuffix("too much"))
        #expect(service.finishCount == 0)
    }

    @Test func refusedClientCannotGoOnForEver() async throws {
        let server = try start()
        let client = try #require(RawClient(port: server.port))
        client.write("POST /refuse HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000000\r\n\r\n")
        let piece = [UInt8](repeating: 1, count: 65_536)
        var sent = 0
        while sent < 4_000, client.write(piece) { sent += 1 }
        #expect(sent < 4_000)
    }

    @Test func truncatedBodyIsAbandoned() async throws {
        let server = try start()
        do {
            let client = try #require(RawClient(port: server.port))
            client.write("POST /up HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc")
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(try await ScriptedService.eventually { service.abandonCount == 1 })
        #expect(service.finishCount == 0)
    }

    @Test func drippingBodyIsCutWithAnAnswer() async throws {
        let server = try start(ServerLimits(clientTimeout: .milliseconds(500)))
        let client = try #require(RawClient(port: server.port))
        client.write("POST /up HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n")
        let start = ContinuousClock.now
        let drip = Task {
            for _ in 0..<100 where client.write("x") { try await Task.sleep(for: .milliseconds(100)) }
        }
        let answer = await client.readAll()
        #expect(answer.hasPrefix("HTTP/1.1 408"))
        #expect(ContinuousClock.now - start < .seconds(6))
        drip.cancel()
        #expect(try await ScriptedService.eventually { service.abandonCount == 1 })
    }

    @Test func drippingHeadIsCut() async throws {
        let server = try start(ServerLimits(clientTimeout: .milliseconds(500)))
        let client = try #require(RawClient(port: server.port))
        client.write("POST /up HTTP/1.1\r\n")
        let start = ContinuousClock.now
        let drip = Task {
            for _ in 0..<100 where client.write("X: y\r\n") { try await Task.sleep(for: .milliseconds(100)) }
        }
        _ = await client.readAll()
        #expect(ContinuousClock.now - start < .seconds(6))
        drip.cancel()
    }

    @Test func drippingHeadOfALaterRequestIsCut() async throws {
        let server = try start(ServerLimits(clientTimeout: .milliseconds(300), idleTimeout: .seconds(1)))
        let client = try #require(RawClient(port: server.port))
        client.write("GET /answer HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(await client.read(until: "at once").contains("200"))
        client.write("GET /answer HTTP/1.1\r\n")
        let drip = Task {
            for _ in 0..<100 where client.write("X: y\r\n") { try await Task.sleep(for: .milliseconds(100)) }
        }
        let start = ContinuousClock.now
        #expect(await client.readAll().isEmpty)
        #expect(ContinuousClock.now - start < .seconds(6))
        drip.cancel()
    }

    @Test func silentConnectionIsClosed() async throws {
        let server = try start(ServerLimits(idleTimeout: .seconds(1)))
        let client = try #require(RawClient(port: server.port))
        let start = ContinuousClock.now
        #expect(await client.readAll().isEmpty)
        #expect(ContinuousClock.now - start < .seconds(6))
    }

    @Test func clientThatLeavesWhileTheServiceWorksHarmsNothing() async throws {
        let server = try start()
        for _ in 0..<20 {
            let client = try #require(RawClient(port: server.port))
            client.write("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
        }
        #expect(try await ScriptedService.eventually { service.finishCount == 20 })
        try await Task.sleep(for: .milliseconds(700))
        let answer = try await ask(server, "GET /answer HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(answer.contains("at once"))
        #expect(service.abandonCount == 0)
    }

    @Test func workIsNotCutByTheClientsDeadline() async throws {
        let server = try start(ServerLimits(clientTimeout: .milliseconds(200)))
        let answer = try await ask(server, "GET /slow HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 200"))
    }

    @Test(arguments: [
        "Content-Length: 3\r\nContent-Length: 4\r\n", "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
        "Content-Length: -1\r\n", "Content-Length: 3x\r\n", "Content-Length: 99999999999999999999999\r\n",
        "Transfer-Encoding: gzip\r\n",
    ])
    func unclearFramingIsRefused(fields: String) async throws {
        let server = try start()
        let answer = try await ask(server, "POST /up HTTP/1.1\r\nHost: a\r\n\(fields)\r\nabc")
        #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 4"), "\(answer)")
        #expect(service.finishCount == 0)
    }

    @Test(arguments: [(40_000, 1), (1_000, 60), (200_000, 1)]) func headIsBounded(size: Int, count: Int) async throws {
        let server = try start()
        let fields = String(repeating: "X: " + String(repeating: "y", count: size) + "\r\n", count: count)
        let answer = try await ask(server, "GET /up HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\(fields)\r\n")
        #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 4"))
        #expect(service.finishCount == 0)
    }

    @Test(arguments: ["\r\n\r\n", "GARBAGE\r\n\r\n", "GET\r\n\r\n", "\u{16}\u{3}\u{1}", "GET / HTTP/9.9\r\n\r\n"])
    func garbageEnds(bytes: String) async throws {
        let server = try start(ServerLimits(clientTimeout: .milliseconds(300)))
        _ = try await ask(server, bytes)
        #expect(
            try await ask(server, "GET /answer HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").contains("at once")
        )
    }

    @Test func surplusConnectionsAreTold() async throws {
        let server = try start(ServerLimits(maxConnections: 3))
        let kept = try (0..<3).map { _ in try #require(RawClient(port: server.port)) }
        for client in kept {
            client.write("GET /answer HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await client.read(until: "at once").contains("200"))
        }
        let answer = try await ask(server, "GET /answer HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 503"))
        #expect(answer.contains("Retry-After: 1\r\n"))
        kept[0].write("GET /answer HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(await kept[0].read(until: "at once").contains("200"))
    }

    @Test func silentConnectionsMakeRoom() async throws {
        let server = try start(ServerLimits(maxConnections: 10))
        let silent = try (0..<10).map { _ in try #require(RawClient(port: server.port)) }
        try await Task.sleep(for: .milliseconds(1_200))
        for _ in 0..<5 {
            let answer = try await ask(server, "GET /answer HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            #expect(answer.contains("at once"))
        }
        #expect(server.evictedConnections >= 1)
        #expect(await silent[0].readAll().isEmpty)
    }

    /// More at once than the library takes, all of them within the time that a silent connection is left in peace.
    @Test func aFloodOfSilentConnectionsKeepsNobodyOut() async throws {
        let server = try start(ServerLimits(maxConnections: 100, clientTimeout: .seconds(60)))
        let silent = try (0..<800).map { _ in try #require(RawClient(port: server.port)) }
        for _ in 0..<5 {
            let answer = try await ask(server, "GET /answer HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            #expect(answer.contains("at once") || answer.hasPrefix("HTTP/1.1 503"))
        }
        for _ in 0..<1_000 where server.connectionCount > 100 { try await Task.sleep(for: .milliseconds(20)) }
        #expect(server.connectionCount <= 100)
        let answer = try await ask(server, "GET /answer HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(answer.contains("at once"))
        withExtendedLifetime(silent) {}
    }

    @Test func whoWasServedKeepsItsPlaceBeforeThoseWhoSaidNothing() async throws {
        let server = try start(ServerLimits(maxConnections: 10))
        let served = try #require(RawClient(port: server.port))
        served.write("GET /answer HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(await served.read(until: "at once").contains("200"))
        let silent = try (0..<9).map { _ in try #require(RawClient(port: server.port)) }
        try await Task.sleep(for: .milliseconds(1_200))
        #expect(
            try await ask(server, "GET /answer HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").contains("at once")
        )
        served.write("GET /answer HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(await served.read(until: "at once").contains("200"))
        #expect(await silent[0].readAll().isEmpty)
    }

    @Test func oneAddressHasABound() async throws {
        let server = try start(ServerLimits(maxConnectionsPerAddress: 2))
        let kept = try (0..<2).map { _ in try #require(RawClient(port: server.port)) }
        #expect(try await ScriptedService.eventually { server.connectionCount == 2 })
        let answer = try await ask(server, "GET /answer HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 429"))
        #expect(answer.contains("Retry-After: 1\r\n"))
        kept[0].write("GET /answer HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(await kept[0].readAll().contains("at once"))
        #expect(try await ScriptedService.eventually { server.connectionCount == 1 })
        #expect(
            try await ask(server, "GET /answer HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").contains("at once")
        )
    }

    @Test func trustedAddressesHaveNoBound() async throws {
        let server = try start(ServerLimits(maxConnectionsPerAddress: 1, unlimited: ["127.0.0.1"]))
        let kept = try #require(RawClient(port: server.port))
        #expect(try await ScriptedService.eventually { server.connectionCount == 1 })
        let answer = try await ask(server, "GET /answer HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(answer.contains("at once"))
        kept.finishWriting()
    }

    @Test(arguments: [(0, "HTTP/1.1 408"), (20_000, "HTTP/1.1 200")])
    func aSteadyClientGetsTheTimeItNeeds(rate: Int, expected: String) async throws {
        let server = try start(ServerLimits(clientTimeout: .milliseconds(400), minRate: rate))
        let client = try #require(RawClient(port: server.port))
        client.write("POST /up HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 60000\r\n\r\n")
        // 6,000 bytes each 100 ms are three times the rate; on a busy machine still above it.
        for _ in 0..<10 {
            client.write([UInt8](repeating: 1, count: 6_000))
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(await client.readAll().hasPrefix(expected))
    }

    @Test func quietServerFinishesAndRefuses() async throws {
        let server = try start()
        let client = try #require(RawClient(port: server.port))
        client.write("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try await ScriptedService.eventually { service.finishCount == 1 })
        server.stopAccepting()
        #expect(RawClient(port: server.port) == nil)
        let answer = await client.readAll()
        #expect(answer.hasPrefix("HTTP/1.1 200"))
        #expect(answer.contains("Connection: close"))
        server.stop()
    }

    @Test func stopAnswersWhatWaits() async throws {
        let server = try start()
        let clients = try (0..<5).map { _ in try #require(RawClient(port: server.port)) }
        for client in clients { client.write("GET /endless HTTP/1.1\r\nHost: a\r\n\r\n") }
        let half = try #require(RawClient(port: server.port))
        half.write("POST /up HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc")
        #expect(try await ScriptedService.eventually { service.finishCount == 5 })
        try await Task.sleep(for: .milliseconds(50))
        let start = ContinuousClock.now
        server.stop()
        server.stop()
        #expect(ContinuousClock.now - start < .seconds(3))
        for client in clients { #expect(await client.readAll().hasPrefix("HTTP/1.1 503")) }
        #expect(service.abandonCount == 1)
    }
}
