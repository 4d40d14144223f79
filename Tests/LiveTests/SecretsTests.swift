// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightCurl
import FanlightTestSupport
import Foundation
import Testing

/// Known secrets in every place of a configuration, and everything that the program renders.
@Suite("Secrets")
struct SecretsTests {
    /// Each secret is told apart by its number.
    private static func secret(_ number: Int) -> String { "pl4nted-s3cret-\(number)-zq" }

    private static let all = (1...9).map(secret)

    /// A service that repeats in its error what it was sent.
    private static func echo(_ secrets: [Int]) -> RawUpstream {
        let body = "{\"error\": \"refused: \(secrets.map(secret).joined(separator: " and "))\"}"
        let head = "HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
        return RawUpstream(answer: Array((head + "Connection: close\r\n\r\n" + body).utf8))
    }

    private static func configuration(_ folder: String, _ ports: [UInt16]) -> String {
        """
        server:
          listen: 127.0.0.1:0
          state: \(folder)/state
          state_key: \(secret(1))
          client_keys:
            - {name: shop, key: \(secret(2)), rate: 1000/min, quota: 1000/day}
        notify: {url: 'http://127.0.0.1:\(ports[0])/hook', secret: \(secret(3)), attempts: 1}
        services:
          echo:
            url: http://127.0.0.1:\(ports[0])/up?api_key=\(secret(4))
            file: file
            headers: {Authorization: 'Bearer \(secret(5))'}
            fields: {password: \(secret(6))}
            link: $.url
          imgur: {adapter: imgur, url: 'http://127.0.0.1:\(ports[1])/3/image', client_id: \(secret(7))}
          tweetphoto:
            {adapter: tweetphoto, url: 'http://127.0.0.1:\(ports[2])/t', username: u, password: '${file:\(folder)/key}', api_key: \(secret(7))}
          bearer:
            url: http://127.0.0.1:1/up
            file: file
            link: $.url
            retry: {attempts: 1}
            auth: {type: bearer, token: \(secret(9))}
        """
    }

    /// Findings of secrets in a text.
    private static func expectNone(in text: String, _ place: String) {
        for one in all where text.contains(one) { Issue.record("\(one) stands in \(place): \(text.prefix(2_000))") }
    }

    @Test("No planted secret stands in an answer, a log line, a metric, an explanation or a finding")
    func planted() async throws {
        let folder = NSTemporaryDirectory() + "fanlight-secrets-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let upstreams = [Self.echo([4, 5, 6]), Self.echo([7]), Self.echo([7, 8])]
        let ports = upstreams.map(\.port)
        let file = folder + "/config.yaml"
        try Self.secret(8).write(toFile: folder + "/key", atomically: true, encoding: .utf8)
        try Self.configuration(folder, ports).write(toFile: file, atomically: true, encoding: .utf8)
        try Data(SamplePicture.gif).write(to: URL(fileURLWithPath: folder + "/a.gif"))
        let gateway = try LiveProcess(["serve", "--config", file], ready: "fanlight ready ", logs: true)
        defer { gateway.stop() }
        try await Self.readAll(gateway.url)
        try await Self.breakAll(Self.configuration(folder, ports), file, gateway)
        try Self.configuration(folder, ports).write(toFile: file, atomically: true, encoding: .utf8)
        for service in ["echo", "imgur", "tweetphoto"] {
            let run = try CommandRun(["explain", "--config", file, "--service", service, folder + "/a.gif"])
            #expect(run.status == 0, "\(run.errors)")
            Self.expectNone(in: run.output + run.errors, "explain \(service)")
        }
        let run = try CommandRun(["services", "--config", file])
        Self.expectNone(in: run.output + run.errors, "services")
    }

    /// A broken file is reported in the log and by the check, whatever is wrong near a secret.
    private static func breakAll(_ whole: String, _ file: String, _ gateway: LiveProcess) async throws {
        let mistakes = [
            whole.replacingOccurrences(of: "rate:", with: "sha256: x, raet:"),
            whole + "\n  bad: {adapter: nonsense, token: \(secret(5))}\n",
            whole + "\n  client_id: \(secret(5)): x: [\n",
            whole + "\n    \(secret(5))\n",
        ]
        var text = ""
        for (count, broken) in mistakes.enumerated() {
            try broken.write(toFile: file, atomically: true, encoding: .utf8)
            kill(gateway.pid, SIGHUP)
            for _ in 0..<100 where text.ranges(of: "configuration refused").count <= count {
                try await Task.sleep(for: .milliseconds(100))
                text = gateway.log
            }
            for format in ["text", "json"] {
                let run = try CommandRun(["check", "--config", file, "--format", format])
                #expect(run.status == 1)
                expectNone(in: run.output + run.errors, "check")
            }
        }
        #expect(text.ranges(of: "configuration refused").count >= mistakes.count)
        #expect(text.contains("delivery finished"))
        expectNone(in: text, "the log")
    }

