// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
public import FanlightConfiguration
import FanlightCore

/// A client's key as the gateway knows it: its digest, and what its owner may do.
public struct ClientKey: Sendable {
    /// SHA-256 of the key in hexadecimal.
    let digest: String
    /// Name of the owner; `nil` = the key has none.
    let name: String?
    /// Services and routes; `nil` = all.
    let services: Set<String>?
    let rate: Rate?
    let quota: Rate?

    /// Keeps the digest of a key, never the key.
    public init(_ configuration: ClientKeyConfiguration) {
        digest = configuration.sha256 ?? Self.digest(of: configuration.key?.value ?? "")
        name = configuration.name
        services = configuration.services.map(Set.init)
        rate = configuration.rate
        quota = configuration.quota
    }

    /// What stands under `sha256` for a key.
    public static func digest(of key: String) -> String { ContentHash.sha256(of: Array(key.utf8)) }

    /// Whose uploads they are; the key cannot be told from it.
    func owner(presenting key: String) -> String {
        if let name { return "client-" + name }
        return "key-" + ContentHash.sha256(of: Array(("fanlight client " + key).utf8)).prefix(24)
    }

    /// What the usage is kept under.
    var account: String {
        name.map { "client-" + $0 } ?? "key-"
            + ContentHash.sha256(of: Array(("fanlight usage " + digest).utf8)).prefix(24)
    }

    /// The key of that text; every key is compared in full, so that the time tells nothing about them.
    static func find(_ text: String, among keys: [ClientKey]) -> ClientKey? {
        let given = digest(of: text)
        var found: ClientKey?
        for key in keys where Self.isEqual(key.digest, given) { found = found ?? key }
        return found
    }

    private static func isEqual(_ first: String, _ second: String) -> Bool {
        let (first, second) = (Array(first.utf8), Array(second.utf8))
        var difference = first.count ^ second.count
        for (one, other) in zip(first, second) { difference |= Int(one ^ other) }
        return difference == 0
    }
}
