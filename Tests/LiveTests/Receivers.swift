// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightCurl
import Foundation

/// A server that others wrote, on a loopback port, started and ended by the scripts beside the shared pictures.
///
/// The script installs what the server needs. Whatever it leaves in its folder goes with it.
final class Receiver: @unchecked Sendable {
    // SAFETY: set by the initialiser, then only read; the keeper is used again by `deinit` alone.
    private let keeper: Keeper
    let folder: String
    /// What a client needs: the address under `BASE`, credentials under names of the receiver's own.
    let facts: [String: String]

    struct NotReady: Error, CustomStringConvertible {
        let description: String
    }

    /// The folder of the scripts; `nil` where the machine has none.
    static let scripts: String? = {
        let beside = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("shared").path
        let shared = ProcessInfo.processInfo.environment["FANLIGHT_SHARED"] ?? beside
        return FileManager.default.fileExists(atPath: shared + "/receivers") ? shared + "/receivers" : nil
    }()

    /// Starts a receiver; `nil` where the machine has no scripts of receivers at all.
    static func start(_ name: String) throws -> Receiver? { try scripts.map { try Receiver(name, in: $0) } }

    /// Runs a script with no signal blocked, as threads of the tests have them (Apache would not stop), and without the
    /// socket by which Foundation sees that a process runs (the server would hold it, and the script seem to run on).
    private static let launcher = """
        import signal, subprocess, sys
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        sys.exit(subprocess.call(["bash", sys.argv[1]], close_fds=True))
        """

    private init(_ name: String, in scripts: String) throws {
        let folder = NSTemporaryDirectory() + "fanlight-receiver-" + UUID().uuidString
        self.folder = folder
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        keeper = try Keeper(scripts: scripts, folder: folder)
        let run = try CommandRun(
            ["-c", Self.launcher, "\(scripts)/\(name)/start.sh"],
            program: "/usr/bin/python3",
            environment: ["PORT": "\(try Self.freePort())", "STATE_DIR": folder]
        )
        let text = (try? String(contentsOfFile: folder + "/env", encoding: .utf8)) ?? ""
        guard run.status == 0, !text.isEmpty else {
            let logs = ["apt", "pip"].compactMap { try? String(contentsOfFile: "\(folder)/\($0).log", encoding: .utf8) }
            keeper.end()
            throw NotReady(description: "\(name) did not start: \(([run.output, run.errors] + logs).joined())")
        }
        let pairs = text.split(separator: "\n").compactMap { line -> (String, String)? in
            let pair = line.split(separator: "=", maxSplits: 1).map(String.init)
            return pair.count == 2 ? (pair[0], pair[1].trimmingCharacters(in: ["'"])) : nil
        }
        facts = Dictionary(pairs, uniquingKeysWith: { $1 })
    }

    deinit { keeper.end() }

    /// A port below those that the system gives to connections that leave.
    private static func freePort() throws -> UInt16 {
        for _ in 0..<100 {
            let port = UInt16.random(in: 20_000..<30_000)
            if RawClient.canBind(port) { return port }
        }
        throw NotReady(description: "no free port")
    }

    subscript(name: String) -> String { facts[name] ?? "" }

    /// A gateway whose services name the receiver's facts as `@NAME@`.
    func gateway(_ services: String) throws -> LiveGateway {
        let text = facts.reduce(services) { $0.replacingOccurrences(of: "@\($1.key)@", with: $1.value) }
        return try LiveGateway(services: text)
    }

    /// Bytes of a file that the receiver keeps in its folder; `nil` where there is none.
    func file(_ path: String) -> [UInt8]? { try? Shared.bytes(folder + "/" + path) }

    /// Noise as a PNG without metadata, which the gateway passes on untouched.
    static func noise(width: Int, height: Int) throws -> [UInt8] {
        let path = NSTemporaryDirectory() + "fanlight-noise-\(UUID().uuidString).png"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let made = try CommandRun(
            [
                "-c", #"python3 "$0" "$1" "$2" fanlight >"$3""#, "\(scripts ?? "")/mkpng.py", "\(width)", "\(height)",
                path,
            ],
            program: "/bin/sh"
        )
        guard made.status == 0 else { throw NotReady(description: made.errors) }
        return try Shared.bytes(path)
    }
}

/// Ends a receiver and removes its folder as soon as the tests let go of it, however they end.
private final class Keeper {
    private let process = Process()
    private let pipe = Pipe()

    init(scripts: String, folder: String) throws {
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        // The pipe is at its end when the last process that could write to it is gone.
        let script = """
            trap '' HUP INT TERM
            cat >/dev/null
            groups=$(cat "$1/pid")
            bash "$0/stop.sh" "$1"
            for group in $groups; do kill -KILL -- "-$group"; done
            rm -rf "$1"
            """
        process.arguments = ["-c", script, scripts, folder]
        process.standardInput = pipe
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    func end() {
        try? pipe.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}

extension LiveGateway {
    /// Deletes an upload everywhere; the status of each service's deletion.
    func delete(_ report: JSONValue) async throws -> [String: String] {
        let url = "\(gateway.url)/v1/uploads/\(report["id"]?.string ?? "")"
        let reply = try await transport.send(HTTPRequest(method: "DELETE", url: url))
        guard case .array(let deletions)? = try JSONParser.parse(reply.body)["deletions"] else { return [:] }
        let pairs = deletions.map { ($0["service"]?.string ?? "", $0["status"]?.string ?? "") }
        return Dictionary(pairs, uniquingKeysWith: { $1 })
    }
}

extension JSONValue {
    /// The delivery to a service in a report.
    func delivery(_ service: String) -> JSONValue? {
        guard case .array(let deliveries)? = self["deliveries"] else { return nil }
        return deliveries.first { $0["service"]?.string == service }
    }

    /// Kind and status of the failure at a service in a report, such as "auth 401".
    func failure(_ service: String) -> String? {
        guard let error = delivery(service)?["error"] else { return nil }
        return "\(error["kind"]?.string ?? "-") \(error["http_status"]?.int.map(String.init) ?? "-")"
    }
}
