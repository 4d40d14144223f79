// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightCurl
import FanlightMicrohttpd
import Testing

/// Requests to a well-behaved server.
@Suite struct SendingTests {
    private let server: MicrohttpdServer
    private let transport = CurlTransport()
    private var url: String { "http://127.0.0.1:\(server.port)" }

    init() throws {
        server = try MicrohttpdServer(
            address: "127.0.0.1",
            port: 0,
            service: EchoService(statuses: [
                "/moved": (307, [HTTPField("Location", "/target?x=1")]),
                "/kept": (308, [HTTPField("Location", "target")]),
                "/found": (302, [HTTPField("Location", "/target")]),
                "/loop": (307, [HTTPField("Location", "/loop")]),
                "/away": (307, [HTTPField("Location", "http://127.0.0.1:1/target")]),
                "/downgrade": (307, [HTTPField("Location", "http://user:pw@127.0.0.1/target")]),
                "/refused": (422, []),
            ])
        )
    }

    @Test func multipartCarriesFileExactlyAndInOrder() async throws {
        let picture = noise(2_800_001)
        let reply = try await transport.send(
            HTTPRequest(
                method: "POST",
                url: url + "/form",
                body: .multipart([
                    .init(name: "key", content: .text("väl\r\nue")),
                    .init(name: "media", contentType: "image/jpeg", content: .file(spooled(picture), name: "a\"b.jpg")),
                    .init(name: "empty", content: .text("")),
                ]),
                maxReplyBytes: 4 << 20
            )
        )
        #expect(reply.status == 200)
        #expect(reply.requestFullySent)
        let type = try #require(reply.header("X-Type"))
        #expect(type.hasPrefix("multipart/form-data; boundary="))
        let boundary = try #require(type.split(separator: "=").last)
        let expected =
            Array(
                """
                --\(boundary)\r
                Content-Disposition: form-data; name="key"\r
                \r
                väl\r\nue\r
                --\(boundary)\r
                Content-Disposition: form-data; name="media"; filename="a%22b.jpg"\r
                Content-Type: image/jpeg\r
                \r

                """.utf8
            ) + picture
            + Array(
                """
                \r
                --\(boundary)\r
                Content-Disposition: form-data; name="empty"\r
                \r
                \r
                --\(boundary)--\r

                """.utf8
            )
        #expect(reply.body == expected)
        #expect(reply.header("X-Length") == String(expected.count))
    }

    @Test(arguments: ["PUT", "POST", "PATCH", "PROPPATCH"])
    func rawFileArrivesExactly(method: String) async throws {
        let picture = noise(700_003)
        let reply = try await transport.send(
            HTTPRequest(
                method: method,
                url: url + "/raw",
                headers: [HTTPField("Content-Type", "image/png")],
                body: .file(spooled(picture))
            )
        )
        #expect(reply.body == picture)
        #expect(reply.header("X-Method") == method)
        #expect(reply.header("X-Type") == "image/png")
        #expect(reply.header("X-Length") == "700003")
        #expect(reply.requestFullySent)
    }

    @Test(arguments: ["GET", "POST", "PUT", "DELETE", "MKCOL"])
    func emptyBodyIsSentWithItsMethod(method: String) async throws {
        let reply = try await transport.send(HTTPRequest(method: method, url: url + "/none"))
        #expect(reply.header("X-Method") == method)
        #expect(reply.header("X-Type") == "none")
        #expect(reply.body.isEmpty)
        #expect(reply.requestFullySent)
    }

    @Test func headGetsNoBody() async throws {
        let reply = try await transport.send(HTTPRequest(method: "HEAD", url: url + "/none"))
        #expect(reply.status == 200)
        #expect(reply.body.isEmpty)
    }

    @Test func bytesAreSentWithoutHeadersOfCurl() async throws {
        let reply = try await transport.send(
            HTTPRequest(
                method: "POST",
                url: url + "/b",
                headers: [HTTPField("X-Blank", ""), HTTPField("Content-Length", "9")],
                body: .bytes([1, 0, 2])
            )
        )
        #expect(reply.body == [1, 0, 2])
        let names = try #require(reply.header("X-Names")).split(separator: ",")
        #expect(Set(names) == ["host", "accept", "x-blank", "content-length"])
    }

