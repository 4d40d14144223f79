// SPDX-License-Identifier: Apache-2.0

public import FanlightConfiguration

/// Adapters by name: the embedded ones, and those that an operator adds or overrides.
public struct Catalogue: Sendable {
    private var entries: [String: Node] = [:]
    /// Texts of embedded entries, which are read only when somebody asks for one.
    private var texts: [String: StaticString] = [:]

    /// An empty catalogue.
    public init() {}

    /// The adapters that ship with the program, with the findings about them; there are none.
    public static func embedded() -> (catalogue: Catalogue, diagnostics: [Diagnostic]) {
        (standard, EmbeddedCatalogue.files.flatMap { parsed($0.name, $0.text).diagnostics })
    }

    /// The adapters that ship with the program.
    public static let standard: Catalogue = {
        var catalogue = Catalogue()
        for (name, text) in EmbeddedCatalogue.files { catalogue.texts[name] = text }
        return catalogue
    }()

    private static func parsed(_ name: String, _ text: StaticString) -> (root: Node?, diagnostics: [Diagnostic]) {
        YAMLReader.read(Array(text.description.utf8), file: name + ".yaml")
    }

    /// Names in order of the alphabet.
    public var names: [String] { Set(entries.keys).union(texts.keys).sorted() }

    /// The entry of that name.
    public subscript(name: String) -> Node? {
        entries[name] ?? texts[name].flatMap { Self.parsed(name, $0).root }
    }

    /// Adds an entry, or replaces the one of that name.
    public mutating func add(_ name: String, _ node: Node) { entries[name] = node }

    /// Adds the entries of `adapters:` of a configuration; what is no mapping is reported.
    public mutating func add(adapters node: Node, diagnostics: inout [Diagnostic]) {
        guard !node.isNull else { return }
        guard case .mapping(let list) = node.content else {
            diagnostics.append(Diagnostic(at: node.position, "adapters is a mapping of names to descriptions"))
            return
        }
        for entry in list {
            if case .mapping = entry.value.content {
                add(entry.key, entry.value)
            } else {
                diagnostics.append(
                    Diagnostic(at: entry.value.position, "the adapter '\(entry.key)' is a mapping of keys")
                )
            }
        }
    }
}
