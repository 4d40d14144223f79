// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The reference pages in the repository are those that the program writes.
@Suite struct DocumentTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test(arguments: ["config.md", "adapters.md", "services.md", "cli.md", "metrics.md"])
    func referenceIsUpToDate(_ page: String) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("docs-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let outcome = try CommandRun(["docs", "--output", folder.path])
        #expect(outcome.status == 0)
        let written = try String(contentsOf: folder.appendingPathComponent(page), encoding: .utf8)
        let kept = try String(
            contentsOf: Self.root.appendingPathComponent("docs/reference").appendingPathComponent(page),
            encoding: .utf8
        )
        #expect(written == kept, "docs/reference/\(page) differs from what the program reads: run scripts/docs")
    }
}
