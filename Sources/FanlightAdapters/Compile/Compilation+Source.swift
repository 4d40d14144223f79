// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore

extension Compilation {
    /// Compiles an extractor or template, or a list of alternatives.
    func sources(_ node: Node?) -> Sources? {
        guard let node, !node.isNull else { return nil }
        if case .mapping = node.content {
            error(node, "expected an extractor, a template, or a list of them")
            return nil
        }
        let nodes = node.items.isEmpty ? [node] : node.items
        return Sources(list: nodes.compactMap { alternative($0) })
    }

    private func alternative(_ item: Node) -> Source? {
        if case .mapping = item.content {
            checkKeys(of: item, AdapterFields.alternative, in: "an alternative")
            guard let value = item["value"], !value.isNull else {
                error(item, "an alternative needs 'value'")
                return nil
            }
            guard let text = value.text else {
                error(value, "expected an extractor or a template")
                return nil
            }
            guard let source = source(text, at: value.position) else { return nil }
            return predicate(item["when"]).map { .when($0, source) } ?? source
        }
        guard let text = item.text else {
            error(item, "expected an extractor or a template")
            return nil
        }
        return source(text, at: item.position)
    }

    private func source(_ text: String, at position: SourcePosition) -> Source? {
        do {
            if let extractor = try Extractor.parse(text) { return .extractor(extractor) }
        } catch {
            self.error(at: position, error.message)
            return nil
        }
        guard text.contains("${") || text.contains("/") else {
            let word = String(text.prefix { !$0.isWhitespace })
            let nearest = NearestName.of(word, among: Extractor.words) ?? Self.path(meantBy: text)
            self.error(
                at: position,
                "'\(word)' is no extractor ($.path, /xpath, \(Extractor.words.joined(separator: ", "))) and no template"
                    + Self.hint(nearest)
            )
            return nil
        }
        return template(text, at: position).map { .template($0) }
    }

    /// The JSON path that a dotted name stands for, such as `$.data.url` for `data.url`.
    private static func path(meantBy text: String) -> String? {
        guard text.contains("."), !text.contains(where: \.isWhitespace) else { return nil }
        let path = text.hasPrefix(".") ? "$" + text : "$." + text
        return JSONPath(path) == nil ? nil : path
    }

    /// Compiles a test: one line, a list (all must hold), `any:` or `all:` with tests of which one or all must hold.
    func predicate(_ node: Node?) -> Predicate? {
        guard let node, !node.isNull else { return nil }
        switch node.content {
        case .sequence(let items): return .all(items.compactMap { predicate($0) })
        case .mapping(let entries):
            guard entries.count == 1, let only = entries.first, ["any", "all"].contains(only.key) else {
                error(node, "a test is a line, a list, or 'any:' with a list")
                return nil
            }
            let list = if case .sequence(let items) = only.value.content { items } else { [only.value] }
            if list.allSatisfy(\.isNull) {
                error(only.value, "'\(only.key)' needs at least one test")
                return nil
            }
            let tests = list.compactMap { predicate($0) }
            return only.key == "any" ? .any(tests) : .all(tests)
        case .scalar:
            guard let text = node.text else { return nil }
            return predicate(text, at: node.position)
        }
    }

    private func predicate(_ text: String, at position: SourcePosition) -> Predicate? {
        guard let (operand, sign, literal) = Self.operation(text) else {
            guard Self.isOneValue(text) else {
                error(
                    at: position,
                    "expected a test: status == 200, $.ok != false, ${state} in a,b, text =~ PATTERN, "
                        + "$.id exists or option.album missing"
                )
                return nil
            }
            return operand(Words.trimmed(text), at: position).map { .test($0, .isTrue) }
        }
        guard let source = self.operand(operand, at: position) else { return nil }
        let words = sign == "in" ? literal.split(separator: ",").map { Words.trimmed($0) } : [literal]
        if case .extractor(.status) = source, ["==", "!=", "in"].contains(sign),
            !words.allSatisfy({ $0.count == 3 && Int($0) != nil })
        {
            error(at: position, "a status is a number of three digits; several: status in 200,201")
        }
        switch sign {
        case "exists": return .test(source, .exists)
        case "missing": return .test(source, .missing)
        case "in": return .test(source, .oneOf(words))
        case "=~":
            if let problem = Pattern.problem(literal) { error(at: position, problem) }
            guard let pattern = Pattern(literal) else { return nil }
            return .test(source, .matches(pattern))
        case "==": return .test(source, .equal(literal))
        default: return .test(source, .notEqual(literal))
        }
    }

