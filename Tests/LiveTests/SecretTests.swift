// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightCurl
import FanlightTestSupport
import Foundation
import Testing

/// Secrets planted wherever the configuration takes one show up nowhere that the gateway writes or answers.
@Suite("Secrets of a running gateway", .serialized)
struct SecretTests {
    private static let word = "PLANTED"

    /// Services whose credentials stand in settings, headers, the query and auth; two of them fail.
    private static let services = """
          settings: {adapter: imgur, url: SANDBOX/3/image, client_id: PLANTED-client-id}
          header: {url: SANDBOX/upload.json, file: file, link: $.url, headers: {X-Api-Key: PLANTED-header-key}}
          query: {url: 'SANDBOX/nothing-here?token=PLANTED-query-token', file: file, link: $.url, retry: {attempts: 1}}
          bearer:
            url: http://127.0.0.1:1/up
            file: file
            link: $.url
            retry: {attempts: 1}
            auth: {type: bearer, token: PLANTED-bearer-token}
        """

    @Test("Reports, problems, services, metrics, readiness, OpenAPI and log lines", arguments: [false, true])
    func nowhere(isBroken: Bool) async throws {
        let live = try LiveGateway(server: "  client_keys: [PLANTED-client-key]", services: Self.services, logs: true)
        var texts: [String: String] = [:]
        let key = HTTPField("Authorization", "Bearer PLANTED-client-key")
        func ask(_ method: String, _ path: String, _ key: HTTPField, _ body: [UInt8] = []) async throws -> JSONValue {
            let request = HTTPRequest(
                method: method,
                url: live.gateway.url + path,
                headers: [key, HTTPField("Content-Type", "image/gif")],
                body: body.isEmpty ? .empty : .bytes(body)
            )
            let reply = try await live.transport.send(request)
            let headers = reply.headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
            texts["\(method) \(path)"] = headers + "\n" + String(decoding: reply.body, as: UTF8.self)
            return (try? JSONParser.parse(reply.body)) ?? .null
        }
        let report = try await ask("POST", "/v1/uploads", key, SamplePicture.gif)
        let id = report["id"]?.string ?? ""
        #expect(report["deliveries"]?.array?.count == 4)
        let paths = [
            "/v1/uploads/\(id)", "/v1/uploads", "/v1/services", "/metrics", "/readyz", "/openapi.json", "/nothing",
            "/v1/uploads/\(id)/events",
        ]
        for path in paths { _ = try await ask("GET", path, key) }
        _ = try await ask("GET", "/v1/services", HTTPField("Authorization", "Bearer PLANTED-wrong-key"))
        if isBroken {
            let path = live.folder + "/config.yaml"
            let good = try String(contentsOfFile: path, encoding: .utf8)
            for line in [
                "  bad: {adapter: PLANTED-name, token: PLANTED-key}", "  client_id: PLANTED: x: [", "    PLANTED",
            ] {
                try (good + "\n" + line + "\n").write(toFile: path, atomically: true, encoding: .utf8)
                kill(live.gateway.pid, SIGHUP)
                try await Task.sleep(for: .milliseconds(300))
            }
        }
        #expect(live.gateway.stop() == 0)
        let log = live.gateway.log
        #expect(log.contains(isBroken ? "configuration refused" : "delivery finished"))
        texts["log"] = log.split(separator: "\n").filter { !$0.contains("PLANTED-name") }.joined(separator: "\n")
        for (place, text) in texts { #expect(!text.contains(Self.word), "\(place): \(text)") }
    }
}
