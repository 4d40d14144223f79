// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration

/// Credentials that stand in a service's keys as they are, without `${env:…}` or a setting that is declared secret.
///
/// They are added to the service's secrets, so that a reply that repeats them does not carry them into a report.
enum WrittenCredentials {
    /// Shorter words of a value, such as `Bearer`, are not taken for a credential on their own.
    private static let shortest = 8

    /// The values found in one service.
    static func of(_ service: Node) -> [String] {
        var found: [String] = []
        for entry in service["auth"]?.entries ?? [] where !["type", "name", "username"].contains(entry.key) {
            found += values(entry.value)
        }
        for section in ["headers", "fields", "query"] {
            for entry in service[section]?.entries ?? [] where isTelling(entry.key) { found += values(entry.value) }
        }
        return found + inAddress(service["url"]?.text ?? "")
    }

    /// Values of telling parameters in a URL's query, as they are written.
    private static func inAddress(_ url: String) -> [String] {
        guard let mark = url.firstIndex(of: "?") else { return [] }
        return url[url.index(after: mark)...].split(separator: "&").compactMap { pair in
            let halves = pair.split(separator: "=", maxSplits: 1).map(String.init)
            guard halves.count == 2, isTelling(halves[0]), !halves[1].contains("${") else { return nil }
            return halves[1]
        }
    }

    static func isTelling(_ name: String) -> Bool { CredentialNames.contain(name) }

    /// The whole value, and its long words, as `Bearer abc` is sometimes repeated without its first.
    private static func values(_ node: Node) -> [String] {
        guard let text = node.text, !text.contains("${") else { return [] }
        return [text] + text.split(separator: " ").map(String.init).filter { $0.utf8.count >= shortest && $0 != text }
    }
}
