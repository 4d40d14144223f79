// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore
import Foundation
import Testing

/// The examples of the guides are configurations that load, and their tests pass.
@Suite struct GuideTests {
    /// One example.
    struct Example: Sendable, CustomTestStringConvertible {
        var place: String
        var text: String
        var testDescription: String { place }
    }

    static let examples = ["docs/guides/write-an-adapter.md", "README.md"].flatMap { path -> [Example] in
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = (try? String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)) ?? ""
        var examples: [Example] = []
        var current: Example?
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line == "```yaml" {
                current = Example(place: "\(path):\(index + 1)", text: "")
            } else if line == "```", let example = current {
                examples.append(example)
                current = nil
            } else {
                current?.text += line + "\n"
            }
        }
        return examples.filter { $0.text.hasPrefix("services:") || $0.text.hasPrefix("adapters:") }
    }

    @Test func thereAreExamples() { #expect(Self.examples.count >= 7) }

    @Test(arguments: examples)
    func exampleLoads(_ example: Example) throws {
        let (root, found) = YAMLReader.read(Array(example.text.utf8), file: example.place)
        var diagnostics = found
        let node = try #require(root)
        #expect(GatewayConfiguration.decode(node, diagnostics: &diagnostics) != nil)
        var catalogue = Catalogue.standard
        for entry in node["adapters"]?.entries ?? [] { catalogue.add(entry.key, entry.value) }
        let compiler = ServiceCompiler(
            catalogue: catalogue,
            environment: { "value-of-" + $0 },
            readFile: { _ in "file" }
        )
        for entry in node["services"]?.entries ?? [] {
            #expect(compiler.compile(name: entry.key, node: entry.value, diagnostics: &diagnostics) != nil)
        }
        #expect(diagnostics == [])
    }

    @Test(arguments: examples)
    func exampleIsValidAndItsTestsPass(_ example: Example) throws {
        let node = try #require(YAMLReader.read(Array(example.text.utf8), file: example.place).root)
        var writer = AdapterSchema.writer(.standard)
        #expect(SchemaValidator(root: ConfigurationFields.schema(&writer)).findings(JSONValue(node)) == [])
        var catalogue = Catalogue.standard
        for section in ["adapters", "services"] {
            for entry in node[section]?.entries ?? [] where entry.value["tests"] != nil {
                catalogue.add(entry.key, entry.value)
                for finding in AdapterTestRunner(catalogue: catalogue).run(entry.key) {
                    #expect(finding.failures == [], "\(finding.test)")
                }
            }
        }
    }
}
