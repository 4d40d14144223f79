// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightCurl
import FanlightTestSupport
import Foundation
import Testing

/// Things around a running gateway that do not go on, are broken, or end.
@Suite("A gateway whose surroundings fail", .serialized)
struct StallTests {
    private static func folder() throws -> String {
        let path = NSTemporaryDirectory() + "fanlight-stall-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    private static func write(_ services: String, in folder: String) throws -> String {
        let path = folder + "/config.yaml"
        let text = "server: {listen: 127.0.0.1:0, state: \(folder)/state}\nservices:\n" + services
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    private static func upload(to gateway: LiveProcess, _ transport: CurlTransport) async throws -> Int {
        var request = HTTPRequest(
            method: "POST",
            url: gateway.url + "/v1/uploads",
            headers: [HTTPField("Content-Type", "image/gif")],
            timeouts: Timeouts(total: .seconds(60))
        )
        request.body = .bytes(SamplePicture.gif)
        return try await transport.send(request).status
    }

    @Test("A stop signal does not wait for a configuration that takes long to be read")
    func longReload() async throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let config = try Self.write("  a: {adapter: local, folder: \(folder)/a}\n", in: folder)
        let gateway = try LiveProcess(["serve", "--config", config], ready: "fanlight ready ", logs: true)
        let services = (0..<7_500).map {
            "  s\($0): {url: 'http://127.0.0.1:1/', file: file, fields: {a: '${title}'}, link: $.u}\n"
        }
        _ = try Self.write(services.joined(), in: folder)
        let before = Self.processorTicks(gateway.pid)
        // Half a second of work: nothing else than the configuration gives it any.
        while gateway.isRunning, Self.processorTicks(gateway.pid) - before < 50 {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(gateway.stop() == 0)
        #expect(!gateway.log.contains("configuration re"), "\(gateway.log)")
    }

    /// Hundredths of a second of processor time.
    private static func processorTicks(_ pid: Int32) -> Int {
        let text = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        return fields.count > 12 ? (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0) : 0
    }

    @Test("A gateway is well although its configuration was broken, or moved to another port, meanwhile")
    func healthOfABrokenConfiguration() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let config = try Self.write("  a: {adapter: local, folder: \(folder)/a}\n", in: folder)
        let gateway = try LiveProcess(["serve", "--config", config], ready: "fanlight ready ")
        let good = try String(contentsOfFile: config, encoding: .utf8)
        let texts = [
            good, good + "bogus: 1\n", good.replacing("127.0.0.1:0", with: "127.0.0.1:1"), good + "{tail: x: [}\n",
            String(good.prefix(good.count / 2)), "", "\tx: y\n",
        ]
        for text in texts + [nil] {
            if let text {
                try text.write(toFile: config, atomically: true, encoding: .utf8)
            } else {
                try FileManager.default.removeItem(atPath: config)
            }
            let run = try CommandRun(["health", "--config", config])
            #expect(run.status == 0 && run.output == "\(gateway.url) is ready\n", "\(text ?? "gone"): \(run.errors)")
        }
        try good.write(toFile: config, atomically: true, encoding: .utf8)
        #expect(gateway.stop() == 0)
        #expect(try CommandRun(["health", "--config", config]).status == 1)
        #expect(try CommandRun(["health", "--config", folder + "/none.yaml"]).status == 1)
    }

    @Test("A gateway is found by every spelling of its configuration's path, also when that is gone")
    func healthByOtherNames() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let config = try Self.write("  a: {adapter: local, folder: \(folder)/a}\n", in: folder)
        let name = try #require(config.split(separator: "/").last.map(String.init))
        let files = FileManager.default
        try files.createDirectory(atPath: folder + "/sub", withIntermediateDirectories: false)
        try files.createSymbolicLink(atPath: folder + "/sub/link.yaml", withDestinationPath: "../" + name)
        try files.createSymbolicLink(atPath: folder + "/linked", withDestinationPath: folder + "/sub")
        let spellings = [
            config, "./\(name)", name, "sub/../\(name)", "\(folder)//sub/.././\(name)", "sub/link.yaml",
            "linked/link.yaml", "\(folder)/linked/../\(name)",
        ]
        for served in [config, "sub/link.yaml", "linked/link.yaml", "sub/../\(name)"] {
            let text = try String(contentsOfFile: config, encoding: .utf8)
            // The shell gives the program its working folder.
            let gateway = try LiveProcess(
                ["-c", "cd \"$1\" && exec \"$2\" serve --config \"$3\"", "sh", folder, LiveProcess.program, served],
                program: "/bin/sh",
                ready: "fanlight ready "
            )
            try files.removeItem(atPath: config)
            for spelling in spellings {
                let run = try CommandRun(["health", "--config", spelling], in: folder)
                #expect(run.output == "\(gateway.url) is ready\n", "\(served), \(spelling): \(run.errors)")
            }
            #expect(try CommandRun(["health", "--config", "sub/" + name], in: folder).status == 1)
            try text.write(toFile: config, atomically: true, encoding: .utf8)
            #expect(gateway.stop() == 0)
            try files.removeItem(atPath: config)
            for spelling in spellings {
                let run = try CommandRun(["health", "--config", spelling], in: folder)
                #expect(run.status == 1 && !run.errors.contains(gateway.url), "\(run)")
            }
            try text.write(toFile: config, atomically: true, encoding: .utf8)
        }
    }

    @Test("Nothing of a delivered picture stays in the spool after the end")
    func emptySpool() async throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let config = try Self.write("  a: {adapter: local, folder: \(folder)/a}\n", in: folder)
        let gateway = try LiveProcess(["serve", "--config", config], ready: "fanlight ready ")
        let transport = CurlTransport()
        defer { transport.shutdown() }
        for _ in 0..<3 { #expect(try await Self.upload(to: gateway, transport) == 200) }
        #expect(gateway.stop() == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/state/spool") == [])
        #expect(!FileManager.default.fileExists(atPath: folder + "/state/address"))
    }
}
