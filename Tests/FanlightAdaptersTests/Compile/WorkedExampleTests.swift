// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import Testing

/// Services that are worked out in the design, read where it lies beside the package: each loads as it stands there.
@Suite struct WorkedExampleTests {
    /// Fenced YAML of the design's section on services, joined per fence.
    private static var examples: [String] {
        guard let folder = Fixtures.sharedFolder, let bytes = Fixtures.bytes(folder + "/design/services.md") else {
            return []
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        var found: [String] = []
        var open: [Substring]?
        var isSection = false
        for line in lines {
            if line.hasPrefix("## ") { isSection = line.hasPrefix("## 11") }
            if line.hasPrefix("```") {
                if let text = open, isSection { found.append(text.joined(separator: "\n")) }
                open = open == nil && line == "```yaml" ? [] : nil
            } else {
                open?.append(line)
            }
        }
        return found
    }

    /// Declares and fills in every setting that an example names.
    private static func completed(_ node: Node, _ text: String) -> Node {
        let names = text.replacing("${setting.", with: "\u{1}").split(separator: "\u{1}").dropFirst().map {
            $0.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        }
        let at = node.position
        func scalar(_ text: String) -> Node { Node(.scalar(text, isPlain: false), at: at) }
        let implied = ["consumer_key", "consumer_secret", "token", "token_secret", "username", "password"]
        let all = Set(names.map(String.init) + implied)
        let declarations = all.sorted().map { Node.Entry(key: $0, position: at, value: Node(.mapping([]), at: at)) }
        var entries = node.entries
        entries.append(Node.Entry(key: "settings", position: at, value: Node(.mapping(declarations), at: at)))
        for name in all.sorted() {
            let value = name == "site" || name == "endpoint" || name == "instance" ? "\(name).example" : "value"
            entries.append(Node.Entry(key: name, position: at, value: scalar(value)))
        }
        return Node(.mapping(entries), at: at)
    }

    @Test func everyExampleLoads() throws {
        guard Fixtures.sharedFolder != nil else { return }
        var names: [String] = []
        for text in Self.examples {
            let (read, found) = YAMLReader.read(Array(text.utf8), file: "design.yaml")
            #expect(found.isEmpty)
            let root = try #require(read)
            var catalogue = Catalogue.standard
            var diagnostics: [Diagnostic] = []
            if let adapters = root["adapters"] { catalogue.add(adapters: adapters, diagnostics: &diagnostics) }
            for entry in root["services"]?.entries ?? [] { catalogue.add(entry.key, entry.value) }
            let compiler = ServiceCompiler(catalogue: catalogue, environment: { _ in nil }, readFile: { _ in nil })
            for entry in root["services"]?.entries ?? [] {
                let node = Self.completed(entry.value, text)
                let service = compiler.compile(name: entry.key, node: node, diagnostics: &diagnostics)
                #expect(service != nil, "\(entry.key): \(diagnostics.map(\.description))")
                names.append(entry.key)
            }
            #expect(diagnostics.isEmpty, "\(diagnostics.map(\.description))")
        }
        #expect(names.count >= 21, "\(names)")
    }
}
