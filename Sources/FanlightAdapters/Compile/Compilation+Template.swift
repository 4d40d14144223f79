// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration

extension Compilation {
    /// Compiles the template in a scalar.
    func template(_ node: Node) -> Template? {
        if case .scalar(let text, let isPlain) = node.content, !isPlain, text.isEmpty {
            return Template(segments: [.literal("")])
        }
        guard let source = node.text else {
            error(node, "expected text")
            return nil
        }
        return template(source, at: node.position)
    }

    /// Compiles template text.
    func template(_ source: String, at position: SourcePosition) -> Template? {
        var segments: [Template.Segment] = []
        var literal = ""
        var rest = Substring(source)
        while let open = rest.firstRange(of: "${") {
            if rest[..<open.lowerBound].last == "$" {
                literal += rest[..<open.lowerBound].dropLast() + "${"
                rest = rest[open.upperBound...]
                continue
            }
            literal += rest[..<open.lowerBound]
            let body = rest[open.upperBound...]
            guard let end = Self.unquoted("}", in: body) else {
                error(at: position, "'${' has no closing '}'")
                return nil
            }
            let inner = String(body[..<end])
            if let value = outside(inner, at: position) {
                literal += value
            } else {
                guard let expression = expression(inner, at: position) else { return nil }
                if !literal.isEmpty { segments.append(.literal(literal)) }
                literal = ""
                segments.append(.expression(expression))
            }
            rest = rest[rest.index(after: end)...]
        }
        literal += rest
        if !literal.isEmpty || segments.isEmpty { segments.append(.literal(literal)) }
        return Template(segments: segments)
    }

    private func expression(_ inner: String, at position: SourcePosition) -> Template.Expression? {
        let pieces = Self.split(inner, at: "|")
        var name = Words.trimmed(pieces[0])
        let isRequired = name.hasSuffix("!")
        if isRequired { name.removeLast() }
        let variable: Variable
        do {
            variable = try Variable(name, names: names)
        } catch {
            self.error(at: position, "unknown variable '\(name)'" + Self.hint(error.nearest))
            return nil
        }
        var filters: [Filter] = []
        for piece in pieces.dropFirst() {
            guard let filter = filter(piece, at: position) else { return nil }
            filters.append(filter)
        }
        return Template.Expression(variable: variable, source: name, isRequired: isRequired, filters: filters)
    }

    private func filter(_ source: String, at position: SourcePosition) -> Filter? {
        let trimmed = Words.trimmed(source)
        let name = String(trimmed.prefix { $0 != ":" })
        guard let kind = Filter.Kind(rawValue: name) else {
            let nearest = NearestName.of(name, among: Filter.Kind.allCases.map(\.rawValue))
            error(at: position, "unknown filter '\(name)'" + Self.hint(nearest))
            return nil
        }
        var arguments: [Filter.Argument] = []
        if name.count < trimmed.count {
            let rest = String(trimmed.dropFirst(name.count + 1))
            let takesOne = [.default, .join, .date].contains(kind)
            arguments = (takesOne ? [rest] : Self.split(rest, at: ",")).map(argument)
        }
        let filter = Filter(kind: kind, arguments: arguments)
        if let problem = filter.problem {
            error(at: position, problem)
            return nil
        }
        return filter
    }

    /// Quoted text as it is; a declared setting, option or field by its dotted name; else the characters.
    private func argument(_ source: String) -> Filter.Argument {
        if source.count >= 2, let first = source.first, first == source.last, first == "\"" || first == "'" {
            return .text(String(source.dropFirst().dropLast()))
        }
        let isDotted = ["setting.", "option.", "field.", "file."].contains { source.hasPrefix($0) }
        if isDotted, let variable = try? Variable(source, names: names) { return .variable(variable) }
        return .text(source)
    }

    /// The first such character outside quotes that follow a colon or comma.
    private static func unquoted(_ mark: Character, in text: Substring) -> String.Index? {
        var quote: Character?
        var previous: Character = " "
        for index in text.indices {
            let character = text[index]
            if let open = quote {
                if character == open { quote = nil }
            } else if (character == "\"" || character == "'") && (previous == ":" || previous == ",") {
                quote = character
            } else if character == mark {
                return index
            }
            previous = character
        }
        return nil
    }

    /// Splits outside quotes; a quote opens at the start and after a colon or comma.
    private static func split(_ text: String, at mark: Character) -> [String] {
        var pieces = [""]
        var quote: Character?
        var previous: Character = mark == "," ? "," : " "
        for character in text {
            if character == mark, quote == nil {
                pieces.append("")
            } else {
                if let open = quote {
                    if character == open { quote = nil }
                } else if (character == "\"" || character == "'") && (previous == ":" || previous == ",") {
                    quote = character
                }
                pieces[pieces.count - 1].append(character)
            }
            previous = character
        }
        return pieces
    }
}
