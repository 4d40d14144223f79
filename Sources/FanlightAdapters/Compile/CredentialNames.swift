// SPDX-License-Identifier: Apache-2.0

/// Words that tell a name whose value is a credential.
public enum CredentialNames {
    private static let telling = ["auth", "key", "token", "secret", "password", "passwd", "pwd"]

    /// True when one of the words is in the name, in any case.
    public static func contain(_ name: String) -> Bool {
        let name = name.lowercased()
        return telling.contains { name.contains($0) }
    }
}
