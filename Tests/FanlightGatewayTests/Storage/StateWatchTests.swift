// SPDX-License-Identifier: Apache-2.0

import FanlightGateway
import FanlightTestSupport
import Foundation
import Testing

@Suite("Watching the state folder")
struct StateWatchTests {
    private let folder = TemporaryFolder("watch")

    private func make() throws -> StateWatch {
        let files = FileManager.default
        try files.createDirectory(atPath: folder.file("state/spool"), withIntermediateDirectories: true)
        try "history".write(toFile: folder.file("state/journal"), atomically: false, encoding: .utf8)
        return StateWatch(["state", "state/spool", "state/journal", "state/never"].map(folder.file))
    }

    @Test("What is as it was is no trouble, whatever was written into it")
    func quiet() throws {
        let watch = try make()
        try "more".write(toFile: folder.file("state/spool/a"), atomically: false, encoding: .utf8)
        try "other".write(toFile: folder.file("state/journal"), atomically: false, encoding: .utf8)
        #expect(watch.trouble() == nil)
    }

    @Test("What is gone is missed until it is put back", arguments: ["state", "state/spool", "state/journal"])
    func missing(part: String) throws {
        let watch = try make()
        let files = FileManager.default
        try files.moveItem(atPath: folder.file(part), toPath: folder.file("away"))
        #expect(watch.trouble() == .missing)
        try files.moveItem(atPath: folder.file("away"), toPath: folder.file(part))
        #expect(watch.trouble() == nil)
    }

    @Test("What has only the name is not taken for it", arguments: ["state", "state/spool", "state/journal"])
    func replaced(part: String) throws {
        let watch = try make()
        let files = FileManager.default
        try files.moveItem(atPath: folder.file(part), toPath: folder.file("away"))
        try files.copyItem(atPath: folder.file("away"), toPath: folder.file(part))
        #expect(watch.trouble() == .replaced)
    }
}
