// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// One thing that goes wrong at a host, with the outcome that every service must make of it.
struct Fault: Sendable, CustomStringConvertible {
    /// What comes back.
    enum Answer: Sendable {
        case error(TransportError.Cause, sent: Bool)
        case reply(Int, [HTTPField] = [], body: String = "", sent: Bool = true)
    }

    let description: String
    let answer: Answer
    /// The kind, unless the entry has another word for the status.
    let kind: ErrorKind
    /// What may follow where a repeated request would do harm.
    let once: RetryClass
    /// What may follow where it does none.
    let repeatable: RetryClass
    /// True for a good reply without its end.
    var isTruncation = false

    init(_ description: String, _ answer: Answer, _ kind: ErrorKind, _ once: RetryClass, _ repeatable: RetryClass) {
        self.description = description
        self.answer = answer
        self.kind = kind
        self.once = once
        self.repeatable = repeatable
    }

    /// Status of the reply; `nil` where none came.
    var status: Int? {
        if case .reply(let status, _, _, _) = answer { return status }
        return nil
    }

    /// The answer to a request.
    func reply(to request: HTTPRequest) -> Result<HTTPReply, TransportError> {
        switch answer {
        case .error(let cause, let sent):
            return .failure(TransportError(cause, message: "\(cause)", requestFullySent: sent))
        case .reply(let status, let headers, let body, let sent):
            let fields = headers.map { $0.value == "SAME" ? HTTPField($0.name, request.url) : $0 }
            return .success(
                HTTPReply(
                    status: status,
                    headers: fields,
                    body: Array(body.utf8),
                    finalURL: request.url,
                    requestFullySent: sent
                )
            )
        }
    }

    private static let page = "<html><head><title>Oh no</title></head><body><h1>Something broke</h1></body></html>"
    private static let elsewhere = [HTTPField("Location", "https://elsewhere.example/login?next=up")]

    /// Nothing came back, or not all of it.
    static let silent: [Fault] = [
        Fault("refused", .error(.refused, sent: false), .network, .retry, .retry),
        Fault("no such name", .error(.dns, sent: false), .network, .retry, .retry),
        Fault("TLS", .error(.tls, sent: false), .network, .retry, .retry),
        Fault("timeout while connecting", .error(.connectTimeout, sent: false), .timeout, .retry, .retry),
        Fault("stall while sending", .error(.stallTimeout, sent: false), .timeout, .retry, .retry),
        Fault("total time over while sending", .error(.totalTimeout, sent: false), .timeout, .retry, .retry),
        Fault("connection lost while sending", .error(.connectionLost, sent: false), .network, .retry, .retry),
        Fault("stall before the reply", .error(.stallTimeout, sent: true), .timeout, .unknownOutcome, .retry),
        Fault("total time over before the reply", .error(.totalTimeout, sent: true), .timeout, .unknownOutcome, .retry),
        Fault("truncated reply", .error(.connectionLost, sent: true), .network, .unknownOutcome, .retry),
        Fault("reply that is no HTTP", .error(.malformedReply, sent: true), .badReply, .unknownOutcome, .retry),
        Fault("reply without end", .error(.replyTooLarge, sent: true), .badReply, .unknownOutcome, .never),
    ]

    /// A reply with the status of a failure.
    static let refusing: [Fault] = [
        Fault("401", .reply(401), .auth, .never, .never),
        Fault("403", .reply(403), .auth, .never, .never),
        Fault("413", .reply(413), .tooLarge, .never, .never),
        Fault("415", .reply(415), .badFormat, .never, .never),
        Fault("401 before the whole picture had left", .reply(401, sent: false), .auth, .never, .never),
        Fault("413 before the whole picture had left", .reply(413, sent: false), .tooLarge, .never, .never),
        Fault("429", .reply(429), .rateLimited, .retry, .retry),
        Fault(
            "429 with Retry-After",
            .reply(429, [HTTPField("Retry-After", "120")]),
            .rateLimited,
            .retryAfter(.seconds(120)),
            .retryAfter(.seconds(120))
        ),
        Fault("503", .reply(503, body: page), .unavailable, .retry, .retry),
        Fault(
            "503 with Retry-After",
            .reply(503, [HTTPField("Retry-After", "7")], body: page),
            .unavailable,
            .retryAfter(.seconds(7)),
            .retryAfter(.seconds(7))
        ),
        Fault("500", .reply(500, body: page), .unavailable, .never, .retry),
        Fault("502 with a page", .reply(502, body: page), .unavailable, .unknownOutcome, .retry),
        Fault("504 with a page", .reply(504, body: page), .unavailable, .unknownOutcome, .retry),
        Fault("520", .reply(520), .unavailable, .unknownOutcome, .retry),
        Fault("524", .reply(524), .unavailable, .unknownOutcome, .retry),
        Fault("500 before the whole picture had left", .reply(500, sent: false), .unavailable, .retry, .retry),
        Fault("502 before the whole picture had left", .reply(502, sent: false), .unavailable, .retry, .retry),
    ]

    /// A reply that sends the request elsewhere.
    static let redirecting: [Fault] = [
        Fault("redirect loop", .reply(302, [HTTPField("Location", "SAME")]), .redirect, .never, .never),
        Fault("redirect loop, 307", .reply(307, [HTTPField("Location", "SAME")]), .redirect, .never, .never),
        Fault("another host", .reply(302, elsewhere), .redirect, .never, .never),
        Fault("another host, 308", .reply(308, elsewhere), .redirect, .never, .never),
    ]

    /// A reply with the status of a success that is none.
    static let hollow: [Fault] = [
        Fault("empty reply", .reply(200), .badReply, .never, .never),
        Fault(
            "page in place of the reply",
            .reply(200, [HTTPField("Content-Type", "text/html")], body: page),
            .badReply,
            .never,
            .never
        ),
        Fault(
            "picture in place of the reply",
            .reply(200, [HTTPField("Content-Type", "image/png")], body: "\u{89}PNG\r\n\u{1A}\n\0\0\0\rIHDR\0\0"),
            .badReply,
            .never,
            .never
        ),
        Fault("empty object", .reply(200, body: "{}"), .badReply, .never, .never),
        Fault("null", .reply(200, body: "null"), .badReply, .never, .never),
        Fault("empty document", .reply(200, body: "<rsp/>"), .badReply, .never, .never),
    ]
}
