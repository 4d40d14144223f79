// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightCurl
import FanlightTestSupport
import Foundation
import Testing

@Suite("The interface, real processes", .serialized)
struct InterfaceTests {
    private static let album = "  album: {adapter: local, folder: FOLDER/album}"

    @Test(
        "A wrong method is told which ones the path takes",
        arguments: [
            ("DELETE", "/v1/uploads", "GET, HEAD, POST"), ("PUT", "/healthz", "GET, HEAD"),
            ("OPTIONS", "/", "GET, HEAD"),
        ]
    )
    func methods(method: String, path: String, allowed: String) async throws {
        let live = try LiveGateway(services: Self.album)
        let reply = try await live.transport.send(HTTPRequest(method: method, url: live.gateway.url + path))
        #expect(reply.status == 405)
        #expect(reply.header("Allow") == allowed)
    }

    @Test("A list of pictures in JSON is as many uploads, with small coordinates as JSON writers spell them")
    func pictureList() async throws {
        let live = try LiveGateway(services: Self.album)
        let photo = Data(try UploadTests.photo()).base64EncodedString()
        let body = #"{"image":["\#(photo)","data:image/jpeg;base64,\#(photo)"],"latitude":1e-05,"longitude":2}"#
        let (status, reports) = try await live.post(Array(body.utf8), type: "application/json")
        #expect(status == 200)
        guard case .array(let items) = reports, items.count == 2 else {
            Issue.record("two reports were due")
            return
        }
        #expect(items[1]["geotag"]?["latitude"] == .number("0.00001"))
    }

    @Test("A credential written into config.yaml that a service repeats does not reach the report")
    func repeatedCredential() async throws {
        // The sandbox's refusal says "fault asked for".
        let keys = [
            ("", ", auth: {type: header, value: fault asked for}"), ("", ", fields: {api_key: fault asked}"),
            ("&token=fault", ""),
        ]
        for (query, key) in keys {
            let service = "  x: {url: 'SANDBOX/upload.json?fail=403\(query)', file: file, link: $.url\(key)}"
            let (status, report) = try await LiveGateway(services: service).post(try UploadTests.photo())
            #expect(status == 502)
            let text = report.serialized()
            #expect(text.contains("***") && !text.contains("fault asked"), "\(text)")
        }
    }