    /// Whether a test without an operator is one value, which has to be true.
    private static func isOneValue(_ text: String) -> Bool {
        let text = Words.trimmed(text)
        if text.contains("${") || !text.contains(where: \.isWhitespace) { return true }
        return (try? Extractor.parse(text)) != nil
    }

    /// An extractor, a template, or the bare name of a variable.
    private func operand(_ text: String, at position: SourcePosition) -> Source? {
        if (try? Extractor.parse(text)) == nil, !text.contains("${"), !text.contains("/"), !text.hasPrefix("$") {
            return template("${" + text + "}", at: position).map { .template($0) }
        }
        return source(text, at: position)
    }

    /// Splits a test at its operator, which stands between blanks and outside brackets and quotes.
    private static func operation(_ text: String) -> (String, String, String)? {
        var depth = 0
        for index in text.indices {
            let character = text[index]
            if character == "[" || character == "{" || character == "(" { depth += 1 }
            if character == "]" || character == "}" || character == ")" { depth = max(0, depth - 1) }
            guard depth == 0, character == " " else { continue }
            let rest = text[text.index(after: index)...]
            let word = String(rest.prefix { !$0.isWhitespace })
            guard ["==", "!=", "=~", "in", "exists", "missing"].contains(word) else { continue }
            var literal = Words.trimmed(rest.dropFirst(word.count))
            if ["exists", "missing"].contains(word), !literal.isEmpty { continue }
            if literal.count >= 2, let first = literal.first, first == literal.last, first == "'" || first == "\"" {
                literal = String(literal.dropFirst().dropLast())
            }
            return (Words.trimmed(text[..<index]), word, literal)
        }
        return nil
    }

    /// Compiles a value that may be a list of `{when, value}`.
    func choice(_ node: Node) -> Choice? {
        guard case .sequence(let items) = node.content else {
            return template(node).map { Choice(list: [Choice.Alternative(when: nil, template: $0)]) }
        }
        var list: [Choice.Alternative] = []
        for (index, item) in items.enumerated() {
            if index > 0, case .mapping(let before) = items[index - 1].content,
                !before.contains(where: { $0.key == "when" })
            {
                error(item, "this alternative is never reached, because the one before it has no 'when'")
            }
            guard checkKeys(of: item, AdapterFields.alternative, in: "an alternative") else { continue }
            guard let value = item["value"] else {
                error(item, "an alternative needs 'value'")
                continue
            }
            if let template = template(value) {
                list.append(Choice.Alternative(when: predicate(item["when"]), template: template))
            }
        }
        return Choice(list: list)
    }

    /// Compiles a mapping of names to values.
    func choices(_ node: Node?, in place: String) -> [Named] {
        guard let node, !node.isNull else { return [] }
        guard case .mapping(let entries) = node.content else {
            error(node, "\(place) is a mapping of names to values")
            return []
        }
        return entries.compactMap { entry in
            if entry.value.isNull { return nil }
            let value =
                CredentialNames.arePublic(entry.key) ? meaning(.open) { choice(entry.value) } : choice(entry.value)
            return value.map { Named(name: entry.key, value: $0) }
        }
    }

    /// Compiles a JSON tree.
    ///
    /// Unquoted `true`, `false`, `null` and numbers are typed; quoted ones are text.
    func jsonTree(_ node: Node) -> JSONTree? {
        switch node.content {
        case .mapping(let entries):
            return .object(
                entries.compactMap { entry in jsonTree(entry.value).map { JSONTree.Member(name: entry.key, value: $0) }
                }
            )
        case .sequence(let items):
            if items.contains(where: { $0["when"] != nil && $0["value"] != nil }) {
                return choice(node).map { .value($0) }
            }
            return .array(items.compactMap { jsonTree($0) })
        case .scalar(let text, let isPlain):
            if node.isNull { return .constant(.null) }
            if isPlain, let value = try? JSONParser.parse(Array(text.utf8)), value.isScalar, value.string == nil {
                return .constant(value)
            }
            return choice(node).map { .value($0) }
        }
    }
}
