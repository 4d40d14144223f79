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
        #expect(server.refusals == [413: 1])
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
        #expect(server.refusals == [408: 1])
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

    @Test(arguments: [
        "Host: a\r\nContent-Length : 80\r\n", "Host: a\r\nContent-Length\t: 80\r\n",
        "Host: a\r\nTransfer-Encoding : chunked\r\n",
        "Host: a\r\nTransfer-Encoding\t: chunked\r\nContent-Length: 5\r\n",
        "Host: a\r\nContent-Length:\r\n 80\r\n", "Host: a\r\nContent-Length: 5\r\n 6\r\n",
        "Host: a\r\nContent-:\r\n Length\r\n", "Host: a\r\nX: y\r\n\tContent-Length: 5\r\n",
        " X: y\r\nHost: a\r\n", "Host: a\r\nX: y\r\n \r\n",
        "Host: a\r\nContent-Length: 5\0 6\r\n", "Host: a\r\nContent-Length: 5\0\r\n",
        "Host: a\r\nTransfer-Encoding: chunked\0x\r\n", "Host: a\r\nX: \0y\r\n", "Host: a\r\nX\0y: z\r\n",
        "Host: a\r\n\0X: y\r\nContent-Length: 80\r\n", "Host: a\r\n\0\0\0X: y\r\nContent-Length: 80\r\n",
        "Host: a\r\nX: a\u{1}b\r\n", "Host: a\r\nX: a\u{1B}[2J\r\n", "Host: a\r\nX: a\u{7F}\r\n",
        "\0X: y\r\nHost: a\r\n", "Host: a\n\0X: y\nContent-Length: 80\r\n",
        "Host: a\r\nX: y\rContent-Length: 80\r\n", "Host: a\r\n: y\r\n", "Host: a\r\nX(y): z\r\n",
        "Host: a\r\nContent-Length:\r\n", "Host: a\r\nTransfer-Encoding:\r\n", "X: y\r\n", "Host: a\r\nHost: a\r\n", "",
    ])
    func oddHeadsAreRefusedAndTheConnectionIsClosed(fields: String) async throws {
        let server = try start()
        let hidden = "GET /answer HTTP/1.1\r\nHost: a\r\n\r\n"
        for method in ["POST", "GET", "HEAD"] {
            let client = try #require(RawClient(port: server.port))
            client.write("\(method) /answer HTTP/1.1\r\n\(fields)\r\n\(hidden)\(hidden)\(hidden)")
            let answer = await client.readAll()
            #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
            // The library writes the head of its own refusal of a length twice.
            #expect(!answer.contains("HTTP/1.1 2"), "\(answer)")
        }
        #expect(try await ScriptedService.eventually { server.connectionCount == 0 })
    }

    @Test(arguments: [
        "Host: a\r\nContent-Length : 80\r\n", "Host: a\r\nContent-Length:\r\n 80\r\n",
        "Host: a\r\nContent-Length: 5\0 6\r\n", "Host: a\r\n\0X: y\r\n", "Host: a\r\nX: y\rz\r\n", "",
    ]) func oddHeadsAreToldAsSuch(fields: String) async throws {
        let answer = try await ask(try start(), "POST /up HTTP/1.1\r\n\(fields)\r\nhello")
        #expect(answer.contains("Content-Type: application/problem+json\r\n"), "\(answer)")
        #expect(answer.contains("Connection: close\r\n"), "\(answer)")
        #expect(answer.contains(#""code":"bad_framing""#), "\(answer)")
    }

    @Test(arguments: [
        "5\r\nhello\r\n0\r\n\r\n", "5;\nhello\r\n0\n\n", "5\r\nhello\r\n0\r\n\0X: y\r\n", "0\r\nX: y\r\n\0Z: \r\n",
    ]) func nothingIsRunBehindChunks(chunks: String) async throws {
        let hidden = "GET /answer HTTP/1.1\r\nHost: a\r\n\r\n"
        let head = "POST /up HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        let answer = try await ask(try start(), head + chunks + hidden + hidden)
        #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
        #expect(answer.contains("Connection: close\r\n"), "\(answer)")
        #expect(!answer.contains("at once"), "\(answer)")
    }

    @Test func codingsOfHTTP10AreRefused() async throws {
        let answer = try await ask(
            try start(),
            "POST /up HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        )
        #expect(answer.hasPrefix("HTTP/1.1 400 ") || answer.hasPrefix("HTTP/1.0 400 "), "\(answer)")
    }

    /// Several on one connection, in pieces, so that the library moves and grows its buffer between them.
    @Test(arguments: [
        "Host: a\r\n", "host:a\r\n", "Host:  \t a\r\nX:\r\nY: \t\r\n", "Host: a\nX: y\n",
        "Host: a\r\nCookie: a=b; c=d\r\nX-~!#$%&'*+.^_`|: \u{e9}\u{ff}\r\n",
    ]) func ordinaryHeadsAreTaken(fields: String) async throws {
        let server = try start()
        let client = try #require(RawClient(port: server.port))
        let long = "X-Long: " + String(repeating: "y", count: 12_000) + "\r\n"
        let head = "GET /answer?a=b%20c&d HTTP/1.1\r\n\(fields)"
        for _ in 0..<3 {
            client.write("\(head)\r\n\(head)\(long)")
            #expect(await client.read(until: "at once").hasPrefix("HTTP/1.1 200"))
            client.write("Accept: */*\r\n\(long)\r\n")
            #expect(await client.read(until: "at once").hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test func oldClientsNeedNoHost() async throws {
        let server = try start()
        #expect(try await ask(server, "GET /answer HTTP/1.0\r\n\r\n").contains("at once"))
        #expect(try await ask(server, "GET /answer HTTP/1.0\n\n").contains("at once"))
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
        #expect(server.refusals == [503: 1])
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

    /// What has no place itself leaves none; the one behind it does.
    @Test func oneWithoutAPlaceDoesNotStandInForOneWithIt() async throws {
        let server = try start(ServerLimits(maxConnections: 1, clientTimeout: .seconds(60)))
        let placed = try #require(RawClient(port: server.port))
        placed.write("POST /up HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n")
        #expect(try await ScriptedService.eventually { server.bodiesUnderWay == 1 })
        // It says nothing, and for longer than the other.
        let surplus = try #require(RawClient(port: server.port))
        #expect(try await ScriptedService.eventually { server.connectionCount == 2 })
        placed.write("a")
        #expect(await placed.read(until: "count=1").contains("200"))
        try await Task.sleep(for: .milliseconds(300))
        let answer = try await ask(server, "GET /answer HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(answer.contains("at once"))
        withExtendedLifetime(surplus) {}
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
        #expect(server.refusals == [429: 1])
        #expect(answer.contains("Retry-After: 1\r\n"))
        kept[0].write("GET /answer HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(await kept[0].readAll().contains("at once"))
        #expect(try await ScriptedService.eventually { server.connectionCount == 1 })
        #expect(
            try await ask(server, "GET /answer HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").contains("at once")
        )
    }

    /// Clients at 127.0.0.1 and 127.0.0.2: one takes more than an address may have, the other wants its answer.
    @Test func anAddressThatIsRefusedTakesNobodysPlace() async throws {
        let server = try start(ServerLimits(maxConnections: 8, maxConnectionsPerAddress: 2))
        let greedy = try (0..<40).map { _ in try #require(RawClient(port: server.port, from: 0x7f00_0002)) }
        defer { withExtendedLifetime(greedy) {} }
        for _ in 0..<8 {
            let answer = try await ask(server, "GET /answer HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            #expect(answer.contains("at once"))
        }
        #expect(server.refusals[503] == nil)
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
