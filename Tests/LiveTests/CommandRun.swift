// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One run of the program to its end; what it prints goes through files, so that no pipe can fill up.
struct CommandRun {
    var status: Int32
    var output: String
    var errors: String

    /// Runs the program, or another one, in a folder with a standard input.
    ///
    /// - Parameter output: A file or device that takes standard output instead; `self.output` is empty then.
    init(
        _ arguments: [String],
        program: String = LiveProcess.program,
        input: String = "",
        output: String? = nil,
        in folder: String? = nil,
        environment: [String: String] = [:]
    ) throws {
        let files = ["in", "out", "err"].map { _ in
            FileManager.default.temporaryDirectory.appendingPathComponent("run-" + UUID().uuidString)
        }
        defer { for file in files { try? FileManager.default.removeItem(at: file) } }
        try Data(input.utf8).write(to: files[0])
        for file in files.dropFirst() { try Data().write(to: file) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = try FileHandle(forReadingFrom: files[0])
        process.standardOutput = try FileHandle(forWritingTo: output.map { URL(fileURLWithPath: $0) } ?? files[1])
        process.standardError = try FileHandle(forWritingTo: files[2])
        try process.run()
        process.waitUntilExit()
        status = process.terminationStatus
        self.output = try String(contentsOf: files[1], encoding: .utf8)
        errors = try String(contentsOf: files[2], encoding: .utf8)
    }
}
