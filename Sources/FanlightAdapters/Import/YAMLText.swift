// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Writes values as block YAML.
enum YAMLText {
    /// Lines of a mapping's members, indented by so many blanks.
    static func lines(_ members: [JSONValue.Member], indent: Int = 0) -> [String] {
        members.flatMap { member in lines(key(member.name) + ":", member.value, indent: indent) }
    }

    /// A head such as `key:` or `-` with its value behind or below it.
    private static func lines(_ head: String, _ value: JSONValue, indent: Int) -> [String] {
        let blanks = String(repeating: " ", count: indent)
        switch value {
        case .object(let members) where members.isEmpty: return [blanks + head + " {}"]
        case .array(let items) where items.isEmpty: return [blanks + head + " []"]
        case .object(let members):
            let inner = lines(members, indent: indent + 2)
            guard head == "-", let first = inner.first else { return [blanks + head] + inner }
            return [blanks + "- " + first.dropFirst(indent + 2)] + inner.dropFirst()
        case .array(let items):
            return [blanks + head] + items.flatMap { lines("-", $0, indent: indent + 2) }
        default: return [blanks + head + " " + scalar(value)]
        }
    }

    private static func scalar(_ value: JSONValue) -> String {
        switch value {
        case .string(let text): quotedWhereNeeded(text)
        default: value.serialized()
        }
    }

    private static func key(_ text: String) -> String { quotedWhereNeeded(text) }

    /// Plain text where every reader of YAML sees the same characters in it, else in double quotes.
    private static func quotedWhereNeeded(_ text: String) -> String {
        let isPlain =
            text.first.map { $0.isASCII && ($0.isLetter || $0 == "$" || $0 == "/") } ?? false
            && text.utf8.last != 0x20 && text.utf8.last != UInt8(ascii: ":")
            && Words.count(of: ": ", in: text) + Words.count(of: " #", in: text) == 0
            && text.unicodeScalars.allSatisfy { scalar in
                scalar.value >= 0x20 && scalar.value < 0xD800 && ![0x7F, 0x85, 0x2028, 0x2029].contains(scalar.value)
            }
            && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(text.lowercased())
        if isPlain { return text }
        // Every escape of JSON is one of YAML in double quotes.
        return JSONValue.string(text).serialized().replacing("\\u003c", with: "<").replacing("\\u003C", with: "<")
    }
}
