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
}
