// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore

extension Compilation {
    private static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "MKCOL"]

    /// What a request takes from the service that it belongs to.
    struct RequestDefaults {
        /// Used where the request has no `url`.
        var url: Node?
        /// Headers of every request.
        var headers: Node?
        /// How the service is convinced.
        var authorization = Authorization.none
        /// `nil` = POST with a body, DELETE without one.
        var method: String?
        /// Where no body is described, the picture goes as field `file` of a form.
        var sendsFile = false
        /// For messages.
        var name = "the service"
    }

    /// Compiles the request keys of a service, a step or a deletion.
    func request(_ node: Node, _ defaults: RequestDefaults) -> RequestProgram? {
        let own = node["url"].flatMap { $0.isNull ? nil : $0 }
        guard let urlNode = own ?? defaults.url, !urlNode.isNull else { return nil }
        // After a mistake in the URL, which keeps the service from being used, the rest is read for its mistakes.
        let address = address(urlNode)
        let url = address ?? Choice(list: [])
        var request = RequestProgram(method: "POST", url: url, base: base)
        secretly {
            request.query = choices(node["query"], in: "query")
            request.headers = headers(node["headers"], defaults.headers)
            request.body = body(node, sendsFile: defaults.sendsFile)
            if let auth = node["auth"], !auth.isNull {
                request.authorization = authorization(auth, isOwn: true)
                request.hasOwnAuthorization = true
            } else {
                request.authorization = defaults.authorization
            }
        }
        request.method = method(node["method"], defaults.method, request.body)
        request.allowed = hosts(node["allow_hosts"])
        request.declared = declared
        let found = diagnostics.count
        let destinations = destinations(of: url, urlNode)
        if diagnostics.count == found { checkEncoding(of: url, urlNode) }
        request.hasCapturedHost = destinations.contains(where: \.isCaptured)
        request.hasSessionHost = request.hasCapturedHost && destinations.allSatisfy(\.isSession)
        if address != nil { checkReach(of: request, destinations, urlNode, node, defaults.name) }
        checkHeaderNames(node["headers"])
        if let word = word(node["redirects"], among: ["refuse", "same_origin"], "redirects") {
            request.redirects = word == "same_origin" ? .sameOrigin : .refuse
        }
        return request
    }

    private func headers(_ own: Node?, _ inherited: Node?) -> [Named] {
        let named = choices(own, in: "headers")
        let names = Set((own?.entries ?? []).map { $0.key.lowercased() })
        return choices(inherited, in: "headers").filter { !names.contains($0.name.lowercased()) } + named
    }

    private func method(_ node: Node?, _ fallback: String?, _ body: BodyProgram) -> String {
        var standard = fallback ?? "POST"
        if fallback == nil, case .none = body { standard = "DELETE" }
        guard let node, !node.isNull, let text = text(node)?.uppercased() else { return standard }
        if Self.methods.contains(text) { return text }
        error(node, "method is one of \(Self.methods.joined(separator: ", "))")
        return standard
    }

    /// Credentials must not go where nobody declared that they may; nobody shall wonder at delivery why they did not.
    private func checkReach(
        of request: RequestProgram,
        _ destinations: [Destination],
        _ url: Node,
        _ node: Node,
        _ name: String
    ) {
        if let allowed = node["allow_hosts"], !allowed.isNull, !request.hasCapturedHost {
            error(allowed, "allow_hosts is for a URL out of a reply; this one is written out")
        }
        if request.hasCapturedHost, (request.allowed + request.declared).isEmpty, unset.isEmpty, !isDraft {
            error(url, "a URL out of a reply needs 'allow_hosts'")
        }
        if case .none = request.authorization { return }
        guard !request.hasOwnAuthorization, !declared.isEmpty else { return }
        for address in destinations.compactMap(\.address) where !declared.contains(where: { $0.matches(address) }) {
            let host = address.hostHeader
            let advice = "add it to 'hosts', or say 'auth: none'"
            error(url, "\(name) goes to \(host), which its credentials are not declared for; \(advice)")
        }
    }

    private func checkHeaderNames(_ node: Node?) {
        let signs = Set("!#$%&'*+-.^_`|~")
        for entry in node?.entries ?? [] {
            let isToken =
                !entry.key.isEmpty
                && entry.key.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || signs.contains($0)) }
            if !isToken { error(at: entry.position, "'\(entry.key)' is no header name") }
        }
    }
}
