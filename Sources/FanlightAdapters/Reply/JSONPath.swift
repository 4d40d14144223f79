// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// The part of JSONPath that services need: `.name`, `['name']`, `[0]`, `[-1]`, `[*]`, `[?(@.k=='v')]`, also with `!=` and `=~`.
struct JSONPath: Sendable {
    enum Comparison: Sendable { case equal, notEqual }

    enum Step: Sendable {
        case name(String)
        case index(Int)
        case every
        case filter(path: [String], comparison: Comparison, value: String)
        case matching(path: [String], Pattern)
    }

    private var steps: [Step] = []

    /// The whole document.
    init() {}

    /// Reads a path that starts with `$`; `nil` when it is not one.
    init?(_ text: String) {
        guard text.hasPrefix("$") else { return nil }
        var rest = text.dropFirst()
        while let next = rest.first {
            if next == "." {
                let name = rest.dropFirst().prefix { $0 != "." && $0 != "[" }
                guard !name.isEmpty, !name.contains(where: \.isWhitespace) else { return nil }
                steps.append(name == "*" ? .every : .name(String(name)))
                rest = rest.dropFirst(name.count + 1)
            } else if next == "[", let end = Self.closing(rest) {
                let inner = Words.trimmed(rest[rest.index(after: rest.startIndex)..<end])
                guard let step = Self.step(inner) else { return nil }
                steps.append(step)
                rest = rest[rest.index(after: end)...]
            } else {
                return nil
            }
        }
    }

    /// The value at the path.
    ///
    /// A path through `[*]` or a filter gives an array unless exactly one value is there.
    func value(in root: JSONValue) -> JSONValue? {
        var current = [root]
        var isMany = false
        for step in steps {
            if case .every = step { isMany = true }
            if case .filter = step { isMany = true }
            if case .matching = step { isMany = true }
            current = current.flatMap { Self.apply(step, to: $0) }
            if current.isEmpty { return nil }
        }
        return isMany && current.count > 1 ? .array(current) : current.first
    }

    private static func closing(_ text: Substring) -> String.Index? {
        var quote: Character?
        for index in text.indices {
            let character = text[index]
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "'" || character == "\"" {
                quote = character
            } else if character == "]" {
                return index
            }
        }
        return nil
    }

    private static func step(_ inner: String) -> Step? {
        if inner == "*" { return .every }
        if let index = Int(inner) { return .index(index) }
        if let name = unquoted(inner) { return .name(name) }
        guard inner.hasPrefix("?("), inner.hasSuffix(")") else { return nil }
        let body = inner.dropFirst(2).dropLast()
        for sign in ["==", "!=", "=~"] {
            guard let range = body.firstRange(of: sign) else { continue }
            let left = Words.trimmed(body[..<range.lowerBound])
            let right = Words.trimmed(body[range.upperBound...])
            guard left == "@" || left.hasPrefix("@.") else { return nil }
            let path = left.dropFirst(2).split(separator: ".").map(String.init)
            let value = unquoted(right) ?? right
            if sign == "=~" { return Pattern(value).map { .matching(path: path, $0) } }
            return .filter(path: path, comparison: sign == "==" ? .equal : .notEqual, value: value)
        }
        return nil
    }

    private static func unquoted(_ text: String) -> String? {
        guard text.count >= 2, let first = text.first, first == text.last, first == "'" || first == "\"" else {
            return nil
        }
        return String(text.dropFirst().dropLast())
    }

    private static func apply(_ step: Step, to value: JSONValue) -> [JSONValue] {
        switch (step, value) {
        case (.name(let name), _): return value[name].map { [$0] } ?? []
        case (.index(let index), .array(let items)):
            let place = index < 0 ? items.count + index : index
            return items.indices.contains(place) ? [items[place]] : []
        case (.every, .array(let items)): return items
        case (.every, .object(let members)): return members.map(\.value)
        case (.filter(let path, let comparison, let wanted), _):
            return candidates(value).filter { (member($0, path) == wanted) == (comparison == .equal) }
        case (.matching(let path, let pattern), _):
            return candidates(value).filter { member($0, path).map(pattern.matches) ?? false }
        default: return []
        }
    }

    private static func candidates(_ value: JSONValue) -> [JSONValue] {
        if case .array(let items) = value { return items }
        return [value]
    }

    private static func member(_ item: JSONValue, _ path: [String]) -> String? {
        path.reduce(JSONValue?.some(item)) { $0?[$1] }?.shown
    }
}
