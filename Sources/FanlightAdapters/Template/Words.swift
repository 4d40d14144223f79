// SPDX-License-Identifier: Apache-2.0

/// Small operations on text that the standard library lacks.
enum Words {
    /// Text without white space at both ends.
    static func trimmed(_ text: some StringProtocol) -> String {
        let head = text.drop { $0.isWhitespace }
        guard let end = head.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(head[...end])
    }

    /// Text with every occurrence replaced.
    static func replacing(_ needle: String, with other: String, in text: String) -> String {
        guard !needle.isEmpty else { return text }
        return text.replacing(needle, with: other)
    }

    /// The pieces between occurrences of a text; an empty one splits nothing.
    static func split(_ text: String, at mark: String) -> [String] {
        guard !mark.isEmpty else { return [text] }
        var pieces: [String] = []
        var rest = Substring(text)
        while let found = rest.firstRange(of: mark) {
            pieces.append(String(rest[..<found.lowerBound]))
            rest = rest[found.upperBound...]
        }
        return pieces + [String(rest)]
    }

    /// What follows the last slash of a path or URL, without query and fragment.
    static func basename(_ text: String) -> String {
        let path = text.prefix { $0 != "?" && $0 != "#" }
        return path.split(separator: "/").last.map(String.init) ?? ""
    }
}
