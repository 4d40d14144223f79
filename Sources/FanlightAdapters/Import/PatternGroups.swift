// SPDX-License-Identifier: Apache-2.0

/// Rewrites a .NET pattern so that what is wanted from it is its first group, or the whole match without groups.
enum PatternGroups {
    /// The pattern for one group.
    ///
    /// - Parameter group: A number or a name; `nil` and 0 = the whole match.
    /// - Returns: `nil` when there is no such group, when groups refer to each other, or when it is no pattern here.
    static func selecting(_ group: String?, of source: String) -> String? {
        let wanted = group.flatMap { $0.isEmpty || $0 == "0" ? nil : $0 }
        let (groups, hasReferences) = scan(source)
        var index: Int?
        if let wanted {
            index =
                Int(wanted).map { number in place(ofNumber: number, among: groups) } ?? groups.firstIndex(of: wanted)
            guard let index, groups.indices.contains(index) else { return nil }
        }
        if hasReferences {
            // References count groups, so that nothing may be renumbered.
            return index == 0 || wanted == nil && groups.isEmpty ? checked(source) : nil
        }
        return checked(rewritten(source, keeping: index))
    }

    /// Where a numbered group stands: .NET counts those without a name first.
    private static func place(ofNumber number: Int, among groups: [String]) -> Int {
        let order = groups.indices.filter { groups[$0].isEmpty } + groups.indices.filter { !groups[$0].isEmpty }
        return order.indices.contains(number - 1) ? order[number - 1] : -1
    }

    /// Blanks at the ends would be lost beside the word `regex`.
    private static func checked(_ pattern: String) -> String? {
        var text = pattern
        if text.hasPrefix(" ") { text = "[ ]" + text.dropFirst() }
        if text.hasSuffix(" "), !text.hasSuffix("\\ ") { text = text.dropLast() + "[ ]" }
        return Pattern(text) == nil ? nil : text
    }

    /// Names of the capturing groups in order (numbers have an empty name), and whether something refers to one.
    private static func scan(_ source: String) -> (groups: [String], hasReferences: Bool) {
        var groups: [String] = []
        var hasReferences = false
        walk(source) { place in
            switch place {
            case .group(let name, _): groups.append(name)
            case .escape(let character):
                if ("1"..."9").contains(character) || character == "k" { hasReferences = true }
            case .other: break
            }
        }
        return (groups, hasReferences)
    }

    /// The pattern with every capturing group but one made a plain one.
    private static func rewritten(_ source: String, keeping index: Int?) -> String {
        var out = ""
        var count = 0
        walk(source) { place in
            switch place {
            case .group(_, let text):
                out += count == index ? text : "(?:"
                count += 1
            case .escape(let character): out += "\\" + String(character)
            case .other(let character): out.append(character)
            }
        }
        return out
    }

    private enum Place {
        /// The opening of a capturing group: its name and its characters.
        case group(name: String, text: String)
        case escape(Character)
        case other(Character)
    }

    private static func walk(_ source: String, _ visit: (Place) -> Void) {
        var rest = Substring(source)
        var isInClass = false
        while let character = rest.first {
            rest = rest.dropFirst()
            if character == "\\", let next = rest.first {
                rest = rest.dropFirst()
                visit(.escape(next))
            } else if isInClass || character != "(" {
                if character == "[" { isInClass = true }
                if character == "]" { isInClass = false }
                visit(.other(character))
            } else if rest.first != "?" {
                visit(.group(name: "", text: "("))
            } else if let (name, length) = name(rest) {
                rest = rest.dropFirst(length)
                visit(.group(name: name, text: "("))
            } else {
                visit(.other("("))
            }
        }
    }

    /// The name in `?<name>` or `?'name'`, and how many characters that takes; `nil` for other kinds of groups.
    private static func name(_ text: Substring) -> (name: String, length: Int)? {
        guard text.hasPrefix("?<") || text.hasPrefix("?'") else { return nil }
        let name = text.dropFirst(2).prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        let end = text.dropFirst(2 + name.count).first
        guard !name.isEmpty, end == ">" || end == "'" else { return nil }
        return (String(name), name.count + 3)
    }
}
