// SPDX-License-Identifier: Apache-2.0

public import FanlightConfiguration

/// Adapters by name: the embedded ones, and those that an operator adds or overrides.
public struct Catalogue: Sendable {
    private var entries: [String: Node] = [:]

    /// An empty catalogue.
    public init() {}

    /// The adapters that ship with the program, with the findings about them; there are none.
    public static func embedded() -> (catalogue: Catalogue, diagnostics: [Diagnostic]) {
        let files: [(String, [UInt8])] = [
            ("generic", PackageResources.generic_yaml), ("imgur", PackageResources.imgur_yaml),
            ("local", PackageResources.local_yaml), ("tweetphoto", PackageResources.tweetphoto_yaml),
        ]
        var catalogue = Catalogue()
        var diagnostics: [Diagnostic] = []
        for (name, bytes) in files {
            let (root, found) = YAMLReader.read(bytes, file: name + ".yaml")
            diagnostics += found
            if let root { catalogue.add(name, root) }
        }
        return (catalogue, diagnostics)
    }

    /// The adapters that ship with the program.
    public static let standard = embedded().catalogue

    /// Names in order of the alphabet.
    public var names: [String] { entries.keys.sorted() }

    /// The entry of that name.
    public subscript(name: String) -> Node? { entries[name] }

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
