// SPDX-License-Identifier: Apache-2.0

import CCurl
public import FanlightCore

/// Outgoing HTTP over libcurl: one multi handle on one thread of its own.
///
/// Bodies stream from the spool's shared descriptor. Nothing is taken from the environment: no proxy, no netrc, no
/// cookies. Redirects are followed only where the request allows it, only 307 and 308, and only to the same origin;
/// any other redirect is returned as the reply that it is. `Content-Length` and `Transfer-Encoding` of a request are
/// written here; `User-Agent` is sent only when the request has one.
public final class CurlTransport: HTTPTransport {
    private static let maxHops = 5
    private let engine: CurlEngine

    /// Starts the transfer thread.
    ///
    /// - Parameter maxConnections: Transfers in flight; more wait their turn, first come first served.
    public init(maxConnections: Int = 256) {
        engine = CurlEngine(maxConnections: max(1, maxConnections))
        engine.start()
    }

    deinit { engine.shutdown() }

    /// Ends every transfer with the cause `stopped` and waits until the thread is gone; later requests fail at once.
    public func shutdown() { engine.shutdown() }

    /// Sends one request and waits for the whole reply.
    ///
    /// Cancelling the task ends the transfer with the cause `stopped`.
    public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPReply {
        let deadline = ContinuousClock.now + request.timeouts.total
        var hop = request
        for _ in 0...Self.maxHops {
            let reply = try await engine.perform(hop)
            guard let next = Self.redirect(of: reply, to: hop) else { return reply }
            hop.url = next
            hop.timeouts.total = deadline - ContinuousClock.now
            if hop.timeouts.total <= .zero {
                throw TransportError(.totalTimeout, message: "Redirects took too long.", requestFullySent: true)
            }
        }
        throw TransportError(
            .malformedReply,
            message: "More than \(Self.maxHops) redirects.",
            requestFullySent: true
        )
    }

    /// The URL to repeat the request at, or `nil` when the reply stands.
    private static func redirect(of reply: HTTPReply, to request: HTTPRequest) -> String? {
        guard request.redirects == .sameOrigin, reply.status == 307 || reply.status == 308,
            let location = reply.header("Location"), let old = WebURL(request.url),
            let new = WebURL(location, relativeTo: request.url), new.origin == old.origin, !new.hasUserInfo
        else { return nil }
        return new.text
    }
}
