// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightCurl
import FanlightMicrohttpd
import Glibc
import Testing

/// Requests of clients that mean well.
@Suite struct RequestTests {
    private let service = ScriptedService(file: CommandLine.arguments[0])
    private let server: MicrohttpdServer

    init() throws { server = try MicrohttpdServer(address: "127.0.0.1", port: 0, service: service) }

    private func ask(_ request: String) async throws -> String {
        let client = try #require(RawClient(port: server.port))
        client.write(request)
        client.finishWriting()
        return await client.readAll()
    }

    @Test func bodyWithLengthArrives() async throws {
        let answer = try await ask("POST /up HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc")
        #expect(answer.hasPrefix("HTTP/1.1 200"))
        #expect(answer.contains("POST /up ? length=3 count=3 sum=96354 peer=127.0.0.1\n"))
        #expect(service.finishCount == 1)
        #expect(service.abandonCount == 0)
    }

    @Test func chunkedBodyArrives() async throws {
        let answer = try await ask(
            "POST /up HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "1\r\na\r\n2;x=y\r\nbc\r\n0\r\n\r\n"
        )
        #expect(answer.contains("length=nil count=3 sum=96354"))
    }

    @Test func olderProtocolIsClosedAfterItsAnswer() async throws {
        let client = try #require(RawClient(port: server.port))
        client.write("POST /up HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc")
        let answer = await client.readAll()
        #expect(answer.contains("count=3"))
        #expect(!answer.lowercased().contains("chunked"))
    }

    @Test func expectIsAnsweredBeforeTheBody() async throws {
        let client = try #require(RawClient(port: server.port))
        client.write("POST /up HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
        #expect(await client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 100"))
        client.write("abc")
        #expect(await client.read(until: "peer=").contains("count=3"))
    }

    @Test(arguments: [
        ("/a%20b%2Fc", "/a b/c ?"), ("/%zz%4", "/%zz%4 ?"), ("/a%00b", "/a%00b ?"), ("/%ff", "/\u{FFFD} ?"),
        ("/p?x=1+2&y=%26&flag&x=%C3%A9", "/p ?x=1 2&y=&&flag=&x=é"), ("/?a=%", "/ ?a=%"),
        ("http://a/b%2Fc?x=1", "/b/c ?x=1"), ("http://a", "/ ?"),
    ])
    func pathAndQueryAreDecoded(target: String, expected: String) async throws {
        let answer = try await ask("GET \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(answer.contains("GET \(expected) length"), "\(answer)")
    }

    @Test(arguments: [("X: a b \t ", "[a b]"), ("X:\ta", "[a]"), ("X:  ", "[]"), ("X: \u{E9} ", "[\u{E9}]")])
    func blanksAroundAValueAreNoPartOfIt(line: String, expected: String) async throws {
        let answer = try await ask("GET /field HTTP/1.1\r\nHost: a \r\n\(line)\r\nConnection: close\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 200") && answer.hasSuffix(expected), "\(answer)")
    }

    @Test func manyRequestsShareAConnection() async throws {
        let client = try #require(RawClient(port: server.port))
        for number in 0..<500 {
            let body = String(repeating: "x", count: number)
            client.write("POST /n\(number) HTTP/1.1\r\nHost: a\r\nContent-Length: \(number)\r\n\r\n\(body)")
            let answer = await client.read(until: "peer=127.0.0.1\n")
            #expect(answer.contains("/n\(number) ? length=\(number == 0 ? "nil" : String(number)) count=\(number) "))
        }
        for _ in 0..<100 {
            client.write("GET /answer HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await client.read(until: "at once").contains("200"))
        }
    }

    @Test func pipelinedRequestsAreAnsweredInOrder() async throws {
        let client = try #require(RawClient(port: server.port))
        client.write(
            String(repeating: "GET /one HTTP/1.1\r\nHost: a\r\n\r\nGET /answer HTTP/1.1\r\nHost: a\r\n\r\n", count: 5)
        )
        let answer = await client.read(until: "at once", count: 5)
        #expect(answer.ranges(of: "GET /one").count == 5)
    }

    @Test func headHasTheLengthOnly() async throws {
        let answer = try await ask("HEAD /answer HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(answer.contains("Content-Length: 7\r\n"))
        #expect(answer.hasSuffix("\r\n\r\n"))
    }

    @Test func fileIsStreamed() async throws {
        let transport = CurlTransport()
        let reply = try await transport.send(
            HTTPRequest(method: "GET", url: "http://127.0.0.1:\(server.port)/file", maxReplyBytes: 1 << 30)
        )
        var facts = stat()
        // SAFETY: one structure, alive during the call.
        #expect(unsafe stat(CommandLine.arguments[0], &facts) == 0)
        #expect(reply.body.count == Int(facts.st_size))
        #expect(reply.header("Content-Type") == "image/png")
        #expect(reply.header("Content-Length") == String(reply.body.count))
    }

    @Test func missingFileIsNotFound() async throws {
        let other = try MicrohttpdServer(address: "127.0.0.1", port: 0, service: ScriptedService())
        let client = try #require(RawClient(port: other.port))
        client.write("GET /file HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(await client.readAll().hasPrefix("HTTP/1.1 404"))
    }

    @Test func headersOfAnswersCannotBreakOut() async throws {
        let answer = try await ask("GET /unsafe HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(!answer.contains("Y: b"))
        #expect(answer.contains("Content-Length: 0\r\n"))
    }

    @Test func manyClientsAtOnce() async throws {
        let transport = CurlTransport()
        let url = "http://127.0.0.1:\(server.port)/n"
        let body = [UInt8](repeating: 7, count: 300_000)
        let good = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    let reply = try await transport.send(HTTPRequest(method: "POST", url: url, body: .bytes(body)))
                    return String(decoding: reply.body, as: UTF8.self).contains("count=300000")
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(good == 200)
        #expect(service.abandonCount == 0)
    }

    @Test func servesIPv6AndNames() async throws {
        let transport = CurlTransport()
        for (address, host) in [("::1", "[::1]"), ("localhost", "localhost"), ("", "127.0.0.1")] {
            let other = try MicrohttpdServer(address: address, port: 0, service: service)
            let reply = try await transport.send(HTTPRequest(method: "GET", url: "http://\(host):\(other.port)/answer"))
            #expect(reply.status == 200)
        }
    }

    @Test func takenPortIsToldWithItsReason() async throws {
        #expect(throws: ServerError.cannotListen(address: "127.0.0.1", port: server.port, errno: EADDRINUSE)) {
            try MicrohttpdServer(address: "127.0.0.1", port: server.port, service: service)
        }
        let nameless = String(repeating: "x", count: 300)
        #expect(throws: ServerError.badAddress(nameless)) {
            try MicrohttpdServer(address: nameless, port: 0, service: service)
        }
    }
}
