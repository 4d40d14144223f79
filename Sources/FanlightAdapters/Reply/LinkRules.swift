// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Which links of a service may be passed on.
///
/// URLs are taken apart by code points, as everybody after us does: a slash with a combining mark behind it is one
/// character to Swift and ends the host all the same.
enum LinkRules {
    /// The link as it is passed on: absolute http or https, a host, no credentials, no blanks, percent-encoded.
    ///
    /// - Returns: `nil` when the link is refused.
    static func accepted(_ text: String, hiding hidden: Redaction) -> String? {
        guard text.utf8.count <= 16_384 else { return nil }
        let trimmed = Words.trimmed(text)
        guard trimmed.utf8.count <= 4_096, isAbsolute(trimmed) else { return nil }
        let encoded = encode(trimmed)
        guard !hidden.finds(in: trimmed), !hidden.finds(in: encoded) else { return nil }
        return encoded
    }

    /// True for `http://host…` and `https://host…` without credentials and control characters.
    static func isAbsolute(_ text: String) -> Bool {
        guard let host = authority(of: text)?.unicodeScalars, let first = host.first, first != ":",
            !host.contains(where: { $0 == "@" || $0 == "\\" || $0.properties.isWhitespace })
        else { return false }
        return text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    }

    /// What stands between `//` and the next `/`, `?` or `#` of an http or https URL.
    static func authority(of url: String) -> String? {
        guard let skipped = prefixLength(of: url) else { return nil }
        return String(url.unicodeScalars.dropFirst(skipped).prefix { $0 != "/" && $0 != "?" && $0 != "#" })
    }

    /// Code points of `http://` or `https://` in any case; `nil` for every other beginning.
    static func prefixLength(of url: String) -> Int? {
        let lower = url.utf8.prefix(8).map { $0 >= 65 && $0 <= 90 ? $0 | 0x20 : $0 }
        return ["https://", "http://"].first { lower.starts(with: $0.utf8) }?.utf8.count
    }

    /// Percent-encodes what a URI cannot hold and leaves what is encoded already.
    private static func encode(_ text: String) -> String {
        TextCoding.percentEncoded(text, keeping: ":/?#[]@!$&'()*+,;=%")
    }
}

/// Short readable pieces of replies.
enum Excerpt {
    /// At most `limit` code points without markup, scripts, control characters and secrets.
    static func of(_ text: String, hiding hidden: Redaction, limit: Int = 200) -> String {
        // Code points, because what a person takes for one character may be a megabyte of marks.
        let bounded = String(text.unicodeScalars.prefix(20_000))
        // Before and after: a secret may look like markup, and may stand whole only where markup was between its parts.
        var cleaned = hidden.cleaned(withoutMarkup(hidden.cleaned(bounded)))
        if bounded.utf8.count < text.utf8.count {
            // What was cut may have been a secret, whose first half nobody would know for one.
            cleaned = String(cleaned.unicodeScalars.dropLast(hidden.longest))
        }
        var out = ""
        var isBlank = true
        for scalar in cleaned.unicodeScalars {
            let isSpace = scalar.properties.isWhitespace || scalar.value < 0x20 || scalar.value == 0x7F
            let category = scalar.properties.generalCategory
            if category == .format || category == .control && !isSpace { continue }
            if isSpace {
                if !isBlank { out.append(" ") }
            } else {
                out.unicodeScalars.append(scalar)
            }
            isBlank = isSpace
        }
        // The signs that were left out may have stood inside a secret.
        let line = Words.trimmed(hidden.cleaned(out))
        if line.unicodeScalars.count <= limit { return line }
        return Words.trimmed(TextUnit.characters.truncate(line, to: limit - 1)) + "…"
    }

    /// False for what no person wrote: markup, data, binary bytes, a lone URL.
    static func isProse(_ text: String) -> Bool {
        let trimmed = Words.trimmed(String(text.unicodeScalars.prefix(20_000)))
        guard !["null", "true", "false"].contains(trimmed), Double(trimmed) == nil, let first = trimmed.first,
            !"<{[".contains(first)
        else { return false }
        let isReadable = trimmed.unicodeScalars.allSatisfy { scalar in
            scalar.properties.isWhitespace || scalar.value >= 0x20 && scalar.value != 0x7F && scalar != "\u{FFFD}"
        }
        guard isReadable, !trimmed.contains(where: \.isWhitespace), let colon = trimmed.firstIndex(of: ":") else {
            return isReadable
        }
        return !trimmed[..<colon].allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    }

    private static func withoutMarkup(_ text: String) -> String {
        var out = ""
        var rest = Substring(text)
        while let open = rest.firstIndex(of: "<") {
            out += rest[..<open]
            rest = rest[open...]
            let name = rest.dropFirst().prefix { $0.isLetter || $0 == "/" || $0 == "!" || $0 == "?" }.lowercased()
            guard !name.isEmpty else {
                out.append(" ")
                rest = rest.dropFirst()
                continue
            }
            if name == "script" || name == "style" {
                let end = rest.firstRange(of: "</" + name)?.lowerBound ?? rest.endIndex
                rest = rest[end...]
            }
            out.append(" ")
            rest = rest.firstIndex(of: ">").map { rest[rest.index(after: $0)...] } ?? ""
        }
        out += rest
        let entities = [("&nbsp;", " "), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
        out = entities.reduce(out) { Words.replacing($1.0, with: $1.1, in: $0) }
        return out.unicodeScalars.reduce(into: "") { $0.unicodeScalars.append($1 == ">" || $1 == "<" ? " " : $1) }
    }
}
