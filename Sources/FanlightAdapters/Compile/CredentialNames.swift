// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Words that tell a name whose value is a credential.
public enum CredentialNames {
    private static let telling = ["auth", "key", "token", "secret", "password", "passwd", "pwd"]

    /// True when one of the words is in the name, in any case; keywords and authors are none.
    public static func contain(_ name: String) -> Bool {
        var name = Words.replacing("keyword", with: "", in: name.lowercased())
        if !name.contains("authori") { name = Words.replacing("author", with: "", in: name) }
        return telling.contains { name.contains($0) }
    }

    private static let words: Set = [
        "true", "false", "yes", "no", "on", "off", "null", "none", "oauth", "oauth1", "oauth2", "bearer", "basic",
        "digest",
        "token", "public", "private", "hidden", "anonymous", "default",
    ]

    /// True for words that stand under telling names and are no credentials, such as `auth: oauth`: links may hold them.
    public static func isWord(_ value: String) -> Bool { words.contains(value.lowercased()) }

    /// True for numbers that links hold by chance, such as years.
    static func isSmallNumber(_ value: String) -> Bool {
        value.utf8.count < 6 && value.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
