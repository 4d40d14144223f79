// SPDX-License-Identifier: Apache-2.0

/// A place in a file; line and column count from 1.
public struct SourcePosition: Sendable, Hashable {
    /// File name as given.
    public var file: String
    /// Line, from 1.
    public var line: Int
    /// Column in characters, from 1.
    public var column: Int

    /// Creates a position.
    public init(file: String, line: Int, column: Int) {
        self.file = file
        self.line = line
        self.column = column
    }
}

/// One node of a YAML document.
///
/// Every scalar is text until a field's declared type reads it.
public struct Node: Sendable {
    /// Kind of node.
    public indirect enum Content: Sendable {
        /// `isPlain` is true for an unquoted scalar: only a plain empty or `~` scalar is null.
        case scalar(String, isPlain: Bool)
        case sequence([Node])
        case mapping([Entry])
    }
    /// One key and its value.
    public struct Entry: Sendable {
        /// The key's text.
        public var key: String
        /// Where the key stands.
        public var position: SourcePosition
        /// The value.
        public var value: Node

        /// Creates an entry.
        public init(key: String, position: SourcePosition, value: Node) {
            self.key = key
            self.position = position
            self.value = value
        }
    }
    /// The node's content.
    public var content: Content
    /// Where it starts.
    public var position: SourcePosition

    /// Creates a node.
    public init(_ content: Content, at position: SourcePosition) {
        self.content = content
        self.position = position
    }

    /// The text of a scalar that is not null.
    public var text: String? {
        guard case .scalar(let text, let isPlain) = content, !(isPlain && (text.isEmpty || text == "~")) else {
            return nil
        }
        return text
    }

    /// True for `~` and for an absent value.
    public var isNull: Bool {
        guard case .scalar(let text, let isPlain) = content else { return false }
        return isPlain && (text.isEmpty || text == "~")
    }

    /// The entries of a mapping; empty for other kinds.
    public var entries: [Entry] {
        if case .mapping(let entries) = content { return entries }
        return []
    }

    /// The items of a sequence; empty for other kinds.
    public var items: [Node] {
        if case .sequence(let items) = content { return items }
        return []
    }

    /// The value of that key in a mapping.
    public subscript(key: String) -> Node? { entries.first { $0.key == key }?.value }
}

/// One finding about a configuration, without any secret.
public struct Diagnostic: Sendable, Hashable, CustomStringConvertible {
    /// How bad it is.
    public enum Severity: String, Sendable { case error, warning }
    /// How bad it is.
    public var severity: Severity
    /// Where.
    public var position: SourcePosition
    /// What, and what would be right; one line.
    public let message: String

    /// Creates a finding.
    public init(_ severity: Severity = .error, at position: SourcePosition, _ message: String) {
        self.severity = severity
        self.position = position
        self.message = Self.visible(message)
    }

    /// Text in which no sign moves the cursor, ends the line or turns the direction: these are written as escapes.
    public static func visible(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
        return text.unicodeScalars.reduce(into: "") { shown, scalar in
            switch scalar.value {
            case 0x0A: shown += "\\n"
            case 0x0D: shown += "\\r"
            case 0x09: shown += "\\t"
            case 0x00...0x1F, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                shown += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: shown.unicodeScalars.append(scalar)
            }
        }
    }

    /// `file:line:column: error: message`, as compilers print it.
    public var description: String {
        "\(Self.visible(position.file)):\(position.line):\(position.column): \(severity.rawValue): \(message)"
    }
}
