// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// One `|name:argument` of a template.
struct Filter: Sendable {
    /// The filters that exist.
    enum Kind: String, Sendable, CaseIterable {
        case `default`, truncate, trim, lower, upper, replace, join, fixed, int, bool, urlencode, urlpath, basename,
            ascii, json, jsonASCII = "json_ascii", base64, base64Decode = "base64_decode", base58, hex, xml, md5, sha1,
            sha256, hmacSHA1 = "hmac_sha1", hmacSHA256 = "hmac_sha256", quoteSpaces = "quote_spaces", hashtags,
            first, last, split, iso, unix, unixMS = "unix_ms", date, match, dms, iso6709

        /// How many arguments it takes.
        var arguments: ClosedRange<Int> {
            switch self {
            case .default, .fixed, .date, .match: 1...1
            case .truncate: 1...2
            case .replace: 2...2
            case .join, .split, .md5, .sha1, .sha256, .dms, .iso6709: 0...1
            case .hmacSHA1, .hmacSHA256: 1...2
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
    /// Which coordinate is filtered; `dms` needs to know its letters.
    var axis: Geotag.Axis?
    /// The pattern of `match`.
    var pattern: Pattern?

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
            if kind == .truncate, let unit = text(1), TextUnit(word: unit) == nil {
                return "truncate counts characters, graphemes, utf16 or bytes"
            }
        case .match:
            if let pattern = text(0), let problem = Pattern.problem(pattern) { return problem }
            if text(0) == nil { return "match takes a regular expression" }
        case .dms, .iso6709:
            if let digits = text(0), !(0...15).contains(Int(digits) ?? -1) {
                return "filter '\(kind.rawValue)' takes a number of digits"
            }
        case .md5, .sha1, .sha256, .hmacSHA1, .hmacSHA256:
            let index = kind == .hmacSHA1 || kind == .hmacSHA256 ? 1 : 0
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
        case .jsonASCII: return .string(TextCoding.escapedToASCII(value.serialized()))
        case .hashtags: return Self.hashtags(value)
        case .split:
            guard let text = value.shown else { return nil }
            let pieces = Words.split(text, at: argument(0, in: scope) ?? ",").map(Words.trimmed)
            return .array(pieces.filter { !$0.isEmpty }.map { .string($0) })
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

    /// Bytes that the arguments add to a value; 0 for filters that put none of theirs into it.
    func growth(of value: JSONValue?, in scope: Scope) -> Int {
        guard let value else { return 0 }
        switch kind {
        case .join: return (value.array?.count ?? 0) * (argument(0, in: scope) ?? ",").utf8.count
        case .replace:
            let old = argument(0, in: scope) ?? ""
            let longer = (argument(1, in: scope) ?? "").utf8.count - old.utf8.count
            guard longer > 0 else { return 0 }
            let texts = value.array?.compactMap(\.shown) ?? [value.shown].compactMap { $0 }
            return texts.reduce(0) { $0 + Words.count(of: old, in: $1) } * longer
        default: return 0
        }
    }

    private static func joined(_ value: JSONValue, separator: String) -> JSONValue {
        guard case .array(let items) = value else { return value }
        return .string(items.compactMap(\.shown).joined(separator: separator))
    }

    /// `#sea #bluesky`: a tag of several words becomes one.
    private static func hashtags(_ value: JSONValue) -> JSONValue? {
        let tags = value.array?.compactMap(\.shown) ?? [value.shown].compactMap { $0 }
        let words = tags.map { tag in
            String(
                tag.unicodeScalars.filter {
                    $0.properties.isAlphabetic || $0.properties.numericType != nil || $0 == "_"
                }
            )
        }
        let marked = words.filter { !$0.isEmpty }.map { "#" + $0 }
        return marked.isEmpty ? nil : .string(marked.joined(separator: " "))
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
        case .unixMS: return Moment(iso: text).map { .number(String($0.unix) + "000") }
        case .dms, .iso6709: return position(text, in: scope).map { .string($0) }
        case .base64Decode:
            return TextCoding.base64Decoded(text).map { .string(String(decoding: $0, as: UTF8.self)) }
        case .base58: return TextCoding.base58(text).map { .string($0) }
        case .date: return Moment(iso: text).map { .string($0.formatted(argument(0, in: scope) ?? "")) }
        case .md5: return .string(written(Digests.digest(.md5, of: Array(text.utf8)), argument(0, in: scope)))
        case .sha1: return .string(written(Digests.digest(.sha1, of: Array(text.utf8)), argument(0, in: scope)))
        case .sha256: return .string(written(Digests.digest(.sha256, of: Array(text.utf8)), argument(0, in: scope)))
        case .hmacSHA1, .hmacSHA256:
            guard let key = argument(0, in: scope) else { return nil }
            let digest = kind == .hmacSHA1 ? DigestKind.sha1 : .sha256
            let code = Digests.hmac(digest, key: Array(key.utf8), Array(text.utf8))
            return .string(written(code, argument(1, in: scope)))
        case .match:
            guard let groups = pattern?.firstMatch(in: text) else { return nil }
            return (groups.count > 1 ? groups[1] : groups.first ?? nil).map { .string($0) }
        case .truncate:
            let count = argument(0, in: scope).flatMap { Int($0) } ?? 0
            let unit = argument(1, in: scope).flatMap { TextUnit(word: $0) } ?? .characters
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
        case .xml: return TextCoding.xml(text)
        case .quoteSpaces: return text.utf8.contains(0x20) ? "\"" + text + "\"" : text
        default: return text
        }
    }

    /// One coordinate, or a pair with a comma, as people or ISO 6709 write it.
    private func position(_ text: String, in scope: Scope) -> String? {
        let digits = argument(0, in: scope).flatMap { Int($0) }
        let numbers = text.split(separator: ",").compactMap { Double($0) }
        if let axis, let degrees = numbers.first, kind == .dms {
            return Geotag.dms(degrees, axis: axis, digits: digits ?? 2)
        }
        guard numbers.count >= 2 else { return nil }
        let altitude = numbers.count > 2 ? numbers[2] : nil
        let place = Geotag(latitude: numbers[0], longitude: numbers[1], altitude: altitude, source: .client)
        return kind == .dms ? place?.dms(digits: digits ?? 2) : place?.iso6709(digits: digits ?? 7)
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
