// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightCurl
import FanlightTestSupport
import Foundation
import Testing

/// Credentials that stand in a configuration as they are, in every place of a request.
@Suite("Written credentials")
struct WrittenCredentialTests {
    /// A service under its host's URL, and the secrets in it.
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var keys: String
        var testDescription: String { name }
    }

    private static let secrets = (1...3).map { "wr1tten-\($0)-c0de" }

    static let rows: [Row] = [
        .init(
            name: "json",
            keys: """
                json: {token: \(secrets[0]), auth: {user: meadow, pass: \(secrets[1])}, list: [{password: \(secrets[2])}],
                         keywords: sunset, max_tokens: 1000, author: painter}
                """
        ),
        .init(name: "form", keys: "form: {api_secret: \(secrets[0]), keyword: sunset, user: meadow}"),
        .init(
            name: "parts",
            keys: """
                parts: [{name: token, text: \(secrets[0])}, {name: meta, json: {secret_key: \(secrets[1])}},
                          {name: file, file: file}]
                """
        ),
        .init(
            name: "related",
            keys: "related: [{json: {api_key: \(secrets[0])}, type: application/json}, {file: file}]"
        ),
        .init(
            name: "alternatives",
            keys: "form: {token: [{when: title exists, value: \(secrets[0])}, {value: \(secrets[1])}]}"
        ),
        .init(
            name: "raw json",
            keys: """
                raw:
                      - text: '{"token": "\(secrets[0])", "keywords": "sunset", "max_tokens": 1000, "key": "meadow", "image": "'
                      - text: '${file|base64}'
                      - text: '", "inner": "{\\"api_key\\":\\"\(secrets[1])\\"}", "secret":\(secrets[2])}'
                """
        ),
        .init(
            name: "raw xml",
            keys: """
                raw:
                      - text: '<in user="meadow" password="\(secrets[0])"><w:Password Type="text">\(secrets[1])</w:Password><title>painter</title>'
                      - text: '<member><name>api_key</name><value><string>\(secrets[2])</string></value></member><token/><t>sunset</t></in>'
                      - file
                """
        ),
        .init(
            name: "raw form",
            keys: """
                raw:
                      - text: [{when: title exists, value: "x=meadow&token=\(secrets[0])"}, {value: "token=\(secrets[1])&painter=sunset"}]
                      - text: "--b\\r\\nContent-Disposition: form-data; name=\\"secret\\"\\r\\n\\r\\n\(secrets[2])\\r\\n--b"
                """
        ),
        .init(
            name: "texts",
            keys: """
                fields: {payload_json: '{"token": "\(secrets[0])", "content": "sunset"}', note: 'Token: painter'}
                    headers: {Cookie: 'theme=meadow; sid=\(secrets[1])'}
                    query: {x: 'a=1000&api_key=\(secrets[2])'}
                    file: file
                """
        ),
        .init(
            name: "delete",
            keys: "delete: {url: 'https://host.example/d', json: {password: \(secrets[0])}}\n    file: file"
        ),
    ]

    private static func upstream() -> RawUpstream {
        upstream(403, "{\"error\": \"\(secrets.joined(separator: " and ")); sunset meadow painter 1000\"}")
    }

    private static func upstream(_ status: Int, _ body: String) -> RawUpstream {
        let head = "HTTP/1.1 \(status) Said\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
        return RawUpstream(answer: Array((head + "Connection: close\r\n\r\n" + body).utf8))
    }

    private static func configuration(_ folder: String, _ row: Row, _ port: UInt16) -> String {
        """
        server: {listen: 127.0.0.1:0, state: \(folder)/state}
        services:
          direct:
            url: http://127.0.0.1:\(port)/up
            link: $.url
            \(row.keys)
          stepped:
            steps:
              - url: http://127.0.0.1:\(port)/up
                headers: {X-Api-Key: \(secrets[0])}
                json: {password: \(secrets[1]), secret: \(secrets[2])}
            link: $.url
          described: {adapter: mine}
          derived: {adapter: ours}
        adapters:
          ours: {adapter: mine, description: based on another}
          mine:
            url: http://127.0.0.1:\(port)/up
            file: file
            fields: {token: \(secrets[0])}
            headers: {X-Key: \(secrets[1])}
            link: $.url
        """
    }

    @Test("They stand neither in a report nor in an explanation; words beside them do", arguments: rows)
    func written(_ row: Row) async throws {
        let folder = NSTemporaryDirectory() + "fanlight-written-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let upstream = Self.upstream()
        let file = folder + "/config.yaml"
        try Self.configuration(folder, row, upstream.port).write(toFile: file, atomically: true, encoding: .utf8)
        try Data(SamplePicture.gif).write(to: URL(fileURLWithPath: folder + "/a.gif"))
        let gateway = try LiveProcess(["serve", "--config", file], ready: "fanlight ready ")
        defer { gateway.stop() }
        let transport = CurlTransport()
        defer { transport.shutdown() }
        var upload = HTTPRequest(
            method: "POST",
            url: gateway.url + "/v1/uploads",
            headers: [HTTPField("Content-Type", "image/gif")]
        )
        upload.body = .bytes(SamplePicture.gif)
        let report = try JSONParser.parse(try await transport.send(upload).body)
        let results = report.serialized()
        #expect(results.contains("sunset meadow painter 1000"), "\(results)")
        for service in ["direct", "stepped", "described", "derived"] {
            let told = report["deliveries"]?.array?.first { $0["service"]?.string == service }?.serialized() ?? ""
            let run = try CommandRun(["explain", "--config", file, "--service", service, folder + "/a.gif"])
            #expect(run.status == 0, "\(run.errors)")
            #expect(!told.isEmpty, "\(results)")
            for one in Self.written(service, row) {
                #expect(!told.contains(one), "\(service): \(told)")
                #expect(!run.output.contains(one), "\(service): \(run.output)")
            }
        }
    }

    @Test(
        "A written password that is a word is masked where it stands alone, and links with the word are passed on",
        arguments: [
            "auth: {type: basic, username: ada, password: hidden}", "fields: {password: hidden}",
            "json: {passwd: hidden}", "auth: {type: header, name: X-Id, value: hidden}",
        ]
    )
    func words(_ keys: String) async throws {
        let folder = NSTemporaryDirectory() + "fanlight-written-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let refusing = Self.upstream(403, #"{"error": "password hidden is unhidden"}"#)
        let taking = Self.upstream(200, #"{"url": "https://host.example/hidden/a.gif"}"#)
        let service = "\(keys.hasPrefix("json") ? "" : "file: file, ")link: $.url, \(keys)"
        let yaml = """
            server: {listen: 127.0.0.1:0, state: \(folder)/state}
            services:
              refusing: {url: 'http://127.0.0.1:\(refusing.port)/up', \(service)}
              taking: {url: 'http://127.0.0.1:\(taking.port)/up', \(service)}
            """
        try yaml.write(toFile: folder + "/config.yaml", atomically: true, encoding: .utf8)
        let gateway = try LiveProcess(["serve", "--config", folder + "/config.yaml"], ready: "fanlight ready ")
        defer { gateway.stop() }
        let transport = CurlTransport()
        defer { transport.shutdown() }
        let type = [HTTPField("Content-Type", "image/gif")]
        var upload = HTTPRequest(method: "POST", url: gateway.url + "/v1/uploads", headers: type)
        upload.body = .bytes(SamplePicture.gif)
        let report = String(decoding: try await transport.send(upload).body, as: UTF8.self)
        #expect(report.contains("password *** is unhidden"), "\(report)")
        #expect(report.contains("https://host.example/hidden/a.gif"), "\(report)")
    }

    private static func written(_ service: String, _ row: Row) -> [String] {
        switch service {
        case "direct": secrets.filter(row.keys.contains)
        case "stepped": secrets
        default: Array(secrets.prefix(2))
        }
    }
}
