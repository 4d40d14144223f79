// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightTestSupport
import Foundation
import Testing

/// What a running gateway does not take over, because it would lose by it or never end.
@Suite("Reloads that are refused", .serialized)
struct ReloadTests {
    /// A gateway whose one service reads a file, and what can be written into its configuration.
    private final class Rig {
        let live: LiveGateway
        private let refusals = #"fanlight_config_reloads_total{result="refused"}"#
        private let successes = #"fanlight_config_reloads_total{result="applied"}"#

        init(keys: Bool = false) throws {
            live = try LiveGateway(
                server: keys ? "  client_keys: [\(Rig.key)]" : "",
                services: "  a: {adapter: local, folder: FOLDER/a}",
                logs: true
            )
        }

        static let key = "a-key-of-a-client-0123456789"
        var config: String { live.folder + "/config.yaml" }
        var secret: String { live.folder + "/secret" }
        var withSecret: String {
            server + "services:\n  h: {url: \(live.sandbox.url)/upload.json, file: file, link: $.url,"
                + " headers: {X-Token: '${file:\(secret)}'}}\n"
        }
        var server: String { "server:\n  listen: 127.0.0.1:0\n  state: \(live.folder)/state\n" }
        var keys: String { "  client_keys: [\(Rig.key)]\n" }
        var services: String { "services:\n  b: {adapter: local, folder: \(live.folder)/b}\n" }

        func write(_ text: String, to path: String? = nil) throws {
            try text.write(toFile: path ?? config, atomically: false, encoding: .utf8)
        }

        func count(_ name: String) async throws -> Int {
            let text = String(decoding: try await live.get(live.gateway.url + "/metrics").body, as: UTF8.self)
            let line = text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
            return line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
        }

        /// True when that many reloads were applied and refused in the end; a gateway that does not get there is killed.
        func settles(applied: Int, refused: Int) async throws -> Bool {
            for _ in 0..<300 {
                if try await count(successes) == applied, try await count(refusals) == refused { return true }
                try await Task.sleep(for: .milliseconds(50))
            }
            // One that waits in a reload would take no other signal.
            kill(live.gateway.pid, SIGKILL)
            return false
        }

        /// The error lines about the configuration.
        var refusal: String {
            live.gateway.log.split(separator: "\n").filter { $0.contains("configuration refused") }.joined()
        }
    }

    @Test("A file that is cut short, at whatever place, opens no gateway that has client keys")
    func cutShort() async throws {
        let rig = try Rig(keys: true)
        let whole = rig.server + rig.keys + rig.services
        var refused = 0
        for text in ["", rig.server, rig.server + "  client_keys:\n", rig.server + rig.keys, rig.server + rig.services]
        {
            try rig.write(text)
            refused += 1
            #expect(try await rig.settles(applied: 0, refused: refused), "\(text)")
            #expect(try await rig.live.get(rig.live.gateway.url + "/v1/uploads").status == 401, "\(text)")
        }
        #expect(rig.refusal.contains("restart the gateway to open it to everybody"))
        #expect(rig.refusal.contains("restart the gateway to run it without services"))
        kill(rig.live.gateway.pid, SIGHUP)
        #expect(try await rig.settles(applied: 0, refused: refused + 1))
        try rig.write(whole)
        #expect(try await rig.settles(applied: 1, refused: refused + 1))
        #expect(rig.live.gateway.stop() == 0)
    }

    @Test("A file is read when nobody writes it any more")
    func halfWritten() async throws {
        let rig = try Rig()
        // Each state is right in itself, and none lasts; longer than any wait for quiet.
        for number in 0..<70 {
            try rig.write(rig.server + "services:\n  s\(number): {adapter: local, folder: \(rig.live.folder)/b}\n")
            try await Task.sleep(for: .milliseconds(60))
        }
        #expect(try await rig.settles(applied: 1, refused: 0))
        let services = try await rig.live.get(rig.live.gateway.url + "/v1/services")
        #expect(String(decoding: services.body, as: UTF8.self).contains(#""s69""#))
        #expect(rig.live.gateway.stop() == 0)
    }

