// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightTestSupport
import Foundation
import Synchronization
import Testing

@testable import fanlight

@Suite("The log of a real gateway", .serialized)
struct LogTests {
    @Test("A log that nobody reads holds nobody up, and is whole when it is read again")
    func unread() async throws {
        let pipe = Pipe()
        // The smallest that there is: one upload and a half.
        #expect(fcntl(pipe.fileHandleForWriting.fileDescriptor, 1_031, 4_096) == 4_096)
        let live = try LiveGateway(services: LiveGateway.four, errors: pipe)
        var uploads: Set<String> = []
        for _ in 0..<20 {
            let (status, report) = try await live.post(SamplePicture.gif, type: "image/gif")
            #expect(status == 200)
            uploads.insert(try #require(report["id"]?.string))
        }
        #expect(try await live.get(live.gateway.url + "/readyz").status == 200)
        let reading = Task.detached { try pipe.fileHandleForReading.readToEnd() ?? Data() }
        #expect(live.gateway.stop() == 0)
        try pipe.fileHandleForWriting.close()
        let lines = try await reading.value.split(separator: 10).map { try JSONParser.parse(Array($0)) }
        let finished = lines.filter { $0["message"]?.string == "upload finished" }.compactMap {
            $0["upload_id"]?.string
        }
        #expect(finished.count == 20 && Set(finished) == uploads)
        #expect(lines.filter { $0["message"]?.string == "delivery finished" }.count == 80)
    }

    @Test("Warnings of the configuration are lines of JSON as all others, at the start and at a reload")
    func warnings() async throws {
        let folder = TemporaryFolder("warnings")
        // A secret in a file that everybody can read is warned of.
        let yaml = """
            server:
              listen: 127.0.0.1:0
              state: \(folder.path)/state
            services:
              host: {url: 'http://127.0.0.1:9/up', file: file, link: $.url, headers: {Authorization: PLANTED-SECRET}}
            """
        let path = folder.file("config.yaml")
        try yaml.write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        let gateway = try LiveProcess(["serve", "--config", path], ready: "fanlight ready ", logs: true)
        kill(gateway.pid, SIGHUP)
        for _ in 0..<300 where !gateway.log.contains("configuration reloaded") {
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(gateway.stop() == 0)
        let lines = try gateway.log.split(separator: "\n").map { try JSONParser.parse(Array($0.utf8)) }
        for message in ["configuration has warnings", "configuration reloaded"] {
            let line = try #require(lines.first { $0["message"]?.string == message })
            #expect(line["level"]?.string == "warning" && line["file"]?.string == path)
            let finding = try #require(line["findings"]?.array?.first)
            #expect(finding["severity"]?.string == "warning" && finding["file"]?.string == path)
            #expect(finding["line"]?.int == 5 && (finding["column"]?.int ?? 0) > 1)
            #expect(finding["message"]?.string?.contains("chmod 640") == true)
        }
        #expect(!gateway.log.contains("PLANTED"))
    }

    @Test("A state folder that is moved away is told once, and so is its return")
    func stateFolder() async throws {
        let live = try LiveGateway(services: LiveGateway.four, logs: true)
        let state = live.folder + "/state"
        func lines() throws -> [JSONValue] {
            // The last line may be half written.
            let whole = live.gateway.log.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            return try whole.map { try JSONParser.parse(Array($0.utf8)) }.filter {
                $0["message"]?.string?.hasPrefix("state folder ") == true
            }
        }
        func waitForLines(_ count: Int) async throws {
            for _ in 0..<600 where try lines().count < count { try await Task.sleep(for: .milliseconds(50)) }
        }
        #expect(try await live.post(SamplePicture.gif, type: "image/gif").0 == 200)
        try FileManager.default.moveItem(atPath: state, toPath: state + "-away")
        try await waitForLines(1)
        for _ in 0..<3 { #expect(try await live.post(SamplePicture.gif, type: "image/gif").0 == 503) }
        let lost = try #require(try lines().first)
        #expect(lost["level"]?.string == "error" && lost["reason"]?.string == "missing")
        #expect(lost["detail"]?.string?.contains("put it back") == true)
        // Readiness is looked at anew only after a moment.
        var readiness = try await live.get(live.gateway.url + "/readyz")
        for _ in 0..<200 where readiness.status == 200 {
            try await Task.sleep(for: .milliseconds(50))
            readiness = try await live.get(live.gateway.url + "/readyz")
        }
        let text = String(decoding: readiness.body, as: UTF8.self)
        #expect(readiness.status == 503 && text.contains(#""state""#) && text.contains("put it back"), "\(text)")
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: false)
        try await waitForLines(2)
        #expect(try lines().last?["reason"]?.string == "replaced")
        try FileManager.default.removeItem(atPath: state)
        try FileManager.default.moveItem(atPath: state + "-away", toPath: state)
        for _ in 0..<600 where try lines().last?["level"]?.string != "info" {
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(try await live.post(SamplePicture.gif, type: "image/gif").0 == 200)
        #expect(try lines().last?["message"]?.string == "state folder can be used again")
        // Between the two, the folder may have been seen missing for a moment.
        #expect(try lines().count <= 4)
    }

    @Test("A configuration with mistakes is told as a compiler tells it, its warnings too, and nothing is served")
    func mistakes() throws {
        let folder = TemporaryFolder("mistakes")
        let yaml = """
            server: {listen: '127.0.0.1:0', nonsense: 1}
            services:
              host: {url: 'http://127.0.0.1:9/up', file: file, link: $.url, headers: {Authorization: PLANTED-SECRET}}
            """
        let path = folder.file("config.yaml")
        try yaml.write(toFile: path, atomically: true, encoding: .utf8)
        let run = try CommandRun(["serve", "--config", path])
        #expect(run.status == 1 && run.output.isEmpty)
        #expect(
            run.errors.contains("\(path):1:") && run.errors.contains(": error: ") && run.errors.contains(": warning: ")
        )
        #expect(!run.errors.contains("{\"") && !run.errors.contains("PLANTED"))
    }

    @Test("Lines beyond the bound are counted, and the log tells how many there were")
    func bound() throws {
        let pipe = Pipe()
        #expect(fcntl(pipe.fileHandleForWriting.fileDescriptor, 1_031, 4_096) == 4_096)
        let lines = LogLines(descriptor: pipe.fileHandleForWriting.fileDescriptor, bound: 10_000)
        let line = String(repeating: "a", count: 99)
        for _ in 0..<1_000 { lines.add(line) }
        let lost = lines.dropped
        // What is being written is out of the bound: at most the pipe's content and one batch more.
        #expect(lost >= 1_000 - 100 - 100 - 42)
        let text = Mutex(Data())
        let isRead = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let data = (try? pipe.fileHandleForReading.readToEnd()) ?? Data()
            text.withLock { $0 = data }
            isRead.signal()
        }
        lines.finish(within: Duration.seconds(10).patient)
        try pipe.fileHandleForWriting.close()
        isRead.wait()
        let read = text.withLock { String(decoding: $0, as: UTF8.self) }.split(separator: "\n")
        #expect(read.filter { $0 == line }.count == 1_000 - lost)
        let told = try read.filter { $0 != line }.map { try JSONParser.parse(Array($0.utf8)) }
        #expect(told.compactMap { $0["lines"]?.int }.reduce(0, +) == lost)
        #expect(told.allSatisfy { $0["message"]?.string == "log lines lost" })
    }
}
