// SPDX-License-Identifier: Apache-2.0

/// A piece of ShareX text: characters as they are, or a function that is called.
indirect enum ShareXPiece: Equatable {
    case literal(String)
    case call(name: String, arguments: [[ShareXPiece]])
}

/// The ways in which versions of ShareX have written functions in text.
enum ShareXDialect: String {
    /// Up to 12.3: `$json:a$`, `$regex:1,1$`, and `$1,1$` for an item of RegexList; no body kinds.
    case legacy = "the format of ShareX up to 12.3"
    /// 12.4 to 13.7: `$json:a$`, `$regex:1|1$`.
    case dollars = "the $...$ syntax of ShareX 12.4 to 13.7"
    /// 14 and later: `{json:a}`, functions may stand inside functions.
    case braces = "the {...} syntax of ShareX 14 and later"

    /// Splits a text at its functions.
    ///
    /// - Returns: The pieces, and what ShareX itself would not have read (text behind a stray `}` or `|`).
    func pieces(_ text: String) -> (pieces: [ShareXPiece], ignored: String) {
        guard self == .braces else { return (DollarSyntax.pieces(text), "") }
        var syntax = BraceSyntax(text: Array(text))
        return syntax.pieces()
    }

    /// Functions that exist, in lower case.
    static let functions = [
        "response", "responseurl", "header", "json", "xml", "regex", "filename", "input", "random", "select",
        "prompt", "inputbox", "outputbox", "base64",
    ]

    /// True where the text calls a function in this dialect.
    func calls(_ text: String) -> Bool { pieces(text).pieces.contains { Self.isKnown($0) } }

    private static func isKnown(_ piece: ShareXPiece) -> Bool {
        guard case .call(let name, _) = piece else { return false }
        return functions.contains(name) || (!name.isEmpty && name.allSatisfy(\.isNumber))
    }
}

/// `{name:argument|argument}`; a backslash makes the next character plain.
private struct BraceSyntax {
    let text: [Character]
    var index = 0

    init(text: [Character]) { self.text = text }

    mutating func pieces() -> (pieces: [ShareXPiece], ignored: String) {
        let pieces = run(isFunction: false).pieces
        return (pieces, String(text[min(index, text.count)...]))
    }

    /// Reads up to a closing brace, a bar, or the end; of a function, up to the colon behind its name, too.
    private mutating func run(isFunction: Bool) -> (pieces: [ShareXPiece], endsName: Bool) {
        var pieces: [ShareXPiece] = []
        var literal = ""
        func flushed() -> [ShareXPiece] { literal.isEmpty ? [] : [.literal(literal)] }
        while index < text.count {
            let character = text[index]
            switch character {
            case "{":
                pieces += flushed()
                literal = ""
                index += 1
                pieces.append(call())
            case "}", "|": return (pieces + flushed(), false)
            case "\\":
                index += 1
                if index < text.count { literal.append(text[index]) }
                index += 1
            case ":" where isFunction: return (pieces + flushed(), true)
            default:
                literal.append(character)
                index += 1
            }
        }
        return (pieces + flushed(), false)
    }

    private mutating func call() -> ShareXPiece {
        let (head, hasArguments) = run(isFunction: true)
        var name = ""
        for case .literal(let text) in head { name += text }
        var arguments: [[ShareXPiece]] = []
        var isOpen = hasArguments
        while isOpen {
            index += 1
            arguments.append(run(isFunction: false).pieces)
            isOpen = index < text.count && text[index] == "|"
        }
        // Past the closing brace.
        index += 1
        return .call(name: name.lowercased(), arguments: arguments)
    }
}

/// `$name:argument|argument$`; functions do not stand inside functions.
private enum DollarSyntax {
    static func pieces(_ text: String) -> [ShareXPiece] {
        var pieces: [ShareXPiece] = []
        var current = ""
        var isInside = false
        var isEscaped = false
        for character in text {
            if isEscaped {
                current.append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "$" {
                if isInside {
                    if !current.isEmpty { pieces.append(call(current)) }
                } else if !current.isEmpty {
                    pieces.append(.literal(current))
                }
                current = ""
                isInside.toggle()
            } else {
                current.append(character)
            }
        }
        // A function without its end gives nothing, as in ShareX.
        if !current.isEmpty, !isInside { pieces.append(.literal(current)) }
        return pieces
    }

    private static func call(_ source: String) -> ShareXPiece {
        let name = source.prefix { $0 != ":" }
        let rest = source.dropFirst(name.count + 1)
        let word = name.lowercased()
        guard name.endIndex < source.endIndex else { return implicit(source) ?? .call(name: word, arguments: []) }
        let parts: [Substring]
        switch word {
        case "random", "select": parts = rest.split(separator: "|", omittingEmptySubsequences: false)
        case "prompt": parts = rest.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
        case "regex": parts = rest.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "|" || $0 == "," }
        default: parts = [rest]
        }
        return .call(name: word, arguments: parts.map { $0.isEmpty ? [] : [.literal(String($0))] })
    }

    /// `1`, `1,2` or `1,name`: an item of RegexList and a group of it.
    private static func implicit(_ source: String) -> ShareXPiece? {
        let parts = source.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "|" || $0 == "," }
        guard let number = parts.first, !number.isEmpty, number.allSatisfy(\.isNumber) else { return nil }
        return .call(name: "regex", arguments: parts.map { [.literal(String($0))] })
    }
}
