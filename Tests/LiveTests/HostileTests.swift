// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightTestSupport
import Foundation
import Glibc
import Testing

/// Clients that mean harm: each ends as documented, and the others are served meanwhile.
@Suite("Hostile clients", .serialized)
struct HostileTests {
    private static func live(_ server: String = "") throws -> LiveGateway {
        try LiveGateway(server: server, services: "  myhost: {url: SANDBOX/upload.json, file: file, link: $.url}")
    }

    private static func port(_ live: LiveGateway) throws -> UInt16 {
        try #require(live.gateway.url.split(separator: ":").last.flatMap { UInt16($0) })
    }

    /// An honest client's upload is delivered.
    private static func expectService(of live: LiveGateway) async throws {
        #expect(try await live.post(SamplePicture.gif, type: "image/gif").0 == 200)
    }

    @Test("A client that drips is cut off, and one that is only slow is not")
    func drip() async throws {
        let live = try Self.live("  client_timeout: 2s\n  min_rate: 1MB")
        let port = try Self.port(live)
        let dripping = Task.detached {
            let head = "POST /v1/uploads HTTP/1.1\r\nHost: x\r\nContent-Type: image/gif\r\nContent-Length: 1000\r\n\r\n"
            return RawClient.exchange(port: port, [Array(head.utf8)] + (0..<60).map { _ in [71] }, pause: 100_000)
        }
        try await Self.expectService(of: live)
        #expect(RawClient.status(await dripping.value) == 408)
        let half = SamplePicture.gif.count / 2
        let head =
            "POST /v1/uploads HTTP/1.1\r\nHost: x\r\nContent-Type: image/gif\r\nContent-Length: \(SamplePicture.gif.count)\r\n\r\n"
        let slow = RawClient.exchange(
            port: port,
            [Array(head.utf8), Array(SamplePicture.gif[..<half]), Array(SamplePicture.gif[half...])],
            pause: 200_000
        )
        #expect(RawClient.status(slow) == 200)
    }

    @Test("Silent connections, far more than there are places, keep nobody out")
    func idle() async throws {
        let live = try Self.live("  max_connections: 40")
        let port = try Self.port(live)
        var sockets: [Int32] = []
        defer { for socket in sockets { close(socket) } }
        for _ in 0..<250 {
            if let socket = OpenSocket.connect(port) { sockets.append(socket) }
        }
        #expect(sockets.count == 250)
        // The oldest make room once they have been silent for a second.
        try await Task.sleep(for: .milliseconds(1_500))
        var status = 0
        for _ in 0..<20 where status != 200 {
            status = try await live.post(SamplePicture.gif, type: "image/gif").0
            if status != 200 { try await Task.sleep(for: .milliseconds(500)) }
        }
        #expect(status == 200)
    }

    @Test("Silent connections, more than there are descriptors, keep nobody out", arguments: [100, 600])
    func descriptorsEnd(limit: Int) async throws {
        let live = try LiveGateway(services: LiveGateway.four, logs: true, descriptors: limit)
        #expect(live.gateway.log.contains("\"message\":\"too few descriptors\",\"max_descriptors\":\(limit)"))
        let port = try Self.port(live)
        var sockets: [Int32] = []
        defer { for socket in sockets { close(socket) } }
        for _ in 0..<2_000 {
            if let socket = OpenSocket.connect(port) { sockets.append(socket) }
        }
        #expect(sockets.count == 2_000)
        // A hundred a second would take twenty seconds. One that comes in the flood itself may be told to come again.
        let end = ContinuousClock.now + .seconds(4).patient
        var statuses: [Int] = []
        while statuses.last != 200, ContinuousClock.now < end {
            statuses.append(try await live.post(SamplePicture.gif, type: "image/gif").0)
        }
        #expect(statuses.last == 200 && statuses.dropLast().allSatisfy { $0 == 503 })
    }

    /// The picture with a comment of 100 KB: more than a body in memory may have.
    private static let large: [UInt8] = {
        let block: [UInt8] = [255] + [UInt8](repeating: 65, count: 255)
        let blocks: [UInt8] = (0..<400).flatMap { _ in block }
        let comment: [UInt8] = [0x21, 0xFE] + blocks + [0]
        return Array(SamplePicture.gif.dropLast()) + comment + [0x3B]
    }()

