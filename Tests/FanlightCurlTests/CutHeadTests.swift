// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightCurl
import FanlightTestSupport
import Testing

/// Connections that are closed amid the header lines of a reply, after the whole request was taken.
@Suite struct CutHeadTests {
    private let transport = CurlTransport(maxConnections: 8)

    /// Sends a body of one byte to a server that takes it, writes the text and closes.
    private func send(_ method: String = "POST", repliedWith text: String) async throws(TransportError) -> HTTPReply {
        let server = RawServer { peer in
            _ = peer.read(until: method == "HEAD" ? "\r\n\r\n" : "\r\n\r\nX")
            peer.write(text)
        }
        defer { server.stop() }
        let body: HTTPRequest.Body = method == "HEAD" ? .empty : .bytes([UInt8(ascii: "X")])
        return try await transport.send(HTTPRequest(method: method, url: server.url, body: body))
    }

    @Test(arguments: [
        "HTTP/1.1 200", "HTTP/1.1 200 OK\r", "HTTP/1.1 200 OK\r\n", "HTTP/1.0 200 OK\r\n",
        "HTTP/1.1 204 No Content\r\n",
        "HTTP/1.1 200 OK\r\nContent-", "HTTP/1.1 200 OK\r\nContent-Length: 0",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n",
        "HTTP/1.1 200 OK\r\nX: y\r\n \r\n", "HTTP/1.1 200 OK\r\nHTTP/X: 100\r\n",
        "HTTP/1.1 307 Temporary Redirect\r\nLocation: /\r\n",
        "HTTP/1.1 401 Unauthorized\r\nContent-Le", "HTTP/1.1 429 Too Many Requests\r\nRetry-Af",
        "HTTP/1.1 100 Continue\r\n", "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-",
    ])
    func cutHeadIsNoReply(text: String) async throws {
        let error = await #expect(throws: TransportError.self) { try await send(repliedWith: text) }
        #expect(error?.cause == .connectionLost)
        #expect(error?.requestFullySent == true)
    }

    @Test func cutHeadOfARequestForTheHeadAloneIsNoReply() async throws {
        let error = await #expect(throws: TransportError.self) {
            try await send("HEAD", repliedWith: "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n")
        }
        #expect(error?.cause == .connectionLost)
    }

    @Test(arguments: [
        ("HTTP/1.1 204 No Content\r\n\r\n", 204, ""),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200, ""),
        ("HTTP/1.1 200 OK\nContent-Length: 2\n\nok", 200, "ok"),
        ("HTTP/1.1 200 OK\r\n\r\n", 200, ""),
        ("HTTP/1.0 200 OK\r\n\r\nok", 200, "ok"),
        ("HTTP/1.1 200 OK\r\nHTTP/X: 100\r\nContent-Length: 2\r\n\r\nok", 200, "ok"),
        ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n", 401, ""),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nHTTP/X: y\r\nZ: late\r\n\r\n", 200,
            "ok"
        ),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nZ: late\r\n\r\n", 200, ""),
    ])
    func wholeHeadIsAReply(text: String, status: Int, body: String) async throws {
        let reply = try await send(repliedWith: text)
        #expect(reply.status == status)
        #expect(reply.body == Array(body.utf8))
        #expect(reply.requestFullySent)
        #expect(reply.header("Z") == nil)
    }

    @Test func headOfAReplyWithoutItsBodyIsComplete() async throws {
        let reply = try await send("HEAD", repliedWith: "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n")
        #expect(reply.status == 200)
        #expect(reply.header("Content-Length") == "50")
    }
}
