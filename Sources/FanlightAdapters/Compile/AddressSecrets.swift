// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// What is secret in a value from outside that stands in a URL.
///
/// An address is public and private in parts: nobody is helped by a host that is masked in every message, and a link may
/// well lead into a folder that pictures are uploaded to. Where the value stands decides, and what it looks like.
struct AddressSecrets {
    /// Neither messages nor links may hold these.
    private(set) var everywhere: [String] = []
    /// Messages may not hold these; links may.
    private(set) var inMessages: [String] = []
    /// The same, where they stand alone.
    private(set) var alone: [String] = []

    /// Shortest step of a path that is masked on its own; shorter ones are words of every second message.
    private static let shortestStep = 8
    /// Words in small letters of this length and more are taken for a credential.
    private static let longestWord = 16

    /// Takes a value apart.
    ///
    /// - Parameters:
    ///   - value: The value of `${env:…}` or `${file:…}`.
    ///   - prefix: What stands before it in the URL, as it is written.
    ///   - isFile: True for the content of a file, which holds nothing but a secret.
    init(_ value: String, after prefix: String, isFile: Bool) {
        let before = Self.withoutReferences(prefix)
        if let mark = before.lastIndex(of: "?") {
            let pair = before[before.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false).last
            let name = pair?.split(separator: "=", omittingEmptySubsequences: false).first ?? ""
            if !CredentialNames.arePublic(String(name)) {
                add(value, isSecret: true)
            } else if isFile {
                addInMessages(value)
            }
        } else if Self.hasHost(before, isAfterReference: before != prefix) {
            if isFile || Self.isCredential(value) { everywhere.append(value) }
            inMessages.append(value)
            address(value, isFile)
        } else {
            let rest = Self.withoutHost(value, isHost: !before.isEmpty)
            guard !rest.isEmpty, rest != "/" else { return }
            inMessages.append(value)
            if rest.utf8.count >= Self.shortestStep { inMessages.append(rest) }
            address(rest, isFile)
        }
    }

    /// Path and query.
    private mutating func address(_ text: String, _ isFile: Bool) {
        let halves = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        for step in (halves.first ?? "").split(separator: "/").map(String.init)
        where step.utf8.count >= Self.shortestStep {
            add(step, isSecret: Self.isCredential(step))
        }
        guard halves.count == 2 else { return }
        for pair in halves[1].split(whereSeparator: { $0 == "&" || $0 == "#" }) {
            let pieces = pair.split(separator: "=", maxSplits: 1).map(String.init)
            if pieces.count == 2 { parameter(pieces[0], pieces[1], isFile) }
        }
    }

    private mutating func parameter(_ name: String, _ value: String, _ isFile: Bool) {
        guard !CredentialNames.arePublic(name) else {
            if isFile { addInMessages(value) }
            return
        }
        if CredentialNames.contain(name) || Self.isCredential(value) {
            add(value, isSecret: true)
        } else if value.utf8.count >= Self.shortestStep {
            add(value, isSecret: false)
        } else if isFile {
            addInMessages(value)
        }
    }

    /// Short ones only where they stand alone.
    private mutating func addInMessages(_ value: String) {
        if value.utf8.count >= Self.shortestStep { add(value, isSecret: false) } else { alone.append(value) }
    }

    private mutating func add(_ text: String, isSecret: Bool) {
        let decoded = TextCoding.percentDecoded(text)
        let forms = decoded == text ? [text] : [text, decoded]
        if isSecret { everywhere += forms } else { inMessages += forms }
    }

    /// False for short ones and for words, such as `wp-content`.
    private static func isCredential(_ text: String) -> Bool {
        guard text.utf8.count >= shortestStep else { return false }
        let isWord = text.utf8.allSatisfy { $0 >= 97 && $0 <= 122 || $0 == 45 || $0 == 46 || $0 == 95 || $0 == 47 }
        return !isWord || text.utf8.count >= longestWord
    }

    // MARK: Places

    /// True where the host has ended before the value.
    private static func hasHost(_ before: String, isAfterReference: Bool) -> Bool {
        guard let start = before.firstRange(of: "://") else {
            return before.contains("/") || isAfterReference
        }
        return before[start.upperBound...].contains("/")
    }

    /// From the slash or question mark behind the host on.
    private static func withoutHost(_ value: String, isHost: Bool) -> String {
        var rest = Substring(value)
        if let length = LinkRules.prefixLength(of: value) {
            rest = rest.dropFirst(length)
        } else if !isHost {
            return value.contains("/") || value.contains("?") ? value : ""
        }
        return String(rest.drop { $0 != "/" && $0 != "?" })
    }

    /// The text without its `${…}`, which may hold slashes and question marks.
    private static func withoutReferences(_ text: String) -> String {
        var out = ""
        var rest = Substring(text)
        while let open = rest.firstRange(of: "${") {
            out += rest[..<open.lowerBound]
            rest = rest[open.upperBound...].drop { $0 != "}" }.dropFirst()
        }
        return out + rest
    }
}
