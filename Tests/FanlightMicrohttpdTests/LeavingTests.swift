// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightMicrohttpd
import Testing

/// Clients that close their side of the connection before they have an answer.
@Suite("Clients that leave")
struct LeavingTests {
    private let service = ScriptedService()

    private func start() throws -> MicrohttpdServer {
        try MicrohttpdServer(address: "127.0.0.1", port: 0, service: service)
    }

    /// The end of a body may come together with its last bytes, and then nothing more comes to wake anybody.
    @Test("Those that leave amid their bodies are missed soon")
    func leaving() async throws {
        let server = try start()
        let part = [UInt8](repeating: 1, count: 900_000)
        for _ in 0..<40 {
            let client = try #require(RawClient(port: server.port))
            client.write("POST /up HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n")
            client.write(part)
        }
        #expect(try await ScriptedService.eventually { service.abandonCount == 40 && server.connectionCount == 0 })
        #expect(service.finishCount == 0)
    }

    @Test("Those that only stop sending get their answer")
    func finishing() async throws {
        let server = try start()
        let clients = try (0..<8).map { _ in
            let client = try #require(RawClient(port: server.port))
            client.write("POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 500000\r\n\r\n")
            client.write([UInt8](repeating: 1, count: 500_000))
            client.finishWriting()
            return client
        }
        for client in clients { #expect(await client.readAll().contains("count=500000")) }
        #expect(try await ScriptedService.eventually { server.connectionCount == 0 })
        for path in ["/answer", "/slow"] {
            let client = try #require(RawClient(port: server.port))
            client.write("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
            client.finishWriting()
            #expect(await client.readAll().hasPrefix("HTTP/1.1 200 OK"))
        }
    }
}