    @Test func errorStatusIsAReply() async throws {
        let reply = try await transport.send(HTTPRequest(method: "POST", url: url + "/refused", body: .bytes([7])))
        #expect(reply.status == 422)
        #expect(reply.body == [7])
    }

    @Test func twoHundredAtOnceShareOneFile() async throws {
        let picture = noise(150_000)
        let file = spooled(picture)
        let url = url
        let statuses = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    let reply = try await transport.send(
                        HTTPRequest(method: "POST", url: url + "/n", body: .file(file))
                    )
                    return reply.body == picture
                }
            }
            return try await group.reduce(into: 0) { count, isExact in count += isExact ? 1 : 0 }
        }
        #expect(statuses == 200)
    }

    @Test(arguments: ["/moved", "/kept"]) func sameOriginRedirectIsRepeatedWhole(path: String) async throws {
        let picture = noise(90_000)
        let reply = try await transport.send(
            HTTPRequest(method: "PUT", url: url + path, body: .file(spooled(picture)), redirects: .sameOrigin)
        )
        #expect(reply.status == 200)
        #expect(reply.header("X-Path") == "/target")
        #expect(reply.body == picture)
        #expect(reply.finalURL.hasPrefix(url + "/target"))
    }

    @Test(arguments: [
        ("/moved", HTTPRequest.RedirectPolicy.refuse, 307), ("/found", .sameOrigin, 302), ("/away", .sameOrigin, 307),
        ("/downgrade", .sameOrigin, 307),
    ])
    func otherRedirectsAreReturned(path: String, policy: HTTPRequest.RedirectPolicy, status: Int) async throws {
        let reply = try await transport.send(
            HTTPRequest(method: "POST", url: url + path, body: .bytes([1]), redirects: policy)
        )
        #expect(reply.status == status)
        #expect(reply.finalURL == url + path)
    }

    @Test func redirectLoopEnds() async throws {
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(HTTPRequest(method: "POST", url: url + "/loop", redirects: .sameOrigin))
        }
        #expect(error?.cause == .malformedReply)
    }

    @Test(arguments: [
        "", "img.example.org", "ftp://127.0.0.1/", "file:///etc/passwd", "http://", "http://a b/",
        "http://127.0.0.1:x/",
        "http://127.0.0.1/\r\nX: y",
    ])
    func badURLIsRefused(url: String) async throws {
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(HTTPRequest(method: "GET", url: url))
        }
        #expect(error?.cause == .badURL)
        #expect(error?.requestFullySent == false)
    }

    @Test(arguments: [HTTPField("X", "a\r\nY: b"), HTTPField("X Y", "a"), HTTPField("", "a"), HTTPField("X", "\0")])
    func headerThatBreaksItsLineIsRefused(field: HTTPField) async throws {
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(HTTPRequest(method: "GET", url: url, headers: [field]))
        }
        #expect(error?.cause == .badURL)
    }

    @Test(arguments: [
        HTTPRequest(method: "HEAD", url: "http://127.0.0.1/", body: .bytes([1])),
        HTTPRequest(method: "PO ST", url: "http://127.0.0.1/"),
        HTTPRequest(method: "POST", url: "http://127.0.0.1/", body: .multipart([])),
        HTTPRequest(
            method: "POST",
            url: "http://127.0.0.1/",
            body: .multipart([.init(name: "a", contentType: "text/plain\r\nX: y", content: .text("b"))])
        ),
    ])
    func requestThatMakesNoSenseIsRefused(request: HTTPRequest) async throws {
        let error = await #expect(throws: TransportError.self) { try await transport.send(request) }
        #expect(error?.cause == .badURL)
    }

    @Test func stoppedTransportRefuses() async throws {
        let other = CurlTransport()
        other.shutdown()
        other.shutdown()
        let error = await #expect(throws: TransportError.self) {
            try await other.send(HTTPRequest(method: "GET", url: url))
        }
        #expect(error?.cause == .stopped)
    }
}
