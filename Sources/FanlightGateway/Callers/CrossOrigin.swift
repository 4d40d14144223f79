// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Which web pages may use the gateway (the Fetch standard's CORS protocol).
///
/// Clients show who they are by a key that the page itself sends, never by cookies: browsers are not told to send those.
struct CrossOrigin: Sendable {
    /// Origins in lower case; `*` = all.
    var origins: [String]

    private static let methods = "GET, HEAD, POST, DELETE"
    private static let requestHeaders =
        "Authorization, Content-Type, Accept, Prefer, Idempotency-Key, Last-Event-ID, X-Request-Id, traceparent, tracestate"
    private static let exposedHeaders =
        "Location, Retry-After, X-Request-Id, Preference-Applied, Idempotency-Replayed, Server-Timing"

    /// Headers of every answer; none where no page may.
    func fields(for head: RequestHead) -> [HTTPField] {
        guard !origins.isEmpty else { return [] }
        guard let origin = allowed(head) else { return [HTTPField("Vary", "Origin")] }
        return [
            HTTPField("Vary", "Origin"), HTTPField("Access-Control-Allow-Origin", origin),
            HTTPField("Access-Control-Expose-Headers", Self.exposedHeaders),
        ]
    }

    /// The answer to a browser that asks before it sends; `nil` for every other request.
    func preflight(_ head: RequestHead) -> HTTPAnswer? {
        guard head.method == "OPTIONS", head.header("Access-Control-Request-Method") != nil, allowed(head) != nil else {
            return nil
        }
        return HTTPAnswer(
            status: 204,
            headers: [
                HTTPField("Access-Control-Allow-Methods", Self.methods),
                HTTPField("Access-Control-Allow-Headers", Self.requestHeaders),
                HTTPField("Access-Control-Max-Age", "7200"),
            ]
        )
    }

    private func allowed(_ head: RequestHead) -> String? {
        guard let origin = head.header("Origin") else { return nil }
        if origins.contains(origin.lowercased()) { return origin }
        return origins.contains("*") ? "*" : nil
    }
}
