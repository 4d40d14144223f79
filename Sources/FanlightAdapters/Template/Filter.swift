// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// One `|name:argument` of a template.
struct Filter: Sendable {
    /// The filters that exist.
    enum Kind: String, Sendable, CaseIterable {
        case `default`, truncate, trim, lower, upper, replace, join, fixed, int, bool, urlencode, urlpath, basename,
            ascii, json, base64, hex, md5, sha1, sha256, hmacSHA256 = "hmac_sha256", quoteSpaces = "quote_spaces",
            first, last, iso, unix, date, match

        /// How many arguments it takes.
        var arguments: ClosedRange<Int> {
            switch self {
            case .default, .fixed, .date, .match: 1...1
            case .truncate: 1...2
            case .replace: 2...2
            case .join, .md5, .sha1, .sha256: 0...1
            case .hmacSHA256: 1...2
            default: 0...0
            }
        }
    }

    /// An argument: characters, or a variable that is read for each delivery.
    enum Argument: Sendable {
        case text(String)
        case variable(Variable)
    }

    /// Which one.
    var kind: Kind
    /// As many as the kind takes.
    var arguments: [Argument] = []

    /// Variables among the arguments.
    var variables: [Variable] {
        arguments.compactMap { if case .variable(let variable) = $0 { variable } else { nil } }
    }

    /// What is wrong with the arguments; `nil` when nothing is.
    var problem: String? {
        guard kind.arguments.contains(arguments.count) else {
            let range = kind.arguments
            let wanted =
                range.lowerBound == range.upperBound
                ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
            return "filter '\(kind.rawValue)' takes \(wanted) argument(s), not \(arguments.count)"
        }
        func text(_ index: Int) -> String? {
            guard index < arguments.count, case .text(let text) = arguments[index] else { return nil }
            return text
        }
        switch kind {
        case .fixed, .truncate:
            guard let count = text(0).flatMap({ Int($0) }), (0...1_000_000).contains(count) else {
                return "filter '\(kind.rawValue)' takes a whole number"
            }
            if kind == .truncate, let unit = text(1), TextUnit(rawValue: unit) == nil {
                return "truncate counts characters, scalars, utf16 or bytes"
            }
        case .match:
            guard let pattern = text(0), Pattern(pattern) != nil else { return "match takes a regular expression" }
        case .md5, .sha1, .sha256, .hmacSHA256:
            let index = kind == .hmacSHA256 ? 1 : 0
            if let form = text(index), form != "hex", form != "base64" { return "a hash is written as hex or base64" }
        default: break
        }
        return nil
    }

    /// The filtered value.
    ///
    /// Absent stays absent, except for `default`.
    func apply(to value: JSONValue?, in scope: Scope) -> JSONValue? {
        if kind == .default {
            if let value, !value.isNothing { return value }
            return argument(0, in: scope).map { .string($0) }
        }
        guard let value, value != .null else { return nil }
        switch kind {
        case .join: return Self.joined(value, separator: argument(0, in: scope) ?? ",")
        case .json: return .string(value.serialized())
        case .first: if case .array(let items) = value { return items.first } else { return value }
        case .last: if case .array(let items) = value { return items.last } else { return value }
        case .bool: return .bool(value.isTruthy)
        default: break
        }
        if case .array(let items) = value {
            return .array(items.compactMap { apply(to: $0, in: scope) })
        }
        return value.shown.flatMap { scalar($0, in: scope) }
    }

    private static func joined(_ value: JSONValue, separator: String) -> JSONValue {
        guard case .array(let items) = value else { return value }
        return .string(items.compactMap(\.shown).joined(separator: separator))
    }

    private func argument(_ index: Int, in scope: Scope) -> String? {
        guard index < arguments.count else { return nil }
        switch arguments[index] {
        case .text(let text): return text
        case .variable(let variable): return scope.value(of: variable)?.shown
        }
    }

    private func scalar(_ text: String, in scope: Scope) -> JSONValue? {
        switch kind {
        case .fixed:
            return argument(0, in: scope).flatMap { Int($0) }
                .flatMap { DecimalText.fixed(text, digits: $0) }.map { .number($0) }
        case .int: return integer(text).map { .number($0) }
        case .iso: return Moment(iso: text).map { .string($0.iso) }
        case .unix: return Moment(iso: text).map { .number(String($0.unix)) }
        case .date: return Moment(iso: text).map { .string($0.formatted(argument(0, in: scope) ?? "")) }
        case .md5: return .string(written(Digests.digest(.md5, of: Array(text.utf8)), argument(0, in: scope)))
        case .sha1: return .string(written(Digests.digest(.sha1, of: Array(text.utf8)), argument(0, in: scope)))
        case .sha256: return .string(written(Digests.digest(.sha256, of: Array(text.utf8)), argument(0, in: scope)))
        case .hmacSHA256:
            guard let key = argument(0, in: scope) else { return nil }
            let code = Digests.hmacSHA256(key: Array(key.utf8), Array(text.utf8))
            return .string(written(code, argument(1, in: scope)))
        case .match:
            guard let groups = argument(0, in: scope).flatMap({ Pattern($0) })?.firstMatch(in: text) else { return nil }
            return (groups.count > 1 ? groups[1] : groups.first ?? nil).map { .string($0) }
        case .truncate:
            let count = argument(0, in: scope).flatMap { Int($0) } ?? 0
            let unit = argument(1, in: scope).flatMap { TextUnit(rawValue: $0) } ?? .characters
            return .string(unit.truncate(text, to: count))
        default: return .string(plain(text, in: scope))
        }
    }

    private func plain(_ text: String, in scope: Scope) -> String {
        switch kind {
        case .trim: return Words.trimmed(text)
        case .lower: return text.lowercased()
        case .upper: return text.uppercased()
        case .replace:
            return Words.replacing(argument(0, in: scope) ?? "", with: argument(1, in: scope) ?? "", in: text)
        case .urlencode: return TextCoding.percentEncoded(text)
        case .urlpath: return TextCoding.percentEncoded(text, keeping: "/")
        case .basename: return Words.basename(text)
        case .ascii: return String(text.map { $0.isASCII ? $0 : "_" })
        case .base64: return TextCoding.base64(Array(text.utf8))
        case .hex: return TextCoding.hex(Array(text.utf8))
        case .quoteSpaces: return text.contains(" ") ? "\"" + text + "\"" : text
        default: return text
        }
    }

    private func integer(_ text: String) -> String? {
        switch text.lowercased() {
        case "true", "yes", "on": "1"
        case "false", "no", "off": "0"
        default: DecimalText.fixed(text, digits: 0)
        }
    }

    private func written(_ bytes: [UInt8], _ form: String?) -> String {
        form == "base64" ? TextCoding.base64(bytes) : TextCoding.hex(bytes)
    }
}

/// What a text limit counts.
enum TextUnit: String, Sendable {
    case characters, scalars, utf16, bytes

    /// The longest beginning of whole characters that is not longer than `count`.
    func truncate(_ text: String, to count: Int) -> String {
        if self == .characters { return String(text.prefix(count)) }
        var used = 0
        var out = ""
        for character in text {
            switch self {
            case .characters: used += 1
            case .scalars: used += character.unicodeScalars.count
            case .utf16: used += character.utf16.count
            case .bytes: used += character.utf8.count
            }
            if used > count { break }
            out.append(character)
        }
        return out
    }
}

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

    /// What follows the last slash of a path or URL, without query and fragment.
    static func basename(_ text: String) -> String {
        let path = text.prefix { $0 != "?" && $0 != "#" }
        return path.split(separator: "/").last.map(String.init) ?? ""
    }
}