    /// Uploads, and reads everything that can be read.
    private static func readAll(_ url: String) async throws {
        let transport = CurlTransport()
        defer { transport.shutdown() }
        let key = [HTTPField("Authorization", "Bearer " + secret(2))]
        let type = [HTTPField("Content-Type", "image/gif")]
        let report = try await ask(transport, "POST", url + "/v1/uploads", key + type, SamplePicture.gif)
        #expect(report.status == 502)
        expectNone(in: report.text, "the report")
        let id = try #require(try JSONParser.parse(Array(report.text.utf8))["id"]?.string)
        let paths = [
            "/v1/uploads", "/v1/uploads/" + id, "/v1/uploads/\(id)?format=text", "/v1/uploads/\(id)/events",
            "/v1/services",
            "/metrics", "/readyz", "/openapi.json", "/v1/nothing", "/",
        ]
        for path in paths {
            let answer = try await ask(transport, "GET", url + path, key)
            expectNone(in: answer.text, path)
        }
        let wrong = try await ask(transport, "GET", url + "/v1/services", [HTTPField("Authorization", "Bearer x")])
        #expect(wrong.status == 401)
        expectNone(in: wrong.text, "a refusal")
    }

    private static func ask(
        _ transport: CurlTransport,
        _ method: String,
        _ url: String,
        _ headers: [HTTPField],
        _ body: [UInt8] = []
    ) async throws -> (status: Int, text: String) {
        var request = HTTPRequest(method: method, url: url, headers: headers)
        if !body.isEmpty { request.body = .bytes(body) }
        let reply = try await transport.send(request)
        return (reply.status, String(decoding: reply.body, as: UTF8.self))
    }

