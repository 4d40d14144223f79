// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore
import Testing

/// The time that a file takes grows with its mistakes, not with their square.
@Suite struct ManyMistakesTests {
    private static let count = 3_000

    private static func findings(_ text: String) throws -> [Diagnostic] {
        let (root, found) = YAMLReader.read(Array(text.utf8), file: "config.yaml")
        var diagnostics = found
        let file = try #require(root)
        _ = GatewayConfiguration.decode(file, diagnostics: &diagnostics)
        var findings = Findings(diagnostics)
        var catalogue = Catalogue.standard
        for entry in file["adapters"]?.entries ?? [] { catalogue.add(entry.key, entry.value) }
        let compiler = ServiceCompiler(catalogue: catalogue, environment: { _ in nil }, readFile: { _ in nil })
        for entry in file["services"]?.entries ?? [] {
            _ = compiler.compile(name: entry.key, node: entry.value, findings: &findings)
        }
        return findings.all
    }

    @Test("Each of 3,000 mistakes in as many services is told", .timeLimit(.minutes(2)))
    func services() throws {
        let lines = (0..<Self.count).map { "  s\($0): {url: 'http://h/x', fil: f, link: $.u}\n" }
        let findings = try Self.findings("services:\n" + lines.joined())
        #expect(findings.count == Self.count)
        #expect(Set(findings.map(\.position.line)).count == Self.count)
    }

    @Test("Each of 3,000 mistakes in one service is told", .timeLimit(.minutes(2)))
    func keys() throws {
        let lines = (0..<Self.count).map { "    key\($0): x\n" }
        let findings = try Self.findings("services:\n  a:\n    url: http://h/x\n" + lines.joined())
        #expect(findings.count == Self.count)
    }

    @Test("A mistake in an adapter of 1,000 services is told once", .timeLimit(.minutes(2)))
    func adapter() throws {
        let services = (0..<1_000).map { "  s\($0): {adapter: x}\n" }
        let text = "adapters:\n  x: {url: 'http://h/x', fil: f}\nservices:\n" + services.joined()
        #expect(try Self.findings(text).map(\.position.line) == [2])
    }

    @Test("Each of 3,000 wrong names in a route is told", .timeLimit(.minutes(2)))
    func routes() throws {
        let services = (0..<500).map { "  service_of_number_\($0): {url: 'http://h/x', link: $.u}\n" }
        let names = (0..<Self.count).map { "    - servize_of_number_\($0)\n" }
        let findings = try Self.findings("services:\n" + services.joined() + "routes:\n  r:\n" + names.joined())
        #expect(findings.count == Self.count)
        #expect(findings.first?.message.hasSuffix("did you mean 'service_of_number_0'?") == true)
    }

    @Test("Each of 3,000 unknown adapters is told", .timeLimit(.minutes(2)))
    func adapters() throws {
        let lines = (0..<Self.count).map { "  s\($0): {adapter: imgurr\($0)}\n" }
        #expect(try Self.findings("services:\n" + lines.joined()).count == Self.count)
    }
}
