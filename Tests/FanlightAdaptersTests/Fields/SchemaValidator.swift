// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore

/// The part of JSON Schema 2020-12 that the program writes; any other keyword is a finding.
struct SchemaValidator {
    let root: JSONValue

    /// What one value broke, each with its place.
    func findings(_ value: JSONValue) -> [String] { check(value, root, "").errors }

    private struct Outcome {
        var errors: [String] = []
        /// Members that some keyword has looked at.
        var evaluated: Set<String> = []
        var isValid: Bool { errors.isEmpty }
    }

    private static let silent = ["$schema", "$defs", "title", "description", "default", "then", "else"]

    private func check(_ value: JSONValue, _ schema: JSONValue, _ path: String) -> Outcome {
        if case .bool(let isAllowed) = schema {
            return Outcome(errors: isAllowed ? [] : [path + ": not allowed"])
        }
        var outcome = Outcome()
        let keywords = schema.object ?? []
        for keyword in keywords where keyword.name != "unevaluatedProperties" {
            apply(keyword, of: schema, to: value, path, &outcome)
        }
        if schema["unevaluatedProperties"] == .bool(false) {
            for member in value.object ?? [] where !outcome.evaluated.contains(member.name) {
                outcome.errors.append("\(path)/\(member.name): unknown")
            }
        }
        return outcome
    }

    private func apply(
        _ keyword: JSONValue.Member,
        of schema: JSONValue,
        to value: JSONValue,
        _ path: String,
        _ outcome: inout Outcome
    ) {
        let argument = keyword.value
        switch keyword.name {
        case "type":
            let names = argument.array ?? [argument]
            if !names.contains(where: { Self.isType(value, $0.string ?? "") }) {
                outcome.errors.append(path + ": type")
            }
        case "enum": if argument.array?.contains(value) != true { outcome.errors.append(path + ": enum") }
        case "const": if argument != value { outcome.errors.append(path + ": const") }
        case "pattern": if !Self.matches(value, argument) { outcome.errors.append(path + ": pattern") }
        case "minLength":
            if let text = value.string, text.unicodeScalars.count < Int(argument.double ?? 0) {
                outcome.errors.append(path + ": minLength")
            }
        case "minimum":
            if let number = value.double, number < argument.double ?? 0 { outcome.errors.append(path + ": minimum") }
        case "maximum":
            if let number = value.double, number > argument.double ?? 0 { outcome.errors.append(path + ": maximum") }
        case "required":
            for name in argument.array ?? [] where value.object != nil && value[name.string ?? ""] == nil {
                outcome.errors.append("\(path): \(name.string ?? "") is required")
            }
        case "items":
            for (index, item) in (value.array ?? []).enumerated() {
                outcome.errors += check(item, argument, "\(path)/\(index)").errors
            }
        case "propertyNames":
            for member in value.object ?? [] {
                outcome.errors += check(.string(member.name), argument, "\(path)/\(member.name)").errors
            }
        case "properties", "additionalProperties": members(keyword, schema, value, path, &outcome)
        case "$ref", "allOf", "anyOf", "if", "not": combine(keyword, schema, value, path, &outcome)
        default:
            if !Self.silent.contains(keyword.name) { outcome.errors.append("\(path): keyword \(keyword.name)") }
        }
    }

    private func members(
        _ keyword: JSONValue.Member,
        _ schema: JSONValue,
        _ value: JSONValue,
        _ path: String,
        _ outcome: inout Outcome
    ) {
        for member in value.object ?? [] {
            let known = schema["properties"]?[member.name]
            guard let part = keyword.name == "properties" ? known : (known == nil ? keyword.value : nil) else {
                continue
            }
            outcome.evaluated.insert(member.name)
            outcome.errors += check(member.value, part, "\(path)/\(member.name)").errors
        }
    }

    private func combine(
        _ keyword: JSONValue.Member,
        _ schema: JSONValue,
        _ value: JSONValue,
        _ path: String,
        _ outcome: inout Outcome
    ) {
        switch keyword.name {
        case "$ref":
            let name = String((keyword.value.string ?? "").dropFirst("#/$defs/".count))
            guard let part = root["$defs"]?[name] else { return outcome.errors.append("\(path): no part \(name)") }
            join(check(value, part, path), &outcome)
        case "allOf": for part in keyword.value.array ?? [] { join(check(value, part, path), &outcome) }
        case "anyOf":
            let results = (keyword.value.array ?? []).map { check(value, $0, path) }
            for result in results where result.isValid { outcome.evaluated.formUnion(result.evaluated) }
            if !results.contains(where: \.isValid) {
                let nearest = results.map(\.errors).max { ($0.first?.count ?? 0) < ($1.first?.count ?? 0) } ?? []
                outcome.errors.append("\(path): none of several: \(nearest.joined(separator: "; "))")
            }
        case "if":
            let condition = check(value, keyword.value, path)
            if condition.isValid { outcome.evaluated.formUnion(condition.evaluated) }
            if let part = schema[condition.isValid ? "then" : "else"] { join(check(value, part, path), &outcome) }
        default: if check(value, keyword.value, path).isValid { outcome.errors.append(path + ": not") }
        }
    }

    private func join(_ part: Outcome, _ outcome: inout Outcome) {
        outcome.errors += part.errors
        outcome.evaluated.formUnion(part.evaluated)
    }

    private static func isType(_ value: JSONValue, _ name: String) -> Bool {
        switch (name, value) {
        case ("null", .null), ("boolean", .bool), ("string", .string), ("number", .number), ("array", .array),
            ("object", .object):
            true
        case ("integer", .number(let text)): Int(text) != nil
        default: false
        }
    }

    private static func matches(_ value: JSONValue, _ pattern: JSONValue) -> Bool {
        guard let text = value.string else { return true }
        guard let regex = try? Regex(pattern.string ?? "") else { return false }
        return text.firstMatch(of: regex) != nil
    }
}

extension JSONValue {
    /// What an editor's YAML reader makes of a file: plain scalars are typed by the core schema of YAML 1.2.
    init(_ node: Node) {
        switch node.content {
        case .mapping(let entries): self = .object(entries.map { .init($0.key, JSONValue($0.value)) })
        case .sequence(let items): self = .array(items.map { JSONValue($0) })
        case .scalar(let text, let isPlain):
            guard isPlain else {
                self = .string(text)
                return
            }
            switch text {
            case "", "~", "null": self = .null
            case "true", "false": self = .bool(text == "true")
            default:
                let isNumber = text.allSatisfy { $0.isNumber || "+-.eE".contains($0) } && Double(text) != nil
                self = isNumber ? .number(text) : .string(text)
            }
        }
    }
}
