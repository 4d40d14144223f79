// SPDX-License-Identifier: Apache-2.0

import FanlightTestSupport
import Foundation
import Testing

/// What scripts learn from the exit status.
@Suite("Exit statuses")
struct ExitStatusTests {
    private static let shipped = "services: {album: {adapter: local, folder: ./album}}\n"

    private static func folder() throws -> String {
        let path = NSTemporaryDirectory() + "fanlight-status-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try shipped.write(toFile: path + "/config.yaml", atomically: true, encoding: .utf8)
        let description =
            #"{"Version": "14.0.0", "RequestURL": "https://img.example.org/up", "FileFormName": "f", "Body": "MultipartFormData", "URL": "{json:url}"}"#
        try description.write(toFile: path + "/host.sxcu", atomically: true, encoding: .utf8)
        try Data(SamplePicture.gif).write(to: URL(fileURLWithPath: path + "/a.gif"))
        return path
    }

    static let printing: [[String]] = [
        ["check"], ["check", "--format", "json"], ["services"], ["version"], ["help"], ["help", "check"],
        ["check", "--help"],
        ["schema"], ["schema", "adapter"], ["explain", "--service", "album", "a.gif"],
        ["explain", "--service", "album", "--format", "json", "a.gif"], ["test"], ["test", "--format", "json"],
        ["import", "host.sxcu"], ["key"], ["docs", "--output", "."], ["sandbox", "--inspect", "a.gif"],
        ["sandbox", "--make-photo", "b.jpg"],
    ]

    @Test("A result that cannot be written is no success", arguments: printing)
    func fullOutput(_ words: [String]) throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let fine = try CommandRun(words, in: folder)
        #expect(fine.status == 0 && !fine.output.isEmpty, "\(fine.errors)")
        let full = try CommandRun(words, output: "/dev/full", in: folder)
        #expect(full.status == 1)
        #expect(full.errors.contains("fanlight: standard output cannot be written: No space left on device\n"))
    }

    @Test("Closed standard streams are told from written ones, and no file takes their place")
    func closedOutput() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let run = try CommandRun(
            ["-c", "\"$0\" sandbox --make-photo b.jpg >&-", LiveProcess.program],
            program: "/bin/sh",
            in: folder
        )
        #expect(run.status == 1 && run.errors.contains("standard output cannot be written"), "\(run.errors)")
        let photo = try Data(contentsOf: URL(fileURLWithPath: folder + "/b.jpg"))
        #expect(photo.prefix(2) == Data([0xFF, 0xD8]) && !photo.suffix(8).contains(UInt8(ascii: "\n")))
    }

    static let refused: [[String]] = [
        ["version", "x"], ["version", "--x"], ["serve", "extra"], ["check", "extra"], ["services", "extra"],
        ["health", "extra"], ["key", "extra"], ["sandbox", "extra"], ["sandbox", "--inspect", "a.gif", "b.gif"],
        ["sandbox", "--inspect", "a.gif", "--make-photo", "b.jpg"], ["schema", "config", "adapter"], ["docs", "extra"],
        ["help", "check", "serve"], ["help", "--x"], ["import", "a", "b"],
        ["explain", "--service", "album", "a.gif", "b.gif"], ["send"], ["serve", "--listen"],
        ["serve", "--listen", "x"],
        ["check", "--format", "xml"], ["test", "--format", "xml"],
    ]

    @Test("What means nothing on a command line is refused, before anything happens", arguments: refused)
    func refusedWords(_ words: [String]) throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let before = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        let run = try CommandRun(words, in: folder)
        #expect(run.status == 2 && run.output.isEmpty)
        #expect(run.errors.hasPrefix("fanlight: ") && run.errors.hasSuffix("Try: fanlight help\n"), "\(run.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == before)
    }
}
