// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightCurl
import FanlightTestSupport
import Foundation

/// A sandbox and a gateway, real processes on loopback ports that the system chose.
final class LiveGateway: Sendable {
    let sandbox: LiveProcess
    let gateway: LiveProcess
    let folder: String
    let transport = CurlTransport()

    /// Starts both, the gateway with its log in a file or a pipe.
    ///
    /// - Parameters:
    ///   - services: May name the sandbox as SANDBOX and the folder as FOLDER.
    ///   - descriptors: The most that the gateway may hold open.
    init(
        server: String = "",
        services: String,
        logs: Bool = false,
        errors: Pipe? = nil,
        descriptors: Int? = nil
    ) throws {
        folder = NSTemporaryDirectory() + "fanlight-live-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        sandbox = try LiveProcess(["sandbox", "--listen", "127.0.0.1:0"], ready: "sandbox ready ")
        let yaml = """
            server:
              listen: 127.0.0.1:0
              state: \(folder)/state
            \(Self.roomy(server))
            services:
            \(services)
            """.replacingOccurrences(of: "SANDBOX", with: sandbox.url).replacingOccurrences(of: "FOLDER", with: folder)
        try yaml.write(toFile: folder + "/config.yaml", atomically: true, encoding: .utf8)
        let arguments = ["serve", "--config", folder + "/config.yaml"]
        let limit = descriptors.map { ["-c", "ulimit -n \($0); exec \"$0\" \"$@\"", LiveProcess.program] }
        gateway = try LiveProcess(
            (limit ?? []) + arguments,
            program: limit == nil ? LiveProcess.program : "/bin/sh",
            ready: "fanlight ready ",
            logs: logs,
            errors: errors
        )
    }

    /// Time and memory for pictures where a tool makes programs slow and large.
    private static func roomy(_ server: String) -> String {
        if Patience.factor == 1 { return server }
        let room = "image:\n  cpu: \(10 * Patience.factor)s\n  memory: \(Patience.factor)GB\n"
        return server.contains("image:\n")
            ? server.replacingOccurrences(of: "image:\n", with: room) : server + "\n" + room
    }

    private static let timeouts = Timeouts(stall: Duration.seconds(30).patient, total: Duration.seconds(120).patient)

    deinit {
        gateway.stop()
        sandbox.stop()
        transport.shutdown()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Four services as a newcomer has them.
    static let four = """
          tweetphoto: {adapter: tweetphoto, url: SANDBOX/uploadapiwithkey.php, username: u, password: p, api_key: k}
          imgur: {adapter: imgur, url: SANDBOX/3/image, client_id: abcdefghijk}
          myhost: {url: SANDBOX/upload.json, file: file, link: $.url}
          album: {adapter: local, folder: FOLDER/album}
        """

    func post(_ body: [UInt8], type: String = "application/octet-stream", query: String = "") async throws -> (
        Int, JSONValue
    ) {
        let reply = try await transport.send(
            HTTPRequest(
                method: "POST",
                url: gateway.url + "/v1/uploads" + query,
                headers: [HTTPField("Content-Type", type)],
                body: .bytes(body),
                timeouts: Self.timeouts
            )
        )
        return (reply.status, try JSONParser.parse(reply.body))
    }

    func get(_ url: String) async throws -> HTTPReply {
        try await transport.send(
            HTTPRequest(method: "GET", url: url, timeouts: Self.timeouts, maxReplyBytes: 64_000_000)
        )
    }

    /// What the sandbox accepted, one value a request.
    func received() async throws -> [JSONValue] {
        try await get(sandbox.url + "/received").body.split(separator: 10).map { try JSONParser.parse(Array($0)) }
    }
}

/// One of the project's programs, stopped by its own process id.
final class LiveProcess: @unchecked Sendable {
    // SAFETY: set once by the initialiser, then only read and stopped.
    private let process = Process()
    let url: String

    var pid: Int32 { process.processIdentifier }
    var isRunning: Bool { process.isRunning }

    struct NotReady: Error {}

    /// What it wrote to standard error, where it was started with `logs`.
    var log: String { (try? String(contentsOfFile: logPath, encoding: .utf8)) ?? "" }

    private let logPath = NSTemporaryDirectory() + "fanlight-log-" + UUID().uuidString

    init(
        _ arguments: [String],
        program: String = LiveProcess.program,
        ready: String,
        logs: Bool = false,
        errors: Pipe? = nil
    ) throws {
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = errors ?? FileHandle.nullDevice
        if logs {
            _ = FileManager.default.createFile(atPath: logPath, contents: nil)
            process.standardError = FileHandle(forWritingAtPath: logPath) ?? .nullDevice
        }
        try process.run()
        var text = ""
        while !text.contains("\n") {
            let data = pipe.fileHandleForReading.availableData
            if data.isEmpty { throw NotReady() }
            text += String(decoding: data, as: UTF8.self)
        }
        guard text.hasPrefix(ready) else { throw NotReady() }
        url = text.dropFirst(ready.count).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    deinit { try? FileManager.default.removeItem(atPath: logPath) }

    /// Path of the program beside the tests.
    static var program: String { buildFolder + "/fanlight" }

    static var buildFolder: String {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0])
        for _ in 0..<6 {
            folder.deleteLastPathComponent()
            if FileManager.default.isExecutableFile(atPath: folder.path + "/fanlight") { return folder.path }
        }
        return URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path + "/.build/debug"
    }

    /// Ends the process and gives its exit status.
    @discardableResult
    func stop() -> Int32 {
        if process.isRunning { process.terminate() }
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Memory of the process now, in kilobytes.
    var residentKilobytes: Int {
        let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        return Int(line.filter(\.isNumber)) ?? 0
    }
}

/// The folder of shared pictures and cases, where the machine has one.
enum Shared {
    static let folder: String? = {
        if let named = ProcessInfo.processInfo.environment["FANLIGHT_SHARED"] { return named }
        let beside = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("shared").path
        return FileManager.default.fileExists(atPath: beside + "/corpus/expected.tsv") ? beside : nil
    }()

    static func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }
}
