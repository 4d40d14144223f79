// SPDX-License-Identifier: Apache-2.0

import FanlightTestSupport
import Foundation
import Testing

@testable import fanlight

@Suite("Watching the files of a configuration")
struct FileWatchTests {
    private let folder = TemporaryFolder("watched")

    private func makeWatch() throws -> FileWatch {
        try "one".write(toFile: folder.file("secret"), atomically: false, encoding: .utf8)
        let watch = FileWatch()
        watch.note(folder.file("secret"))
        watch.note(folder.file("absent"))
        #expect(!watch.hasChanged)
        return watch
    }

    @Test("A change of the same length whose time is set back is one")
    func sameTime() throws {
        let watch = try makeWatch()
        let path = folder.file("secret")
        let time = try #require(try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date)
        // The kernel's clock for files goes in steps of some milliseconds.
        usleep(20_000)
        try "two".write(toFile: path, atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: path)
        #expect(watch.hasChanged)
    }

    @Test("What is made, replaced, deleted or gets other rights has changed")
    func others() throws {
        let files = FileManager.default
        let changes: [(String) throws -> Void] = [
            { try Data().write(to: URL(fileURLWithPath: $0 + "/absent")) },
            { try Data("one".utf8).write(to: URL(fileURLWithPath: $0 + "/secret"), options: .atomic) },
            { try files.removeItem(atPath: $0 + "/secret") },
            { try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: $0 + "/secret") },
        ]
        for change in changes {
            let watch = try makeWatch()
            usleep(20_000)
            try change(folder.path)
            #expect(watch.hasChanged)
            try? files.removeItem(atPath: folder.file("absent"))
        }
    }
}
