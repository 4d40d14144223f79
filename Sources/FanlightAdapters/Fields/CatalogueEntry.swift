// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore

/// What an adapter declares about itself, its base laid under it; for lists, reference and schema.
public struct CatalogueEntry: Sendable {
    /// A setting or an option.
    public struct Value: Sendable {
        /// Its name.
        public var name: String
        /// What it takes, as written.
        public var type: String
        /// The only values, where it has some.
        public var words: [String]
        /// True where nobody may see it.
        public var isSecret: Bool
        /// True where the adapter cannot work without it.
        public var isRequired: Bool
        /// Used where none is given.
        public var defaultText: String?
        /// One sentence.
        public var description: String?
    }

    /// Name in the catalogue.
    public var name: String
    /// One sentence.
    public var description: String
    /// What operators give.
    public var settings: [Value]
    /// What one upload may override.
    public var options: [Value]
    /// How the service is convinced, one word a kind; `none` without.
    public var auth: String
    /// Formats that it takes, as written; empty = the usual ones.
    public var formats: [String]
    /// Bytes that it takes, as written; `nil` = no bound known.
    public var bytes: String?
    /// True where a delivered picture can be deleted.
    public var canDelete: Bool
    /// HTTP requests of one upload, at most; 0 = none.
    public var requests: Int
    /// The latest date of its sources.
    public var date: String?
    /// How many tests it has.
    public var tests: Int

    init(_ name: String, _ node: Node, own: Node) {
        self.name = name
        description = own["description"]?.text ?? node["description"]?.text ?? ""
        settings = Self.values(node["settings"])
        options = Self.values(node["options"])
        let kinds = ([node] + (node["steps"]?.items ?? [])).compactMap { Self.kind($0["auth"]) }
        auth = kinds.first { $0 != "none" } ?? "none"
        let formats = node["limits"]?["formats"]
        self.formats = formats.map { $0.items.isEmpty ? [$0.text ?? ""] : $0.items.compactMap(\.text) } ?? []
        bytes = node["limits"]?["bytes"]?.text
        canDelete = node["delete"].map { !$0.isNull } ?? false
        requests = max(node["steps"]?.items.count ?? 0, node["url"] == nil ? 0 : 1)
        date = (own["sources"]?.items ?? []).compactMap { $0["date"]?.text }.max()
        tests = own["tests"]?.items.count ?? 0
    }

    private static func kind(_ node: Node?) -> String? { node?["type"]?.text ?? node?.text }

    private static func values(_ node: Node?) -> [Value] {
        (node?.entries ?? []).map { entry in
            let words = entry.value["values"]?.items.compactMap(\.text) ?? []
            return Value(
                name: entry.key,
                type: words.isEmpty ? entry.value["type"]?.text ?? "text" : "one of " + words.joined(separator: ", "),
                words: words,
                isSecret: entry.value["secret"]?.text == "true",
                isRequired: entry.value["required"]?.text == "true",
                defaultText: entry.value["default"]?.text,
                description: entry.value["description"]?.text
            )
        }
    }
}

extension Catalogue {
    /// What an adapter declares; `nil` when there is none of that name.
    public func entry(_ name: String) -> CatalogueEntry? {
        guard let own = self[name], let merged = merged(name, seen: []) else { return nil }
        return CatalogueEntry(name, merged, own: own)
    }

    /// An entry over the one that it is based on, and so on.
    private func merged(_ name: String, seen: [String]) -> Node? {
        guard let node = self[name], !seen.contains(name) else { return nil }
        guard let base = node["adapter"]?.text else { return node }
        return merged(base, seen: seen + [name]).map { Merge.over($0, node) } ?? node
    }
}
