// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters

/// Finds credentials in a longer text that an operator wrote: a raw body in JSON, XML or a form, a form within a field.
///
/// A value is found by the name before it: `"token": "…"`, `token=…`, `<token>…</token>`, `<name>token</name><value>…`,
/// `name="token"` and the text behind an empty line. What stands there without a name cannot be told from other words.
struct CredentialText {
    /// Names that stand for many things take a value only when it looks like a credential.
    private static let vague = ["key", "auth"]
    private static let shortest = 8
    private static let longest = 16
    /// Shorter plain numbers are amounts.
    private static let shortestNumber = 6
    private static let ends = Array(" \t\r\n&,;<>\"'}])".unicodeScalars)

    private let text: [Unicode.Scalar]
    /// True where a colon alone divides a name from its value, as in a line of YAML.
    private let hasPlainColons: Bool

    /// The values found in a text, each with the name before it.
    ///
    /// - Parameter hasPlainColons: False for texts that may be sentences.
    static func values(in text: String, hasPlainColons: Bool) -> [(name: String, value: String)] {
        CredentialText(text: Array(text.unicodeScalars), hasPlainColons: hasPlainColons).values()
    }

    private func values() -> [(name: String, value: String)] {
        var found: [(name: String, value: String)] = []
        var index = 0
        while index < text.count {
            guard Self.isInName(text[index]) else {
                index += 1
                continue
            }
            let start = index
            while index < text.count, Self.isInName(text[index]) { index += 1 }
            let name = Self.string(text[start..<index])
            guard CredentialNames.contain(name), let value = value(ofNameAt: start..<index) else { continue }
            if Self.isCredential(value, named: name) { found.append((name, value)) }
        }
        return found
    }

    // MARK: Places

    /// The value that belongs to a name; `nil` where none follows.
    private func value(ofNameAt name: Range<Int>) -> String? {
        var start = name.lowerBound
        while start > 0, Self.isInName(text[start - 1]) || text[start - 1] == ":" { start -= 1 }
        let before = start > 0 ? text[start - 1] : " "
        if before == "/", start > 1, text[start - 2] == "<" { return nil }
        let isElement = before == "<"
        var index = name.upperBound
        if isElement {
            guard let end = text[index...].firstIndex(of: ">"), text[end - 1] != "/" else { return nil }
            index = end
        }
        guard let value = skipped(from: index, isElement: isElement) else { return nil }
        return read(from: value)
    }

    /// Where the value begins, behind what divides it from its name.
    private func skipped(from start: Int, isElement: Bool) -> Int? {
        var index = start
        var isDivided = false
        while index < text.count {
            switch text[index] {
            case " ", "\t", "\r", "\n", "\\": index += 1
            case ":":
                isDivided = isDivided || hasPlainColons
                index += 1
            case "\"", "'", "=", ">":
                isDivided = true
                index += 1
            case "<":
                if isElement, index + 1 < text.count, text[index + 1] == "/" { return nil }
                guard let end = text[index...].firstIndex(of: ">") else { return nil }
                isDivided = true
                index = end + 1
            default: return isDivided ? index : nil
            }
        }
        return nil
    }

    private func read(from start: Int) -> String? {
        let before = text[start - 1]
        let end: Int
        switch before {
        case "\"", "'": end = text[start...].firstIndex { $0 == before || $0 == "\n" } ?? text.count
        case ">": end = text[start...].firstIndex(of: "<") ?? text.count
        default: end = text[start...].firstIndex(where: Self.ends.contains) ?? text.count
        }
        var value = text[start..<end]
        while let last = value.last, "\\ \r\n\t".unicodeScalars.contains(last) { value.removeLast() }
        let found = Self.string(value)
        return found.isEmpty || found.contains("${") ? nil : found
    }

    // MARK: Looks

    private static func isCredential(_ value: String, named name: String) -> Bool {
        if ["true", "false", "null"].contains(value) { return false }
        if CredentialNames.meanPassword(name) { return true }
        if value.utf8.count < shortestNumber, Double(value) != nil { return false }
        let name = vague.reduce(name.lowercased()) { $0.replacing($1, with: "") }
        if CredentialNames.contain(name) { return true }
        return value.utf8.count >= longest || value.utf8.count >= shortest && value.contains(where: \.isNumber)
    }

    private static func isInName(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "_" || scalar == "-"
    }

    private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }
}
