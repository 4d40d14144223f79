// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore

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
        var isSound = true
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
            if let value = outside(inner, after: source[..<open.lowerBound], at: position) {
                literal += value
            } else {
                if !literal.isEmpty { segments.append(.literal(literal)) }
                literal = ""
                // The rest is read all the same: every mistake in it is reported.
                if let expression = expression(inner, at: position) {
                    segments.append(.expression(expression))
                } else {
                    isSound = false
                }
            }
            rest = rest[rest.index(after: end)...]
        }
        literal += rest
        if !literal.isEmpty || segments.isEmpty { segments.append(.literal(literal)) }
        return isSound ? Template(segments: segments) : nil
    }

    private func expression(_ inner: String, at position: SourcePosition) -> Template.Expression? {
        let pieces = Self.split(inner, at: "|")
        var name = Words.trimmed(pieces[0])
        let isRequired = name.hasSuffix("!")
        if isRequired { name.removeLast() }
        if name == "file", !names.captures.contains(name) { return picture(pieces, isRequired, at: position) }
        var variable: Variable?
        do {
            variable = try Variable(name, names: names)
        } catch {
            self.error(at: position, error.problem + Self.hint(error.nearest))
        }
        let filters = filters(pieces.dropFirst(), at: position).map { filter in
            var filter = filter
            filter.axis = variable.flatMap { [.plain(.lat): .latitude, .plain(.lon): .longitude][$0] }
            return filter
        }
        guard let variable, filters.count == pieces.count - 1 else { return nil }
        return Template.Expression(variable: variable, source: name, isRequired: isRequired, filters: filters)
    }

    /// `${file|base64}` and its hashes: the picture itself.
    private func picture(_ pieces: [String], _ isRequired: Bool, at position: SourcePosition) -> Template.Expression? {
        let facts: [String: Variable.File] = ["base64": .base64, "md5": .md5, "sha1": .sha1, "sha256": .sha256]
        guard pieces.count > 1, let fact = facts[Words.trimmed(pieces[1])] else {
            error(at: position, "'file' needs one of the filters base64, md5, sha1, sha256 right behind it")
            return nil
        }
        let filters = filters(pieces.dropFirst(2), at: position)
        guard filters.count == pieces.count - 2 else { return nil }
        return Template.Expression(variable: .file(fact), source: "file", isRequired: isRequired, filters: filters)
    }

    /// Those that are filters; each of the others is reported.
    private func filters(_ pieces: ArraySlice<String>, at position: SourcePosition) -> [Filter] {
        pieces.compactMap { filter($0, at: position) }
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
            let takesOne = [.default, .join, .split, .date, .match].contains(kind)
            arguments = (takesOne ? [rest] : Self.split(rest, at: ",")).map { argument($0, of: kind) }
        }
        var filter = Filter(kind: kind, arguments: arguments)
        if kind == .match, case .text(let pattern)? = arguments.first { filter.pattern = Pattern(pattern) }
        if let problem = filter.problem {
            error(at: position, problem)
            return nil
        }
        return filter
    }

    /// Quoted text as it is; a declared setting, option or field by its dotted name; for `default` and keys any name
    /// that is one; else the characters.
    private func argument(_ source: String, of kind: Filter.Kind) -> Filter.Argument {
        if source.count >= 2, let first = source.first, first == source.last, first == "\"" || first == "'" {
            return .text(String(source.dropFirst().dropLast()))
        }
        let isDotted = ["setting.", "option.", "field.", "file.", "session."].contains { source.hasPrefix($0) }
        let namesAny = [.default, .hmacSHA1, .hmacSHA256].contains(kind)
        if isDotted || namesAny, let variable = try? Variable(source, names: names) { return .variable(variable) }
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