    @Test("A file with secrets that everybody can read is warned of, or refused", arguments: [false, true])
    func openFiles(isStrict: Bool) throws {
        let folder = NSTemporaryDirectory() + "fanlight-files-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = folder + "/config.yaml"
        try "token".write(toFile: folder + "/key", atomically: true, encoding: .utf8)
        let yaml = """
            server: {strict_files: \(isStrict), state_key: written-here-0001}
            services:
              a: {url: 'https://a.example/up', file: file, link: $.url, headers: {X-Key: '${file:\(folder)/key}'}}
            """
        try yaml.write(toFile: file, atomically: true, encoding: .utf8)
        for path in [file, folder + "/key"] { _ = unsafe chmod(path, 0o644) }
        let open = try CommandRun(["check", "--config", file])
        #expect(open.status == (isStrict ? 1 : 0))
        let word = isStrict ? "error" : "warning"
        #expect(open.errors.contains("config.yaml:1:") && open.errors.contains("\(word): a secret stands in this file"))
        #expect(
            open.errors.contains("config.yaml:3:")
                && open.errors.contains("\(word): everybody on this machine can read")
        )
        for path in [file, folder + "/key"] { _ = unsafe chmod(path, 0o640) }
        let closed = try CommandRun(["check", "--config", file])
        #expect(closed.status == 0)
        #expect(!closed.errors.contains("can read"))
    }

    @Test(
        "Also those of adapters and of the webhook's address are looked at",
        arguments: [
            "adapters: {b: {url: 'https://b.example/', file: file, link: $.url, headers: {Authorization: 'Bearer written-here-1'}}}",
            "adapter_files: @FOLDER@/adapters",
            "more: 1\nadapter_files: @FOLDER@/adapters",
            "notify: {url: 'https://u:written-here-1@c.example/', secret: '${env:HOOK:-0123456789abcdef}'}",
            "notify: {url: 'https://c.example/?token=written-here-1', secret: '${env:HOOK:-0123456789abcdef}'}",
        ]
    )
    func openAdapters(part: String) throws {
        let folder = NSTemporaryDirectory() + "fanlight-files-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder + "/adapters", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = folder + "/config.yaml"
        let yaml = """
            server: {strict_files: true}
            services: {a: {adapter: local, folder: \(folder)/album}}
            \(part.replacingOccurrences(of: "@FOLDER@", with: folder))
            """
        try yaml.write(toFile: file, atomically: true, encoding: .utf8)
        let adapter = folder + "/adapters/b.yaml"
        let text = "{url: 'https://b.example/', file: file, link: $.url, headers: {X-Api-Key: written-here-1}}"
        try text.write(toFile: adapter, atomically: true, encoding: .utf8)
        for path in [file, adapter] { _ = unsafe chmod(path, 0o644) }
        let open = try CommandRun(["check", "--config", file])
        #expect(open.status == 1)
        #expect(open.errors.contains("error: a secret stands in this file"), "\(open.errors)")
        for path in [file, adapter] { _ = unsafe chmod(path, 0o640) }
        #expect(!(try CommandRun(["check", "--config", file]).errors.contains("can read")))
    }

    @Test("Adapters of the catalogue, copied into files that everybody can read, hold no secret")
    func harmlessWords() throws {
        let folder = NSTemporaryDirectory() + "fanlight-files-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder + "/adapters", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let catalogue = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Sources/FanlightAdapters/Catalogue").standardizedFileURL
        let names = try FileManager.default.contentsOfDirectory(atPath: catalogue.path)
        #expect(names.count >= 100)
        for name in names {
            try FileManager.default.copyItem(atPath: catalogue.path + "/" + name, toPath: folder + "/adapters/" + name)
            _ = unsafe chmod(folder + "/adapters/" + name, 0o644)
        }
        let file = folder + "/config.yaml"
        let yaml = """
            server: {strict_files: true}
            adapter_files: \(folder)/adapters
            services: {a: {adapter: local, folder: \(folder)/album}}
            """
        try yaml.write(toFile: file, atomically: true, encoding: .utf8)
        let run = try CommandRun(["check", "--config", file])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.errors == "")
    }

    @Test("The value of a setting that is secret counts whatever its name is", arguments: ["w1", "${env:W:-w1}"])
    func openSettings(value: String) throws {
        let folder = NSTemporaryDirectory() + "fanlight-files-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = folder + "/config.yaml"
        let yaml = "server: {strict_files: true}\nservices: {a: {adapter: imgur, client_id: '\(value)'}}\n"
        try yaml.write(toFile: file, atomically: true, encoding: .utf8)
        _ = unsafe chmod(file, 0o644)
        let open = try CommandRun(["check", "--config", file])
        let isWritten = value == "w1"
        #expect(open.status == (isWritten ? 1 : 0))
        #expect(open.errors.contains("config.yaml:2:") == isWritten, "\(open.errors)")
        _ = unsafe chmod(file, 0o640)
        #expect(try CommandRun(["check", "--config", file]).status == 0)
    }

    @Test(
        "A written value counts whatever its length in places that hold nothing but credentials",
        arguments: [
            ("auth: {type: basic, username: ada, password: pw1}", true),
            ("auth: {type: bearer, token: ab}", true), ("auth: {type: header, name: X-Id, value: '7'}", true),
            ("auth: {type: basic, username: ada, password: hidden}", true),
            ("form: {password: pw1}", true), ("json: {passwd: 123}", true), ("headers: {X-Pwd: public}", true),
            ("raw: [{text: '{\"password\": \"pw1\"}'}]", true), ("query: {password: default}", true),
            ("settings: {pin: {secret: true, default: '12'}}", true),
            ("form: {token: ab, auth: oauth, key: public}", false), ("json: {max_tokens: 100, secret: true}", false),
            ("auth: {type: basic, username: ada, password: ''}", false), ("form: {password: ~}", false),
            ("form: {has_password: 'false', password_type: 1}", false),
            ("form: {password: '${env:PW:-pw1}'}", false), ("settings: {pin: {secret: true, default: ''}}", false),
        ],
        [false, true]
    )
    func shortWritten(_ row: (keys: String, counts: Bool), isAdapter: Bool) throws {
        let folder = NSTemporaryDirectory() + "fanlight-files-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = folder + "/config.yaml"
        let hasBody = ["form", "json", "raw"].contains { row.keys.hasPrefix($0) }
        let described = "{url: 'https://a.example/up', link: $.url, \(hasBody ? "" : "file: file, ")\(row.keys)}"
        let section = isAdapter ? "adapters: {b: \(described)}" : "services: {a: \(described)}"
        try "server: {strict_files: true}\n\(section)\n".write(toFile: file, atomically: true, encoding: .utf8)
        _ = unsafe chmod(file, 0o644)
        let run = try CommandRun(["check", "--config", file])
        #expect(run.errors.contains("error: a secret stands in this file") == row.counts, "\(run.errors)")
        #expect(run.errors.contains("config.yaml:2:") == row.counts, "\(run.errors)")
        #expect(row.counts || isAdapter || run.status == 0, "\(run.errors)")
    }
}
