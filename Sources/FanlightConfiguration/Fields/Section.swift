// SPDX-License-Identifier: Apache-2.0

/// A mapping of the configuration with known keys.
public struct Section: Sendable {
    /// Key of the section; empty for the file itself.
    public var name: String
    /// The keys, in the order of the reference.
    public var fields: [FieldSpec]
    /// What stands above its table in the reference; Markdown.
    public var description: String

    /// Creates a section.
    public init(_ name: String, _ fields: [FieldSpec], _ description: String = "") {
        self.name = name
        self.fields = fields
        self.description = description
    }

    /// True where required keys may come from what the mapping is laid over, so that a file alone cannot miss them.
    public var mayInherit = false

    /// The same section where required keys may come from what the mapping is laid over.
    public var inheriting: Section {
        var section = self
        section.mayInherit = true
        return section
    }

    /// The names of all keys.
    public var names: [String] { fields.map(\.name) }

    /// Where the reference has the table of a section or the text of a definition.
    static func anchor(_ name: String) -> String {
        String(
            name.lowercased().compactMap {
                $0 == " " ? "-" : ($0.isLetter || $0.isNumber || "-_".contains($0) ? $0 : nil)
            }
        )
    }

    /// Reads a mapping; every unknown key and every value that does not fit becomes a finding.
    ///
    /// - Parameters:
    ///   - node: The mapping; `nil` and null give the defaults.
    ///   - references: Resolves `${env:…}` and `${file:…}` in every field but those that stay nodes.
    ///   - elsewhere: Where else a key is known, for the hint at an unknown one.
    public func decode(
        _ node: Node?,
        references: References = .none,
        diagnostics: inout [Diagnostic],
        elsewhere: (String) -> String? = { _ in nil }
    ) -> FieldValues {
        var values: [String: FieldValue] = [:]
        for field in fields {
            if let text = field.defaultText { values[field.name] = try? field.read(text) }
        }
        guard let node, !node.isNull else { return FieldValues(values: values, given: [:]) }
        guard case .mapping(let entries) = node.content else {
            diagnostics.append(
                Diagnostic(at: node.position, "\(path("")) expected a mapping of keys, such as '\(example)'")
            )
            return FieldValues(values: values, given: [:])
        }
        var given: [String: Node] = [:]
        for entry in entries {
            guard let field = fields.first(where: { $0.name == entry.key }) else {
                diagnostics.append(Diagnostic(at: entry.position, unknown(entry.key, elsewhere: elsewhere)))
                continue
            }
            guard !entry.value.isNull else { continue }
            var missing: [References.Finding] = []
            let value = field.isLeftAlone ? entry.value : references.resolve(entry.value, findings: &missing)
            guard missing.isEmpty else {
                diagnostics += missing.map {
                    Diagnostic(at: $0.position, "\(path(field.name)): expected \($0.problem.expectation.description)")
                }
                continue
            }
            do throws(Expectation) {
                values[field.name] = try field.read(value)
                given[field.name] = value
            } catch {
                diagnostics.append(
                    Diagnostic(at: entry.value.position, "\(path(field.name)): expected \(error.description)")
                )
            }
        }
        return FieldValues(values: values, given: given)
    }

    private var example: String { (fields.first?.name ?? "key") + ": …" }

    private func path(_ key: String) -> String {
        let parts = [name, key].filter { !$0.isEmpty }
        return parts.isEmpty ? "the file" : parts.joined(separator: ".")
    }

    private func unknown(_ key: String, elsewhere: (String) -> String?) -> String {
        let names = fields.map(\.name)
        let place = name.isEmpty ? "" : " in \(name)"
        let start = "unknown key '\(key.count > 60 ? String(key.prefix(60)) + "…" : key)'\(place)"
        if let section = elsewhere(key) { return "\(start); it belongs under '\(section)'" }
        if let nearest = NearestName.of(key, among: names) { return "\(start); did you mean '\(nearest)'?" }
        return "\(start); known are: " + names.joined(separator: ", ")
    }
}

/// The values of a section: what the file gives, else the defaults.
public struct FieldValues: Sendable {
    /// Values by field name.
    public var values: [String: FieldValue]
    /// Nodes of the fields that the file gives.
    public var given: [String: Node]

    /// A text; `nil` when absent.
    public func text(_ name: String) -> String? {
        if case .text(let text) = values[name] { return text }
        return nil
    }

    /// A number; 0 when absent.
    public func integer(_ name: String) -> Int {
        if case .integer(let value) = values[name] { return value }
        return 0
    }

    /// A truth value; false when absent.
    public func boolean(_ name: String) -> Bool {
        if case .boolean(let value) = values[name] { return value }
        return false
    }

    /// A duration; zero when absent.
    public func duration(_ name: String) -> Duration {
        if case .duration(let value) = values[name] { return value }
        return .zero
    }

    /// A rate; `nil` when absent.
    public func rate(_ name: String) -> Rate? {
        if case .rate(let rate) = values[name] { return rate }
        return nil
    }

    /// A list; `nil` when absent.
    public func texts(_ name: String) -> [String]? {
        if case .texts(let texts) = values[name] { return texts }
        return nil
    }

    /// A node; `nil` when absent.
    public func node(_ name: String) -> Node? {
        if case .node(let node) = values[name] { return node }
        return nil
    }

    /// An address; `nil` when absent.
    public func address(_ name: String) -> ListenAddress? {
        if case .address(let address) = values[name] { return address }
        return nil
    }
}
