// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// One request with templates in it.
struct RequestProgram: Sendable {
    var method: String
    var url: Choice
    /// What a URL that begins with a slash is laid onto.
    var base: Choice?
    var query: [Named] = []
    var headers: [Named] = []
    var authorization = Authorization.none
    /// True where the credentials were written beside the request, so that they go wherever it goes.
    var hasOwnAuthorization = false
    var body = BodyProgram.none
    var redirects = HTTPRequest.RedirectPolicy.refuse
    /// Hosts that the service's credentials may go to.
    var declared: [HostPattern] = []
    /// Further hosts that a URL out of a reply may have.
    var allowed: [HostPattern] = []
    /// True where the host comes out of a reply.
    var hasCapturedHost = false
    /// True where the host comes out of the login's reply, which declares it.
    var hasSessionHost = false

    /// Bytes of a URL; most servers take eight thousand.
    private static let longestURL = 16_384

    /// Every variable that the request names.
    var variables: [Variable] {
        url.variables + (base?.variables ?? []) + (query + headers).flatMap(\.value.variables) + body.variables
            + authorization.variables
    }

    /// The request for one moment of a delivery.
    ///
    /// - Parameter cookies: Those of the session; each goes to its own host.
    /// - Throws: A failure of kind `rejected` when the URL is not complete or not allowed, or a required value is absent.
    func request(
        in scope: Scope,
        timeouts: Timeouts,
        cookies: [SessionCookie] = []
    ) throws(DeliveryFailure) -> HTTPRequest {
        let (url, address) = try target(in: scope)
        var draft = RequestDraft(method: method, url: url)
        draft.query = try Named.rendered(query, scope)
        draft.headers = try Named.rendered(headers, scope).map { HTTPField($0.name, Self.headerText($0.value)) }
        let isTrusted =
            !hasCapturedHost || hasOwnAuthorization || hasSessionHost
            || address.map { address in declared.contains { $0.matches(address) } } ?? true
        if isTrusted { try authorization.addHeader(to: &draft, in: scope) }
        try body.fill(&draft, in: scope)
        if isTrusted { try authorization.addFields(to: &draft, in: scope) }
        if let address, isTrusted { Self.add(cookies, to: &draft, for: address) }
        if case .form = draft.body { draft.setType("application/x-www-form-urlencoded") }
        var request = HTTPRequest(
            method: method,
            url: draft.fullURL,
            headers: draft.headers,
            body: draft.content,
            timeouts: timeouts,
            redirects: redirects
        )
        if isTrusted { try authorization.sign(&request, in: scope) }
        return request
    }

    /// The URL without the parameters of `query`, with its pieces.
    private func target(in scope: Scope) throws(DeliveryFailure) -> (String, WebAddress?) {
        var text = try url.text(in: scope) ?? ""
        if text.hasPrefix("/"), !text.hasPrefix("//"), let base = try base?.text(in: scope) {
            text = (base.hasSuffix("/") ? String(base.dropLast()) : base) + text
        }
        if scope.showsPlaceholders, text.contains("${") { return (text, nil) }
        guard text.utf8.count <= Self.longestURL, let address = WebAddress(text),
            !text.contains(where: \.isWhitespace)
        else {
            throw incomplete(in: scope)
        }
        try checkSteps(of: address, in: scope)
        guard hasCapturedHost else { return (text, address) }
        guard (allowed + declared).contains(where: { $0.matches(address) }) else {
            let message =
                "\(scope.service) named a URL at \(TextUnit.characters.truncate(address.host, to: 100)), "
                + "which the adapter does not allow"
            throw DeliveryFailure(kind: .badReply, message: message)
        }
        return (text, address)
    }

    /// Who is to blame for a URL with a gap: the reply that lacked a value, else the configuration.
    private func incomplete(in scope: Scope) -> DeliveryFailure {
        let told = url.variables.filter { variable in
            switch variable {
            case .capture, .session: true
            default: false
            }
        }
        guard let first = told.first else {
            let given = url.variables.first(where: \.isClients).map { "; '\($0.name)' may not fit into it" } ?? ""
            return DeliveryFailure(kind: .rejected, message: "the URL of \(scope.service) is not complete" + given)
        }
        let missing = told.first { scope.value(of: $0) == nil }
        let message =
            missing.map { "\(scope.service) did not tell '\($0.name)', which the next URL needs" }
            ?? "what \(scope.service) told as '\(first.name)' makes no URL"
        return DeliveryFailure(kind: .badReply, message: message)
    }

    private static func add(_ cookies: [SessionCookie], to draft: inout RequestDraft, for address: WebAddress) {
        let pairs = cookies.filter { $0.host == address.host }.map { $0.name + "=" + $0.value }
        if !pairs.isEmpty { draft.headers.append(HTTPField("Cookie", headerText(pairs.joined(separator: "; ")))) }
    }

    /// A header value on one line: every control character becomes a blank.
    static func headerText(_ text: String) -> String {
        var out = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { out.append(scalar.value < 0x20 || scalar.value == 0x7F ? " " : scalar) }
        return String(out)
    }
}
