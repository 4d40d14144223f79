// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

/// One entry of `server.client_keys`: a key, or its hash, and what its owner may do.
public struct ClientKeyConfiguration: Sendable, Equatable {
    /// Name of the owner; `nil` = the key has none.
    public var name: String?
    /// The key itself; `nil` where only its hash is known.
    public var key: Secret?
    /// SHA-256 of the key's bytes, 64 lower-case hexadecimal digits.
    public var sha256: String?
    /// Services and routes that the owner may use; `nil` = all.
    public var services: [String]?
    /// Requests that upload, retry or delete; `nil` = no bound.
    public var rate: Rate?
    /// Pictures that are taken; `nil` = no bound.
    public var quota: Rate?

    /// A key without bounds.
    public init(key: Secret? = nil) { self.key = key }

    static let section = Section(
        "client_keys",
        [
            FieldSpec(
                "name",
                .text,
                "Owner of the key: uploads and usage belong to the name, so that a new key sees the old uploads"
            ),
            FieldSpec("key", .text, "The key, best as ${file:…} or ${env:…}; or its hash:"),
            FieldSpec(
                "sha256",
                .text,
                "SHA-256 of the key in hexadecimal; `fanlight key` makes a key and prints this line"
            ),
            FieldSpec("services", .texts, "Services and routes that the owner may use; absent = all"),
            FieldSpec(
                "rate",
                .rate,
                "Requests to upload, retry or delete, such as 60/min; more are answered 429; absent = no bound"
            ),
            FieldSpec(
                "quota",
                .rate,
                "Pictures taken, such as 1000/day, counted over restarts and reloads; more are answered 429; absent = no bound"
            ),
        ],
        "Entries of `server.client_keys` that are mappings; a plain text is a key without bounds."
    )

    static let shape = Shape.either([.list(.either([.one(.text), .keys(section)])), .one(.text)])

    /// Reads the list.
    ///
    /// - Parameter names: Services and routes that there are.
    static func read(
        _ node: Node?,
        names: [String],
        references: References,
        diagnostics: inout [Diagnostic]
    ) -> [ClientKeyConfiguration] {
        guard let node, !node.isNull else { return [] }
        var nodes = node.items
        if case .scalar = node.content { nodes = [node] }
        if case .mapping = node.content {
            diagnostics.append(Diagnostic(at: node.position, "server.client_keys: expected a list of keys"))
        }
        var keys: [ClientKeyConfiguration] = []
        for item in nodes {
            switch item.content {
            case .scalar: keys += plain(item, references, &diagnostics)
            case .mapping: keys += entry(item, names, references, &diagnostics).map { [$0] } ?? []
            case .sequence:
                diagnostics.append(Diagnostic(at: item.position, "server.client_keys: expected a key or a mapping"))
            }
        }
        var owners: Set<String> = []
        for (key, item) in zip(keys, nodes) where key.name.map({ !owners.insert($0).inserted }) ?? false {
            diagnostics.append(Diagnostic(at: item.position, "client_keys.name: another key has this name"))
        }
        return keys
    }

    /// A text is a key, or several with commas.
    private static func plain(
        _ node: Node,
        _ references: References,
        _ diagnostics: inout [Diagnostic]
    ) -> [ClientKeyConfiguration] {
        var missing: [References.Problem] = []
        let text = node.text.map { references.resolve($0, problems: &missing) }
        if let text, missing.isEmpty, case .texts(let keys)? = try? FieldSpec("client_keys", .texts, "").read(text),
            !keys.isEmpty
        {
            warn(of: keys, at: node.position, &diagnostics)
            return keys.map { ClientKeyConfiguration(key: Secret($0)) }
        }
        let none = Expectation(text == nil ? "a key" : "a key that is not empty")
        for expectation in missing.isEmpty ? [none] : missing.map(\.expectation) {
            diagnostics.append(Diagnostic(at: node.position, "server.client_keys: expected \(expectation.description)"))
        }
        return []
    }

    /// Characters of the shortest key that nobody guesses.
    private static let shortest = 16

    private static func warn(of keys: [String], at position: SourcePosition, _ diagnostics: inout [Diagnostic]) {
        guard keys.contains(where: { $0.utf8.count < shortest }) else { return }
        let text =
            "client_keys: a key of fewer than \(shortest) characters can be guessed; fanlight key makes a long one"
        diagnostics.append(Diagnostic(.warning, at: position, text))
    }

    private static func entry(
        _ node: Node,
        _ names: [String],
        _ references: References,
        _ diagnostics: inout [Diagnostic]
    ) -> ClientKeyConfiguration? {
        let count = diagnostics.count
        let values = section.decode(node, references: references, diagnostics: &diagnostics)
        var entry = ClientKeyConfiguration(key: values.text("key").map { Secret($0) })
        entry.name = values.text("name")
        entry.sha256 = values.text("sha256")?.lowercased()
        entry.services = values.texts("services")
        entry.rate = values.rate("rate")
        entry.quota = values.rate("quota")
        func refuse(_ key: String, _ message: String) {
            diagnostics.append(Diagnostic(at: values.given[key]?.position ?? node.position, "client_keys\(message)"))
        }
        if let name = entry.name, !GatewayConfiguration.isName(name) {
            refuse("name", ".name: expected letters, digits, '-' and '_', at most 64")
        }
        if (entry.key == nil) == (entry.sha256 == nil), diagnostics.count == count {
            refuse("key", ": expected either 'key' or 'sha256'; fanlight key makes both")
        }
        if let key = entry.key, key.value.isEmpty { refuse("key", ".key: expected a key that is not empty") }
        defer {
            let position = values.given["key"]?.position ?? node.position
            if let key = entry.key?.value, !key.isEmpty { warn(of: [key], at: position, &diagnostics) }
        }
        if let hash = entry.sha256,
            hash.utf8.count != 64 || !hash.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) })
        {
            refuse("sha256", ".sha256: expected 64 hexadecimal digits, as fanlight key prints them")
        }
        for name in entry.services ?? [] where !names.contains(name) {
            let nearest = NearestName.of(name, among: names).map { "; did you mean '\($0)'?" } ?? ""
            refuse("services", ".services: no service or route has the name '\(name.prefix(64))'\(nearest)")
        }
        return diagnostics.count == count ? entry : nil
    }
}

/// Where the address of a client stands in requests that a trusted proxy passes on.
public enum ForwardedField: String, Sendable, CaseIterable {
    case xForwardedFor = "x-forwarded-for"
    case forwarded
}