    @Test("A pipe in the place of a file holds up neither reloads nor the stop")
    func pipes() async throws {
        let rig = try Rig()
        try rig.write("a-secret", to: rig.secret)
        try rig.write(rig.withSecret)
        try #require(try await rig.settles(applied: 1, refused: 0))
        let own = rig.live.folder + "/own"
        try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
        try rig.write(rig.withSecret + "adapter_files: \(own)\n")
        try #require(try await rig.settles(applied: 2, refused: 0))
        for (index, path) in [rig.secret, own + "/x.yaml"].enumerated() {
            try? FileManager.default.removeItem(atPath: path)
            #expect(unsafe mkfifo(path, 0o600) == 0)
            try #require(try await rig.settles(applied: 2 + index, refused: 1 + index), "\(path)")
            #expect(rig.refusal.contains(path) && rig.refusal.contains("no regular file"))
            try FileManager.default.removeItem(atPath: path)
            if path == rig.secret { try rig.write("another-secret", to: path) }
            try #require(try await rig.settles(applied: 3 + index, refused: 1 + index), "\(path)")
        }
        try FileManager.default.removeItem(atPath: rig.config)
        #expect(unsafe mkfifo(rig.config, 0o600) == 0)
        try #require(try await rig.settles(applied: 4, refused: 3))
        #expect(rig.live.gateway.stop() == 0)
    }

    @Test("A secret that becomes empty, or holds NUL, is not taken over", arguments: ["", "\n", "a\u{0}b"])
    func badSecret(text: String) async throws {
        let rig = try Rig()
        try rig.write("a-secret", to: rig.secret)
        try rig.write(rig.withSecret)
        try #require(try await rig.settles(applied: 1, refused: 0))
        try rig.write(text, to: rig.secret)
        #expect(try await rig.settles(applied: 1, refused: 1))
        #expect(rig.refusal.contains(rig.secret) && rig.refusal.contains(#""line":5"#), "\(rig.refusal)")
        try rig.write("another-secret", to: rig.secret)
        #expect(try await rig.settles(applied: 2, refused: 1))
        #expect(rig.live.gateway.stop() == 0)
    }

    @Test("A folder of adapters that is not there, and a file in it that cannot be read, are errors at their place")
    func adapterFiles() async throws {
        let rig = try Rig()
        let own = rig.live.folder + "/own"
        let text = rig.server + rig.services + "adapter_files: \(own)\n"
        try rig.write(text)
        #expect(try await rig.settles(applied: 0, refused: 1))
        let check = try CommandRun(["check", "--config", rig.config])
        #expect(check.status == 1 && check.errors.contains("config.yaml:6:16: "), "\(check)")
        #expect(check.errors.contains("the folder \(own) is not there or cannot be read"))
        try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
        #expect(try await rig.settles(applied: 1, refused: 1))
        try FileManager.default.createSymbolicLink(atPath: own + "/.#draft.yaml", withDestinationPath: "nowhere")
        #expect(try await rig.settles(applied: 2, refused: 1))
        for name in ["q.yml", ".hidden.yml", "notes.txt"] {
            try rig.write("url: https://a.example/", to: own + "/" + name)
        }
        let misnamed = try CommandRun(["check", "--config", rig.config])
        #expect(
            misnamed.status == 0
                && misnamed.errors.contains("warning: adapter_files: \(own)/q.yml is not read; call it q.yaml")
        )
        #expect(!misnamed.errors.contains("hidden") && !misnamed.errors.contains("notes"))
        #expect(try await rig.settles(applied: 3, refused: 1))
        try FileManager.default.createSymbolicLink(atPath: own + "/x.yaml", withDestinationPath: "nowhere")
        #expect(try await rig.settles(applied: 3, refused: 2))
        #expect(rig.refusal.contains(own + "/x.yaml cannot be read"))
        #expect(rig.live.gateway.stop() == 0)
    }
}
