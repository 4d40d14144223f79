// SPDX-License-Identifier: Apache-2.0

/// Resolves `${env:NAME}`, `${env:NAME:-default}` and `${file:PATH}`; every other `${…}` stays as written.
public struct References: Sendable {
    /// Returns the value of an environment variable; `nil` when unset.
    public var variable: @Sendable (String) -> String?
    /// Returns the text of a file; `nil` when it cannot be read.
    public var file: @Sendable (String) -> String?
    /// False leaves all text alone.
    private var isActive = true

    /// Creates a resolver.
    public init(variable: @escaping @Sendable (String) -> String?, file: @escaping @Sendable (String) -> String?) {
        self.variable = variable
        self.file = file
    }

    /// Leaves all text as written.
    public static var none: References {
        var references = References(variable: { _ in nil }, file: { _ in nil })
        references.isActive = false
        return references
    }

    /// Resolves the references in a text.
    ///
    /// - Throws: What is missing, by name; never a value. A set but empty variable counts as unset where a default stands.
    public func resolve(_ text: String) throws(Expectation) -> String {
        guard isActive else { return text }
        var result = ""
        var rest = text[...]
        while let dollar = rest.firstIndex(of: "$") {
            result += rest[..<dollar]
            rest = rest[dollar...]
            guard rest.hasPrefix("${env:") || rest.hasPrefix("${file:"), let end = rest.firstIndex(of: "}") else {
                result.append(rest.removeFirst())
                continue
            }
            let inner = rest[..<end].dropFirst(2)
            result += inner.hasPrefix("env:") ? try environment(inner.dropFirst(4)) : try contents(inner.dropFirst(5))
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    /// Resolves the references in every scalar of a node.
    public func resolve(_ node: Node) throws(Expectation) -> Node {
        guard isActive else { return node }
        var resolved = node
        switch node.content {
        case .scalar(let text, let isPlain):
            let value = try resolve(text)
            resolved.content = .scalar(value, isPlain: isPlain && value == text)
        case .sequence(let items):
            var values: [Node] = []
            for item in items { values.append(try resolve(item)) }
            resolved.content = .sequence(values)
        case .mapping(let entries):
            var values = entries
            for index in values.indices { values[index].value = try resolve(entries[index].value) }
            resolved.content = .mapping(values)
        }
        return resolved
    }

    private func environment(_ text: Substring) throws(Expectation) -> String {
        guard let mark = text.firstRange(of: ":-") else {
            if let value = variable(String(text)) { return value }
            throw Expectation("the environment variable \(text) to be set")
        }
        let name = String(text[..<mark.lowerBound])
        if let value = variable(name), !value.isEmpty { return value }
        return String(text[mark.upperBound...])
    }

    /// The file's text without the line breaks at its end.
    private func contents(_ path: Substring) throws(Expectation) -> String {
        guard var text = file(String(path)) else { throw Expectation("the file \(path) to be readable") }
        while text.last?.isNewline == true { text.removeLast() }
        return text
    }
}
