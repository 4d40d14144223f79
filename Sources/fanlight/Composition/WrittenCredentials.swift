// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration

/// Credentials that stand in a service's keys as they are, without `${env:…}` or a setting that is declared secret.
///
/// They are added to the service's secrets, so that a reply that repeats them does not carry them into a report.
enum WrittenCredentials {
    /// Shorter words of a value, such as `Bearer`, are not taken for a credential on their own.
    private static let shortest = 8
    /// Shorter values are credentials only in places that hold nothing else.
    private static let shortestVague = 4
    /// What fields such as `has_password` hold.
    private static let switches: Set = ["true", "false", "null", "none", "yes", "no", "on", "off", "0", "1"]
    /// Shorter plain numbers of a JSON body are amounts, such as `max_tokens: 1000`.
    private static let shortestNumber = 6

    /// The values found in the requests of one service, or of an adapter.
    static func of(_ service: Node) -> [String] { requests(of: service).flatMap(inRequest) }

    /// True when credentials stand in a URL: a user with a password, or a telling parameter.
    static func standIn(address node: Node) -> Bool {
        guard let url = node.text else { return false }
        let authority =
            url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).dropFirst(2).first ?? ""
        let user = authority.split(separator: "@", omittingEmptySubsequences: false).dropLast().joined(separator: "@")
        return user.contains(":") && !user.contains("${") || tellingPairs(url).contains { !$0.value.isEmpty }
    }

    static func isTelling(_ name: String) -> Bool { CredentialNames.contain(name) }

    /// False for what stands under telling names without being secret, such as `auth: oauth`, and for references.
    ///
    /// - Parameter isCertain: True in places that hold nothing but credentials; every value counts there, as it does under
    ///   the name of a password.
    static func isCredential(_ text: String, named name: String, isCertain: Bool = false) -> Bool {
        guard !text.isEmpty, !text.contains("${") else { return false }
        if isCertain || CredentialNames.meanPassword(name) && !switches.contains(text.lowercased()) { return true }
        return text.utf8.count >= shortestVague && !CredentialNames.isWord(text)
    }

    /// The nodes that describe a request each; the service itself is one.
    private static func requests(of service: Node) -> [Node] {
        let steps = service["steps"]?.items ?? []
        let nodes = [service] + steps + [service["delete"], service["discover"]].compactMap { $0 }
        let logins = nodes.compactMap { $0["auth"]?["login"] }
        return nodes + logins.flatMap { $0.items.isEmpty ? [$0] : $0.items }
    }

    private static func inRequest(_ request: Node) -> [String] {
        var found = inAuthorization(request["auth"])
        for section in ["headers", "fields", "query", "form"] {
            for entry in request[section]?.entries ?? [] {
                found += isTelling(entry.key) ? values(entry.value, named: entry.key) : inText(entry.value)
                if section == "headers", entry.key.lowercased() == "cookie" {
                    found += inCookies(entry.value.text ?? "")
                }
            }
        }
        for piece in request["raw"]?.items ?? [] {
            if let text = piece["text"] { found += inText(text, hasPlainColons: true) }
        }
        for part in (request["parts"]?.items ?? []) + (request["related"]?.items ?? []) {
            let name = part["name"]?.text ?? ""
            let isNamed = isTelling(name)
            if let text = part["text"] { found += isNamed ? values(text, named: name) : inText(text) }
            found += inTree(part["json"], isTold: isNamed)
        }
        found += inTree(request["json"], isTold: false)
        return found + ["url", "base"].flatMap { inAddress(request[$0]?.text ?? "") }
    }

    private static func inAuthorization(_ auth: Node?) -> [String] {
        let entries = (auth?.entries ?? []).filter { !["client_auth", "token_url"].contains($0.key) }
        let found = entries.filter { isTelling($0.key) || ["value", "client_id", "extra"].contains($0.key) }
        return found.flatMap { entry in
            switch entry.key {
            case "extra": inTree(entry.value, isTold: false)
            case "client_id": values(entry.value)
            default: values(entry.value, isCertain: true)
            }
        } + inAddress(auth?["token_url"]?.text ?? "")
    }

    /// Values of a JSON body under a telling name, at any depth.
    private static func inTree(_ node: Node?, isTold: Bool, named name: String = "") -> [String] {
        guard let node else { return [] }
        switch node.content {
        case .sequence(let items): return items.flatMap { inTree($0, isTold: isTold, named: name) }
        case .mapping(let entries):
            if node["when"] != nil, let value = node["value"] { return inTree(value, isTold: isTold, named: name) }
            return entries.flatMap { entry in
                inTree(entry.value, isTold: isTelling(entry.key) || isTold && !isPublic(entry.key), named: entry.key)
            }
        case .scalar(let text, let isPlain):
            let isWord = ["true", "false", "null"].contains(text)
            let isShort = Double(text) != nil && text.utf8.count < shortestNumber
            let isAmount = isShort && !CredentialNames.meanPassword(name)
            if !isTold { return inText(node) }
            return isPlain && (isWord || isAmount) ? [] : values(node, named: name)
        }
    }

    /// Names that stand beside credentials, as in `auth: {user: …, pass: …}`.
    private static func isPublic(_ name: String) -> Bool {
        let name = name.lowercased()
        return ["user", "login", "mail", "account", "type", "name", "scope"].contains { name.contains($0) }
    }

    /// Values of telling parameters in a URL's query, as they are written.
    private static func inAddress(_ url: String) -> [String] {
        tellingPairs(url).filter { isCredential($0.value, named: $0.name) }.map(\.value)
    }

    /// Telling parameters of a URL's query that refer to nothing.
    private static func tellingPairs(_ url: String) -> [(name: String, value: String)] {
        guard let mark = url.firstIndex(of: "?") else { return [] }
        return url[url.index(after: mark)...].split(separator: "&").compactMap { pair in
            let halves = pair.split(separator: "=", maxSplits: 1).map(String.init)
            guard halves.count == 2, isTelling(halves[0]), !halves[1].contains("${") else { return nil }
            return (halves[0], halves[1])
        }
    }

    /// Cookies of a service are sessions; short ones are choices, such as a language.
    private static func inCookies(_ text: String) -> [String] {
        text.split(separator: ";").compactMap { cookie in
            let value = cookie.split(separator: "=", maxSplits: 1).dropFirst().first.map(String.init)
            return value.flatMap { $0.utf8.count >= shortest && !$0.contains("${") ? $0 : nil }
        }
    }

    /// What the text of a value, or of each of its alternatives, holds under telling names of its own.
    private static func inText(_ node: Node, hasPlainColons: Bool = false) -> [String] {
        if !node.items.isEmpty {
            return node.items.compactMap { $0["value"] }.flatMap { inText($0, hasPlainColons: hasPlainColons) }
        }
        let found = CredentialText.values(in: node.text ?? "", hasPlainColons: hasPlainColons)
        return found.flatMap { values(Node(.scalar($0.value, isPlain: false), at: node.position), named: $0.name) }
    }

    /// The whole value, and its long words, as `Bearer abc` is sometimes repeated without its first; of alternatives
    /// those of each.
    private static func values(_ node: Node, named name: String = "", isCertain: Bool = false) -> [String] {
        if !node.items.isEmpty {
            return node.items.compactMap { $0["value"] }.flatMap { values($0, named: name, isCertain: isCertain) }
        }
        guard !node.isNull, let text = node.text, isCredential(text, named: name, isCertain: isCertain) else {
            return []
        }
        return [text] + text.split(separator: " ").map(String.init).filter { $0.utf8.count >= shortest && $0 != text }
    }
}