    @Test("As many pictures as there are places come at once and are all taken", arguments: [96, 128, 256])
    func placesAreEnough(limit: Int) async throws {
        let services =
            "  a: {url: SANDBOX/upload.json, file: file, link: $.url, format: png}\n"
            + "  b: {url: SANDBOX/upload.json, file: file, link: $.url}\n  c: {adapter: local, folder: FOLDER/c}"
        let live = try LiveGateway(services: services, logs: true, descriptors: limit)
        let line = try JSONParser.parse(Array(try #require(live.gateway.log.split(separator: "\n").first).utf8))
        let places = try #require(line["used"]?.int)
        #expect(places >= 8)
        let port = try Self.port(live)
        let head =
            "POST /v1/uploads HTTP/1.1\r\nHost: a\r\nContent-Type: image/gif\r\nContent-Length: \(Self.large.count)\r\n\r\n"
        let half = Self.large.count / 2
        let clients = try (0..<places).map { _ in try #require(KeptConnection(port: port)) }
        for client in clients { client.write(Array(head.utf8) + Self.large[..<half]) }
        // All hold a file now, before the first ends.
        try await Task.sleep(for: .milliseconds(300))
        for client in clients { client.write(Array(Self.large[half...])) }
        let answers = clients.map { $0.ask([]) }
        #expect(
            answers.allSatisfy { $0.hasPrefix("HTTP/1.1 200 ") },
            "\(answers.filter { !$0.hasPrefix("HTTP/1.1 200 ") })"
        )
    }

    @Test("With too few descriptors to serve anybody the start says what to raise")
    func tooFewDescriptors() throws {
        let run = try CommandRun(
            ["-c", "ulimit -n 95; exec \"$0\" serve --config config.yaml", LiveProcess.program],
            program: "/bin/sh"
        )
        #expect(run.status == 1 && run.errors.contains("only 95 descriptors") && run.errors.contains("LimitNOFILE"))
    }

    @Test("Floods of headers are refused", arguments: [(1, 60_000), (3_000, 20), (200, 1_000)])
    func headers(count: Int, size: Int) async throws {
        let live = try Self.live()
        var head = "GET /v1/services HTTP/1.1\r\nHost: x\r\n"
        for number in 0..<count { head += "X-\(number): " + String(repeating: "a", count: size) + "\r\n" }
        let answer = RawClient.exchange(port: try Self.port(live), [Array((head + "\r\n").utf8)])
        #expect([0, 400, 413, 431].contains(RawClient.status(answer)))
        try await Self.expectService(of: live)
        #expect(live.gateway.isRunning)
    }

    @Test("Large bodies at the same time take no more than server.max_spool")
    func bodies() async throws {
        let live = try Self.live("  max_body: 6MB\n  max_spool: 12MB")
        let port = try Self.port(live)
        let head = "POST /v1/uploads HTTP/1.1\r\nHost: x\r\nContent-Type: image/jpeg\r\nContent-Length: 5000000\r\n\r\n"
        var sockets: [Int32] = []
        defer { for socket in sockets { close(socket) } }
        for _ in 0..<12 {
            let socket = try #require(OpenSocket.connect(port))
            sockets.append(socket)
            OpenSocket.send(socket, Array(head.utf8) + [UInt8](repeating: 0, count: 30_000))
        }
        try await Task.sleep(for: .milliseconds(1_000))
        let refused = sockets.map { OpenSocket.waiting($0) }.filter { !$0.isEmpty }
        #expect(refused.count == 10)
        #expect(refused.allSatisfy { $0.hasPrefix("HTTP/1.1 503 ") && $0.contains("overloaded") })
        #expect(refused.allSatisfy { $0.contains("Retry-After: ") })
        try await Self.expectService(of: live)
        for socket in sockets { close(socket) }
        sockets = []
        var status = 0
        for _ in 0..<50 where status != 200 {
            try await Task.sleep(for: .milliseconds(100))
            status = try await live.post([UInt8](repeating: 0, count: 5_000_000)).0 == 415 ? 200 : 0
        }
        #expect(status == 200, "the room came back")
    }

    @Test(
        "A request whose length is not clear is refused, and what follows it is never taken for a request",
        arguments: [
            "Content-Length: 4\r\nTransfer-Encoding: chunked", "Content-Length: 4\r\nContent-Length: 30",
            "Content-Length: 4\r\nContent-Length: 4", "Content-Length: +4", "Content-Length: -4",
            "Content-Length: 4, 4",
            "Content-Length: 0x4", "Content-Length: 18446744073709551620", "Content-Length: 99999999999999999999999",
            "Content-Length: 4 4", "Content-Length:", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: xchunked", "Transfer-Encoding: chunked, identity",
            "Transfer-Encoding: identity, chunked",
            "Transfer-Encoding: \u{0B}chunked", "Content-Length: 4\r\nTransfer-Encoding: identity",
            "Content-Length : 85", "Content-Length\t: 85", "Transfer-Encoding : chunked", "Content-Length:\r\n 85",
            "Transfer-Encoding\t: chunked\r\nContent-Length: 5", "Content-Length: 5\r\n 6",
            "Content-Length: 5\0 6", "Transfer-Encoding: chunked\0x", "X: y\rContent-Length: 85",
            "\0X: y\r\nContent-Length: 85", "Host: y",
        ]
    )
    func smuggling(headers: String) async throws {
        let live = try Self.live()
        let hidden = "GET /healthz HTTP/1.1\r\nHost: hidden\r\n\r\n"
        let request = "POST /v1/uploads HTTP/1.1\r\nHost: x\r\nContent-Type: image/gif\r\n\(headers)\r\n\r\n0\r\n\r\n"
        let answer = RawClient.exchange(
            port: try Self.port(live),
            [Array((request + hidden + hidden).utf8)],
            seconds: 5
        )
        let text = String(decoding: answer, as: UTF8.self)
        #expect([400, 413].contains(RawClient.status(answer)), "\(text.prefix(200))")
        #expect(!text.contains("\"ok\""))
        try await Self.expectService(of: live)
    }

    @Test("Line breaks, zero bytes, paths and templates in a form stay what they are: text")
    func texts() async throws {
        let live = try Self.live()
        let title = "${env:HOME} ${file:/etc/passwd} ${setting.url}\r\nX-Evil: 1"
        let names = ["../../../etc/passwd", "a\u{0}b.gif", "..\\..\\x.gif", "%2e%2e%2fx.gif", "a\"; filename=\"b.gif"]
        for name in names {
            var body = "--b\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\n\(title)\r\n"
            body += "--b\r\nContent-Disposition: form-data; name=\"image\"; filename=\"\(name)\"\r\n"
            body += "Content-Type: image/gif\r\n\r\n"
            let bytes = Array(body.utf8) + SamplePicture.gif + Array("\r\n--b--\r\n".utf8)
            let (status, report) = try await live.post(bytes, type: "multipart/form-data; boundary=b")
            guard status == 200 else {
                #expect(status == 400, "\(name): \(report)")
                continue
            }
            let told = try #require(try await live.received().last)
            let file = told["file_name"]?.string ?? ""
            #expect(!file.contains("/") && !file.contains("\\") && !file.contains("\u{0}"), "\(file)")
            #expect(told["fields"]?["X-Evil"] == nil)
        }
        let fields =
            "{\"title\": \"${env:HOME} ${file:/etc/passwd}\", \"image\": \"\(Data(SamplePicture.gif).base64EncodedString())\"}"
        #expect(try await live.post(Array(fields.utf8), type: "application/json").0 == 200)
        let inside = try FileManager.default.contentsOfDirectory(atPath: live.folder)
        #expect(Set(inside) == ["config.yaml", "state"])
    }

    @Test("A title goes out as the characters that it is, templates and line breaks among them")
    func titles() async throws {
        let live = try LiveGateway(
            services: "  myhost: {url: SANDBOX/upload.json, file: file, link: $.url, fields: {title: '${title}'}}"
        )
        let title = "${env:HOME} ${setting.url} {{x}} $(id) %00 ' \" < \\n"
        let quoted = JSONValue.string(title).serialized()
        let body = "{\"title\": \(quoted), \"image\": \"\(Data(SamplePicture.gif).base64EncodedString())\"}"
        #expect(try await live.post(Array(body.utf8), type: "application/json").0 == 200)
        #expect(try await live.received().last?["fields"]?["title"] == .string(title))
    }

    @Test("Paths that lead out of the album find nothing")
    func traversal() async throws {
        let live = try LiveGateway(services: "  album: {adapter: local, folder: FOLDER/album}")
        let paths = [
            "/album/../config.yaml", "/album/..%2fconfig.yaml", "/album/%2e%2e/config.yaml", "/album//etc/passwd",
            "/album/..", "/album/.", "/album/%00", "/album/..%5cconfig.yaml", "/album/%c0%ae%c0%ae%2fconfig.yaml",
        ]
        for path in paths {
            let request = "GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            let answer = RawClient.exchange(port: try Self.port(live), [Array(request.utf8)])
            #expect([400, 404].contains(RawClient.status(answer)), "\(path)")
            #expect(!String(decoding: answer, as: UTF8.self).contains("server:"), "\(path)")
        }
    }
}

/// Connections that a test holds open.
enum OpenSocket {
    static func connect(_ port: UInt16) -> Int32? {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = RawClient.loopback(port)
        let isConnected = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        if isConnected { return socket }
        close(socket)
        return nil
    }

    static func send(_ socket: Int32, _ bytes: [UInt8]) {
        _ = unsafe Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// What has come so far.
    static func waiting(_ socket: Int32) -> String {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let got = unsafe recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        return got > 0 ? String(decoding: buffer[..<got], as: UTF8.self) : ""
    }
}