    @Test("A service that takes the picture and hangs up: unknown, sent once")
    func hangUp() async throws {
        let live = try LiveGateway(services: "  x: {url: 'SANDBOX/upload.json?fail=drop', file: file, link: $.url}")
        let (status, report) = try await live.post(try UploadTests.photo())
        #expect(status == 502)
        #expect(report["deliveries"]?[0]?["status"] == "unknown")
        let lines = try await live.get(live.sandbox.url + "/requests").body.split(separator: 10)
        #expect(lines.count == 1)
        let request = try JSONParser.parse(Array(try #require(lines.first)))
        #expect(request["status"] == 200 && request["answered"] == false)
    }

    @Test("A body with another boundary than its type is told so in words")
    func otherBoundary() async throws {
        let live = try LiveGateway(services: Self.album)
        let body = Array("--a\r\n\r\nx\r\n--a--\r\n".utf8)
        let (status, problem) = try await live.post(body, type: "multipart/form-data; boundary=b")
        #expect(status == 400)
        #expect(problem["detail"]?.string?.hasSuffix("does not occur in it.") == true, "\(problem)")
    }

    @Test("Every mistake of a configuration is told in one run, those in services too, and no secret")
    func mistakes() throws {
        let folder = NSTemporaryDirectory() + "fanlight-check-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let yaml = """
            server:
              lisen: 127.0.0.1:0
            services:
              a: {adapter: imgurr, client_id: a-secret-value}
              b: {adapter: imgur, clientid: a-secret-value}
              c: {url: "ftp://host/", file: file, link: $.url}
            """
        try yaml.write(toFile: folder + "/c.yaml", atomically: true, encoding: .utf8)
        let (status, text) = try Self.run(["check", "--config", folder + "/c.yaml"])
        #expect(status == 1)
        #expect(text.contains("c.yaml:2:3: error:") && text.contains("'listen'"))
        for line in 4...6 { #expect(text.contains("c.yaml:\(line):"), "line \(line) is missing in:\n\(text)") }
        #expect(!text.contains("a-secret-value"))
    }

    @Test("A stop waits for an upload whose picture is not even prepared; its client gets the report")
    func stopWhilePreparing() async throws {
        let live = try LiveGateway(services: "  slow: {url: 'SANDBOX/upload.json?delay=700', file: file, link: $.url}")
        let photo = try UploadTests.photo()
        async let answer = live.post(photo, type: "image/jpeg")
        try await Task.sleep(for: .milliseconds(40))
        kill(live.gateway.pid, SIGTERM)
        let (status, report) = try await answer
        #expect(status == 200)
        #expect(report["status"] == .string("delivered"))
        #expect(live.gateway.stop() == 0)
    }

    @Test("When the time of a stop is over, clients get the links that are there, not a refusal")
    func stopTooShort() async throws {
        let services = Self.album + "\n  slow: {url: 'SANDBOX/upload.json?delay=20000', file: file, link: $.url}"
        let live = try LiveGateway(server: "  drain: 300ms", services: services)
        let photo = try UploadTests.photo()
        async let answer = live.post(photo, type: "image/jpeg")
        try await Task.sleep(for: .seconds(1))
        kill(live.gateway.pid, SIGTERM)
        let (status, report) = try await answer
        #expect(status == 207)
        #expect(report["links"]?["album"] != nil)
        guard case .array(let deliveries)? = report["deliveries"] else {
            Issue.record("no deliveries")
            return
        }
        #expect(deliveries.last?["status"] == .string("unknown"))
        #expect(deliveries.last?["error"]?["kind"] == .string("interrupted"))
    }

    @Test("A second stop signal ends the wait at once, whichever signals they are", arguments: [SIGTERM, SIGINT])
    func stopTwice(signal: Int32) async throws {
        let services = Self.album + "\n  slow: {url: 'SANDBOX/upload.json?delay=60000', file: file, link: $.url}"
        let live = try LiveGateway(server: "  drain: 10m", services: services)
        async let answer = live.post(SamplePicture.gif, type: "image/gif")
        for _ in 0..<200 where try await live.received().isEmpty { try await Task.sleep(for: .milliseconds(20)) }
        kill(live.gateway.pid, signal)
        try await Task.sleep(for: .milliseconds(500))
        #expect(live.gateway.isRunning, "the first one waits")
        kill(live.gateway.pid, signal == SIGTERM ? SIGINT : SIGTERM)
        let report = try await answer.1
        #expect(report["links"]?["album"] != nil)
        #expect(live.gateway.stop() == 0)
    }

    @Test("The service manager is told when it is ready and when it stops")
    func serviceManager() async throws {
        let folder = TemporaryFolder("notify")
        let script = """
            import os, signal, socket, subprocess, sys
            path = sys.argv[2] + "/notify"
            told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            told.bind(path)
            told.settimeout(60)
            gateway = subprocess.Popen([sys.argv[1], "serve", "--config", sys.argv[2] + "/config.yaml"],
                env=dict(os.environ, NOTIFY_SOCKET=path))
            print(told.recv(100).decode())
            gateway.send_signal(signal.SIGTERM)
            print(told.recv(100).decode(), gateway.wait())
            """
        let yaml = "server: {listen: '127.0.0.1:0', state: \(folder.path)/state}\nservices: {a: {adapter: local}}\n"
        try yaml.write(toFile: folder.file("config.yaml"), atomically: true, encoding: .utf8)
        let run = try CommandRun(["-c", script, LiveProcess.program, folder.path], program: "/usr/bin/python3")
        #expect(run.output.contains("READY=1\n") && run.output.contains("STOPPING=1 0\n"), "\(run)")
    }

    /// Runs a command; gives its status and what it wrote to standard error.
    private static func run(_ arguments: [String]) throws -> (Int32, String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: LiveProcess.program)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardError = pipe
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }
}
