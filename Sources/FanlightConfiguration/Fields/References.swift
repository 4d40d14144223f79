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

    /// Why a reference has no value.
    public enum Problem: Error, Sendable, Equatable {
        /// The variable is not set, or empty, and no default stands there.
        case unset(String)
        /// The file is not there, is no regular file, or may not be read.
        case unreadable(path: String)
        /// Nothing but line breaks is in the file, as while somebody writes it.
        case empty(path: String)
        /// The file holds NUL, which no credential does.
        case binary(path: String)
        /// No variable can have that name.
        case badName
        /// A default holds a reference of its own.
        case nested
    }

    /// The value of what stands between `${` and `}`; `nil` when it is no reference.
    ///
    /// An empty variable counts as unset: it is what a container gets for a secret that nobody filled in.
    ///
    /// - Throws: What is missing, by name; never a value.
    public func value(of inner: some StringProtocol) throws(Problem) -> String? {
        if inner.hasPrefix("env:") { return try environment(Substring(inner).dropFirst(4)) }
        if inner.hasPrefix("file:") { return try contents(Substring(inner).dropFirst(5)) }
        return nil
    }

    /// Resolves the references in a text.
    ///
    /// - Parameter problems: What is missing is added, each thing once; the text has nothing in its place.
    public func resolve(_ text: String, problems: inout [Problem]) -> String {
        guard isActive else { return text }
        var found: [Problem] = []
        defer { problems += found }
        var result = ""
        var rest = text[...]
        while let dollar = rest.firstIndex(of: "$") {
            result += rest[..<dollar]
            rest = rest[dollar...]
            guard rest.hasPrefix("${env:") || rest.hasPrefix("${file:"), let end = rest.firstIndex(of: "}") else {
                result.append(rest.removeFirst())
                continue
            }
            do {
                result += try value(of: rest[..<end].dropFirst(2)) ?? ""
            } catch {
                if !found.contains(error) { found.append(error) }
            }
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    /// A problem and the scalar that has it.
    public struct Finding: Sendable, Equatable {
        /// Where the scalar stands.
        public var position: SourcePosition
        /// What is missing.
        public var problem: Problem
    }

    /// Resolves the references in every scalar of a node.
    ///
    /// - Parameter findings: What is missing is added; the text has nothing in its place.
    public func resolve(_ node: Node, findings: inout [Finding]) -> Node {
        guard isActive else { return node }
        var resolved = node
        switch node.content {
        case .scalar(let text, let isPlain):
            var problems: [Problem] = []
            let value = resolve(text, problems: &problems)
            findings += problems.map { Finding(position: node.position, problem: $0) }
            resolved.content = .scalar(value, isPlain: isPlain && value == text)
        case .sequence(let items):
            var values: [Node] = []
            for item in items { values.append(resolve(item, findings: &findings)) }
            resolved.content = .sequence(values)
        case .mapping(let entries):
            var values = entries
            for index in values.indices { values[index].value = resolve(entries[index].value, findings: &findings) }
            resolved.content = .mapping(values)
        }
        return resolved
    }

    private func environment(_ text: Substring) throws(Problem) -> String {
        let mark = text.firstRange(of: ":-")
        let name = String(mark.map { text[..<$0.lowerBound] } ?? text)
        guard !name.isEmpty, name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }) else {
            throw .badName
        }
        let standIn = mark.map { text[$0.upperBound...] }
        if let standIn, standIn.contains("${") { throw .nested }
        if let value = variable(name), !value.isEmpty { return value }
        guard let standIn else { throw .unset(name) }
        return String(standIn)
    }

    /// The file's text without the line breaks at its end; never empty.
    private func contents(_ path: Substring) throws(Problem) -> String {
        guard var text = file(String(path)) else { throw .unreadable(path: String(path)) }
        while text.last?.isNewline == true { text.removeLast() }
        if text.isEmpty { throw .empty(path: String(path)) }
        if text.utf8.contains(0) { throw .binary(path: String(path)) }
        return text
    }
}

extension References.Problem {
    /// The same as a phrase after "expected".
    var expectation: Expectation {
        switch self {
        case .unset(let name): Expectation("the environment variable \(name) to be set")
        case .unreadable(let path): Expectation("the file \(path) to be a regular file that can be read")
        case .empty(let path): Expectation("the file \(path) not to be empty")
        case .binary(let path): Expectation("the file \(path) to hold text without NUL")
        case .badName: Expectation("the name of an environment variable after ${env:")
        case .nested: Expectation("plain text after :-, for references cannot stand inside each other")
        }
    }
}
