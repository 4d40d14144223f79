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

    /// True for words that stand under telling names and are mostly no credentials, such as `auth: oauth`.
    public static func isWord(_ value: String) -> Bool { words.contains(value.lowercased()) }

    /// True for names that stand for nothing but a password.
    public static func meanPassword(_ name: String) -> Bool {
        let name = name.lowercased()
        return ["password", "passwd", "pwd"].contains { name.contains($0) }
    }

    /// True for names of accounts and places, whose values links may well hold; `user_token` and `login_pass` are none.
    static func arePublic(_ name: String) -> Bool {
        let lower = name.lowercased()
        guard !contain(name), !["pass", "hash", "session", "cookie"].contains(where: { lower.contains($0) }) else {
            return false
        }
        let words = ["user", "login", "mail", "account", "album", "folder", "bucket", "region", "project", "channel"]
        return words.contains { lower.contains($0) }
    }

    /// True for what links and other words hold by chance: words and numbers such as years.
    ///
    /// As a secret it is looked for in messages only, and only where it stands alone.
    static func isCommon(_ value: String) -> Bool { isWord(value) || isSmallNumber(value) }

    private static func isSmallNumber(_ value: String) -> Bool {
        value.utf8.count < 6 && value.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
