// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Which links of a service may be passed on.
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
        guard let host = authority(of: text), !host.isEmpty, !host.contains("@"), !host.contains("\\"),
            !host.contains(where: \.isWhitespace), host.first != ":"
        else { return false }
        return text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    }

    /// What stands between `//` and the next `/`, `?` or `#` of an http or https URL.
    static func authority(of url: String) -> String? {
        let lower = url.prefix(8).lowercased()
        let skipped = lower.hasPrefix("https://") ? 8 : (lower.hasPrefix("http://") ? 7 : 0)
        guard skipped > 0 else { return nil }
        return String(url.dropFirst(skipped).prefix { $0 != "/" && $0 != "?" && $0 != "#" })
    }

    /// Percent-encodes what a URI cannot hold and leaves what is encoded already.
    private static func encode(_ text: String) -> String {
        TextCoding.percentEncoded(text, keeping: ":/?#[]@!$&'()*+,;=%")
    }
}

/// Short readable pieces of replies.
enum Excerpt {
    /// At most `limit` characters without markup, scripts, control characters and secrets.
    static func of(_ text: String, hiding hidden: Redaction, limit: Int = 200) -> String {
        let bounded = String(text.prefix(20_000))
        let cleaned = hidden.cleaned(withoutMarkup(bounded))
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
        let line = Words.trimmed(out)
        return line.count <= limit ? line : Words.trimmed(line.prefix(limit - 1)) + "…"
    }

    /// False for what no person wrote: markup, data, binary bytes, a lone URL.
    static func isProse(_ text: String) -> Bool {
        let trimmed = Words.trimmed(text.prefix(20_000))
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
        return String(out.map { $0 == ">" || $0 == "<" ? " " : $0 })
    }
}
