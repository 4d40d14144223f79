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

    /// Names behind a word such as `setting` in the templates of a text.
    private static func names(_ word: String, in text: String) -> Set<String> {
        let parts = text.replacing("\(word).", with: "\u{1}").split(separator: "\u{1}").dropFirst()
        return Set(parts.map { String($0.prefix { $0.isLetter || $0.isNumber || $0 == "_" }) }).subtracting([""])
    }

    /// Declares every setting and option that an example names, as an entry of the catalogue does, and fills the settings in.
    private static func completed(_ node: Node, _ text: String) -> Node {
        let at = node.position
        func scalar(_ text: String) -> Node { Node(.scalar(text, isPlain: false), at: at) }
        func declared(_ key: String, _ names: Set<String>) -> Node.Entry {
            let given = node[key]?.entries ?? []
            let missing = names.subtracting(given.map(\.key)).sorted()
            let added = missing.map { Node.Entry(key: $0, position: at, value: Node(.mapping([]), at: at)) }
            return Node.Entry(key: key, position: at, value: Node(.mapping(given + added), at: at))
        }
        let implied = ["consumer_key", "consumer_secret", "token", "token_secret", "username", "password"]
        let settings = names("setting", in: text).union(implied)
        var entries = node.entries.filter { !["settings", "options"].contains($0.key) }
        entries += [declared("settings", settings), declared("options", names("option", in: text))]
        for name in settings.sorted() {
            let value = name == "site" || name == "endpoint" || name == "instance" ? "\(name).example" : "value"
            entries.append(Node.Entry(key: name, position: at, value: scalar(value)))
        }
        return Node(.mapping(entries), at: at)
    }

    @Test func everyExampleLoads() throws {
        guard Fixtures.sharedFolder != nil else { return }
        var names: [String] = []
        for example in Self.examples {
            // Byte sizes carry a unit in every file of ours.
            let text = example.replacing("bytes: 1000000\n", with: "bytes: 1000000B\n")
            let (read, found) = YAMLReader.read(Array(text.utf8), file: "design.yaml")
            #expect(found.isEmpty)
            let root = try #require(read)
            var catalogue = Catalogue.standard
            var diagnostics: [Diagnostic] = []
            if let adapters = root["adapters"] { catalogue.add(adapters: adapters, diagnostics: &diagnostics) }
            let services = (root["services"]?.entries ?? []).map { ($0.key, Self.completed($0.value, text)) }
            for (name, node) in services { catalogue.add(name, node) }
            let compiler = ServiceCompiler(catalogue: catalogue, environment: { _ in nil }, readFile: { _ in nil })
            for (name, node) in services {
                let service = compiler.compile(name: name, node: node, diagnostics: &diagnostics)
                #expect(service != nil, "\(name): \(diagnostics.map(\.description))")
                names.append(name)
            }
            #expect(diagnostics.isEmpty, "\(diagnostics.map(\.description))")
        }
        #expect(names.count >= 21, "\(names)")
    }
}
