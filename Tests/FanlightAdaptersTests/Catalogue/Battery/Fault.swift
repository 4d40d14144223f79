// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// One way in which an exchange goes wrong, with what must become of the delivery.
struct Fault: Sendable {
    /// What a failure must be, for a request that may or may not be repeated.
    struct Expectation: Sendable {
        var kinds: [ErrorKind]
        /// Retry class of a request that may not be repeated, and of one that may.
        var retry: RetryClass
        var repeatable: RetryClass
    }

    var name: String
    /// `nil` where the delivery may end in any way that holds no hostile link.
    var expected: Expectation?
    /// Status that an entry may give a kind of its own.
    var status: Int?
    /// True where the fault changes the entry's own reply, which must have a body of that kind.
    var needsBody = false
    /// True where the fault is in the body of a success.
    var changesBody = false
    let make: @Sendable (HTTPReply, HTTPRequest) -> Result<HTTPReply, TransportError>

    /// The answer to a request.
    func answer(own: HTTPReply, _ request: HTTPRequest) -> Result<HTTPReply, TransportError> { make(own, request) }

    /// Every fault.
    static let all: [Fault] = broken + refusing + lying

    private static func transport(
        _ cause: TransportError.Cause,
        sent: Bool,
        _ kind: ErrorKind,
        _ retry: RetryClass,
        _ repeatable: RetryClass
    ) -> Fault {
        Fault(
            name: "\(cause.rawValue), \(sent ? "after" : "before") the request had left",
            expected: Expectation(kinds: [kind], retry: retry, repeatable: repeatable)
        ) { _, _ in .failure(TransportError(cause, message: "no reply", requestFullySent: sent)) }
    }

    /// No complete reply came.
    private static let broken: [Fault] = [
        transport(.dns, sent: false, .network, .retry, .retry),
        transport(.refused, sent: false, .network, .retry, .retry),
        transport(.tls, sent: false, .network, .retry, .retry),
        transport(.connectTimeout, sent: false, .timeout, .retry, .retry),
        transport(.stallTimeout, sent: false, .timeout, .retry, .retry),
        transport(.stallTimeout, sent: true, .timeout, .unknownOutcome, .retry),
        transport(.totalTimeout, sent: false, .timeout, .retry, .retry),
        transport(.totalTimeout, sent: true, .timeout, .unknownOutcome, .retry),
        transport(.connectionLost, sent: false, .network, .retry, .retry),
        transport(.connectionLost, sent: true, .network, .unknownOutcome, .retry),
        transport(.malformedReply, sent: true, .badReply, .unknownOutcome, .retry),
        transport(.replyTooLarge, sent: true, .badReply, .unknownOutcome, .never),
    ]

    private static func refusal(
        _ status: Int,
        _ kind: ErrorKind,
        _ retry: RetryClass = .never,
        _ repeatable: RetryClass = .never,
        headers: [HTTPField] = []
    ) -> Fault {
        let words = "<html><head><title>\(status)</title></head><body><h1>Refused</h1></body></html>"
        return Fault(
            name: "status \(status)",
            expected: Expectation(kinds: [kind], retry: retry, repeatable: repeatable),
            status: status
        ) { _, request in
            .success(HTTPReply(status: status, headers: headers, body: Array(words.utf8), finalURL: request.url))
        }
    }

    /// A status that says no, with a page of a server in front.
    private static let refusing: [Fault] = [
        refusal(401, .auth), refusal(403, .auth), refusal(413, .tooLarge), refusal(415, .badFormat),
        refusal(
            429,
            .rateLimited,
            .retryAfter(.seconds(30)),
            .retryAfter(.seconds(30)),
            headers: [
                HTTPField("Retry-After", "30")
            ]
        ),
        refusal(500, .unavailable, .never, .retry),
        refusal(502, .unavailable, .unknownOutcome, .retry),
        refusal(
            503,
            .unavailable,
            .retryAfter(.seconds(7)),
            .retryAfter(.seconds(7)),
            headers: [
                HTTPField("Retry-After", "7")
            ]
        ),
        refusal(504, .unavailable, .unknownOutcome, .retry),
        redirect(302, "within the host") { $0.url },
        redirect(307, "to another host") { _ in "https://elsewhere.example.net/upload" },
    ]

    private static func redirect(_ status: Int, _ name: String, to: @escaping @Sendable (HTTPRequest) -> String)
        -> Fault
    {
        Fault(
            name: "redirected \(name)",
            expected: Expectation(kinds: [.redirect], retry: .never, repeatable: .never)
        ) { _, request in
            let place = HTTPField("Location", to(request))
            return .success(HTTPReply(status: status, headers: [place], body: [], finalURL: request.url))
        }
    }

    private static func changed(
        _ name: String,
        _ kinds: [ErrorKind]?,
        needsBody: Bool = false,
        _ change: @escaping @Sendable (String) -> String
    ) -> Fault {
        Fault(
            name: name,
            expected: kinds.map { Expectation(kinds: $0, retry: .never, repeatable: .never) },
            needsBody: needsBody,
            changesBody: true
        ) { own, request in
            var reply = own
            reply.status = (200..<300).contains(own.status) ? own.status : 200
            reply.headers = own.headers.filter { !needsBody || $0.name.lowercased() == "content-type" }
            if !needsBody { reply.headers = [] }
            reply.body = Array(change(String(decoding: own.body, as: UTF8.self)).utf8)
            reply.finalURL = request.url
            return .success(reply)
        }
    }

    /// - Parameter first: True where one of several links is enough, which saves time.
    private static func hostile(_ name: String, _ link: String, first: Bool = false) -> Fault {
        Fault(name: "a link with \(name)") { own, request in
            var reply = own
            let text = String(decoding: own.body, as: UTF8.self)
            let address = #/https?:(\\?/){2}[^"'<>\s]+/#
            reply.body = Array(text.replacing(address, with: link, maxReplacements: first ? 1 : .max).utf8)
            reply.headers = own.headers.map { field in
                HTTPField(field.name, field.value.hasPrefix("http") ? link : field.value)
            }
            reply.finalURL = request.url
            return .success(reply)
        }
    }

    /// A status of success that is none.
    private static let lying: [Fault] = [
        changed("an empty body", [.badReply, .rejected]) { _ in "" },
        changed("a truncated body", [.badReply, .rejected], needsBody: true) { String($0.prefix($0.count / 2)) },
        changed("a page", [.badReply]) { _ in "<html><head><title>Hello</title></head><body>It works!</body></html>" },
        changed("a failure in words", [.badReply, .rejected]) { _ in "Upload failed" },
        changed("a failure in JSON", [.badReply, .rejected, .unavailable]) { _ in
            #"{"success": false, "ok": false, "stat": "fail", "status": "fail", "error": "no", "message": "no"}"#
        },
        changed("a failure in XML", [.badReply, .rejected]) { _ in #"<rsp stat="fail"><err msg="no"/></rsp>"# },
        hostile("a script", "javascript:alert(1)"), hostile("a file", "file:///etc/passwd"),
        hostile("credentials", "https://user:password@evil.example.net/a.jpg"),
        hostile(
            "a million characters",
            "https://evil.example.net/" + String(repeating: "a", count: 1_000_000),
            first: true
        ),
        hostile("a line break", "https://evil.example.net/a\\r\\nSet-Cookie: a"),
    ]
}
