// SPDX-License-Identifier: Apache-2.0

import FanlightGateway
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

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    @Test("The guide has one row for each metric: what it tells, and what to do")
    func metricsOfTheGuide() throws {
        let guide = try Self.text("docs/guides/operate.md")
        let rows = guide.matches(of: /(?m)^\| `((?:fanlight|process)_[a-z_]+)` \| ([^|]+) \| ([^|]+) \|$/)
        #expect(rows.map { String($0.output.1) }.sorted() == MetricFamily.allCases.map(\.rawValue).sorted())
        for row in rows { #expect(row.output.2.count > 20 && row.output.3.count > 10, "\(row.output.1)") }
    }

    @Test("The guide has a section for each alert, and each alert names it")
    func alertsOfTheGuide() throws {
        let guide = try Self.text("docs/guides/operate.md")
        let rules = try Self.text("deploy/prometheus/alerts.yaml").components(separatedBy: "- alert: ").dropFirst()
        let names = rules.map { String($0.prefix { $0.isLetter }) }
        for (name, rule) in zip(names, rules) {
            #expect(rule.contains("runbook: docs/guides/operate.md#\(name.lowercased())\n"), "\(name)")
            let section = guide.components(separatedBy: "### \(name)\n").dropFirst().first
            let words = section?.components(separatedBy: "\n#").first ?? ""
            #expect(words.count > 80, "\(name) has no section that says what to do")
        }
        let sections = guide.matches(of: /(?m)^### (Fanlight\w+)$/).map { String($0.output.1) }
        #expect(names.count > 10 && names.sorted() == sections.sorted())
    }
}
