// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightCore
import Testing

/// A status, a header and what follows.
struct StatusRow: Sendable, CustomTestStringConvertible {
    var status: Int
    var wait: String? = nil
    var idempotent = false
    var sent = true
    var kind: ErrorKind
    var retry: RetryClass
    var testDescription: String { "\(status) \(wait ?? "") \(idempotent ? "idempotent" : "") \(sent ? "" : "early")" }
}

@Suite struct OutcomeTests {
    static let statuses: [StatusRow] = [
        .init(status: 400, kind: .rejected, retry: .never), .init(status: 401, kind: .auth, retry: .never),
        .init(status: 403, kind: .auth, retry: .never), .init(status: 404, kind: .rejected, retry: .never),
        .init(status: 413, kind: .tooLarge, retry: .never), .init(status: 415, kind: .badFormat, retry: .never),
        .init(status: 429, kind: .rateLimited, retry: .retry),
        .init(status: 429, wait: "7", kind: .rateLimited, retry: .retryAfter(.seconds(7))),
        .init(status: 429, wait: "Tue, 14 Nov 2023 22:14:20 GMT", kind: .rateLimited, retry: .retryAfter(.seconds(60))),
        .init(status: 429, wait: "Tue, 14 Nov 2000 22:14:20 GMT", kind: .rateLimited, retry: .retryAfter(.zero)),
        .init(status: 429, wait: "99999999999", kind: .rateLimited, retry: .retryAfter(.seconds(86_400))),
        .init(status: 429, wait: "-5", kind: .rateLimited, retry: .retryAfter(.zero)),
        .init(status: 429, wait: "soon", kind: .rateLimited, retry: .retry),
        .init(status: 503, wait: "2", kind: .unavailable, retry: .retryAfter(.seconds(2))),
        .init(status: 503, kind: .unavailable, retry: .retry), .init(status: 500, kind: .unavailable, retry: .never),
        .init(status: 500, idempotent: true, kind: .unavailable, retry: .retry),
        .init(status: 500, sent: false, kind: .unavailable, retry: .retry),
        .init(status: 502, kind: .unavailable, retry: .unknownOutcome),
        .init(status: 502, idempotent: true, kind: .unavailable, retry: .retry),
        .init(status: 504, kind: .unavailable, retry: .unknownOutcome),
        .init(status: 521, kind: .unavailable, retry: .unknownOutcome),
        .init(status: 525, kind: .unavailable, retry: .never), .init(status: 302, kind: .redirect, retry: .never),
    ]

    @Test(arguments: statuses)
    func aStatusHasItsKindAndRetry(_ row: StatusRow) {
        let (service, _) = Fixtures.compile("host: {url: 'https://a.example/', idempotent: \(row.idempotent)}")
        let headers = row.wait.map { [HTTPField("Retry-After", $0)] } ?? []
        let reply = Fixtures.reply("<h1>No</h1>", status: row.status, headers: headers, sent: row.sent)
        guard case .failure(let failure)? = Fixtures.outcome(service, reply) else {
            Issue.record("no failure")
            return
        }
        #expect(failure.kind == row.kind)
        #expect(failure.retry == row.retry)
        #expect(failure.httpStatus == row.status)
    }

    static let links: [(String, String?)] = [
        ("https://a.example/x.jpg", "https://a.example/x.jpg"), ("http://a.example", "http://a.example"),
        (" https://a.example/a b.jpg ", "https://a.example/a%20b.jpg"),
        ("https://a.example/%20é?q=1#f", "https://a.example/%20%C3%A9?q=1#f"), ("javascript:alert(1)", nil),
        ("data:image/png;base64,AAAA", nil), ("/relative.jpg", nil), ("//a.example/x", nil), ("ftp://a.example/x", nil),
        ("https://user:pw@a.example/x", nil), ("https:///x", nil), ("https://", nil), ("file:///etc/passwd", nil),
        ("https://a.example/?token=s3cr3t-value", nil),
        ("https://a.example/s3cr3t%2Dvalue", nil),
        ("https://a.example/s3cr3t%2Dvalu", "https://a.example/s3cr3t%2Dvalu"),
        ("https://a.ex ample/x", nil), ("<b>https://a.example/</b>", nil),
    ]

    @Test(arguments: links)
    func onlyGoodLinksArePassedOn(_ row: (String, String?)) {
        let (service, messages) = Fixtures.compile(
            "host: {url: 'https://a.example/', headers: {T: '${env:T}'}, link: $.url}",
            environment: ["T": "s3cr3t-value"]
        )
        #expect(messages == [])
        let body = JSONValue.object([JSONValue.Member("url", .string(row.0))]).serialized()
        let outcome = Fixtures.outcome(service, Fixtures.reply(body))
        #expect((try? outcome?.get())?.link == row.1)
        if case .failure(let failure)? = outcome {
            #expect(failure.kind == .badReply)
            #expect(!failure.message.contains("s3cr3t-value"))
        }
    }

    static let errors: [(TransportError.Cause, Bool, ErrorKind, RetryClass)] = [
        (.dns, false, .network, .retry), (.refused, false, .network, .retry), (.tls, false, .network, .retry),
        (.connectTimeout, false, .timeout, .retry), (.stallTimeout, true, .timeout, .unknownOutcome),
        (.totalTimeout, true, .timeout, .unknownOutcome), (.connectionLost, true, .network, .unknownOutcome),
        (.connectionLost, false, .network, .retry), (.badURL, false, .rejected, .never),
        (.replyTooLarge, true, .badReply, .unknownOutcome), (.malformedReply, true, .badReply, .unknownOutcome),
        (.stopped, false, .interrupted, .retry), (.stopped, true, .interrupted, .unknownOutcome),
    ]

    @Test(arguments: errors)
    func aTransportErrorIsRepeatedOnlyWhenSafe(_ row: (TransportError.Cause, Bool, ErrorKind, RetryClass)) throws {
        let service = try #require(Fixtures.compile("host: {url: 'https://a.example/'}").service)
        let error = TransportError(row.0, message: "broken", requestFullySent: row.1)
        guard case .failure(let failure)? = Fixtures.outcome(service, .failed(error)) else {
            Issue.record("no failure")
            return
        }
        #expect(failure.kind == row.2)
        #expect(failure.retry == row.3)
    }

    @Test func anIdempotencyKeyMakesRepeatsSafe() throws {
        let (service, _) = Fixtures.compile(
            "host: {url: 'https://a.example/', headers: {Idempotency-Key: '${idempotency_key}'}}"
        )
        #expect(service?.isIdempotent == true)
        let lost = TransportError(.connectionLost, message: "lost", requestFullySent: true)
        guard case .failure(let failure)? = Fixtures.outcome(try #require(service), .failed(lost)) else {
            Issue.record("no failure")
            return
        }
        #expect(failure.retry == .retry)
    }

    @Test func errorsOfAServiceHoldNoSecretAndNoMarkup() {
        let (service, _) = Fixtures.compile(
            """
            host:
              url: https://a.example/
              auth: {type: basic, username: ada, password: "${env:P}"}
            """,
            environment: ["P": "hunter2-secret"]
        )
        let echoes = "<p>bad hunter2-secret</p><script>alert(1)</script> YWRhOmh1bnRlcjItc2VjcmV0 \u{202E}x"
        let reply = Fixtures.reply(echoes + String(repeating: "y ", count: 500), status: 400)
        guard case .failure(let failure)? = Fixtures.outcome(service, reply) else {
            Issue.record("no failure")
            return
        }
        #expect(failure.message.hasPrefix("HTTP 400: bad *** *** x"))
        #expect(failure.message.count <= 200)
        #expect(!failure.message.contains("\u{202E}"))
    }

    @Test func kindsFollowCodesAndPatterns() {
        let (service, _) = Fixtures.compile(
            """
            host:
              url: https://a.example/
              ok: $.ok == true
              error:
                message: $.msg
                code: $.code
                kinds: {17: quota, "~(?i)already": duplicate, 418: moderation}
              retry_after: {from: $.wait, unit: milliseconds}
            """
        )
        let rows: [(String, Int, ErrorKind)] = [
            ("{\"code\": 17}", 200, .quota), ("{\"msg\": \"Already there\"}", 200, .duplicate),
            ("{}", 418, .moderation),
            ("{\"msg\": \"no\"}", 200, .rejected), ("{}", 200, .badReply),
        ]
        for (body, status, kind) in rows {
            let outcome = Fixtures.outcome(service, Fixtures.reply(body, status: status))
            guard case .failure(let failure)? = outcome else {
                Issue.record("no failure for \(body)")
                continue
            }
            #expect(failure.kind == kind)
        }
        let slow = Fixtures.outcome(service, Fixtures.reply("{\"wait\": 1500}", status: 429))
        guard case .failure(let failure)? = slow else { return }
        #expect(failure.retry == .retryAfter(.milliseconds(1_500)))
    }

    @Test func aDeliveredPictureCanBeDeleted() throws {
        let (service, _) = Fixtures.compile("imgur: {adapter: imgur, client_id: client-1}")
        let context = Fixtures.context(captures: ["deletehash": "x0/y1"])
        func outcome(_ status: Int) throws -> Result<DeliveryLinks, DeliveryFailure>? {
            var run = try #require(service?.deleteRun(context))
            guard case .send(let request, let exchange) = run.handle(.start, now: 0) else { return nil }
            #expect(request.method == "DELETE")
            #expect(request.url == "https://api.imgur.com/3/image/x0%2Fy1")
            #expect(request.headers == [HTTPField("Authorization", "Client-ID client-1")])
            #expect(exchange == Exchange(step: "delete", isIdempotent: true))
            guard case .finished(let result) = run.handle(.reply(Fixtures.reply("", status: status)), now: 0) else {
                return nil
            }
            return result
        }
        #expect(try outcome(200) == .success(DeliveryLinks()))
        #expect(try outcome(404) == .success(DeliveryLinks()))
        guard case .failure(let failure)? = try outcome(403) else {
            Issue.record("no failure")
            return
        }
        #expect(failure.kind == .auth)
    }

    @Test("A service that echoes the Basic credentials in a bad reply tells nobody", arguments: [200, 400, 502])
    func basicCredentialsStayHidden(status: Int) {
        let yaml = """
            host:
              url: https://host.example/up
              file: file
              link: $.url
              auth: {type: basic, username: "${env:USER_NAME}", password: "${env:WORD}"}
            """
        let (service, messages) = Fixtures.compile(yaml, environment: ["USER_NAME": "somebody", "WORD": "opensesame"])
        #expect(messages.isEmpty)
        // somebody:opensesame
        let echo = "got Basic c29tZWJvZHk6b3BlbnNlc2FtZQ== and opensesame"
        let outcome = Fixtures.outcome(service, Fixtures.reply(echo, status: status))
        guard case .failure(let failure)? = outcome else {
            Issue.record("no failure")
            return
        }
        #expect(!failure.message.contains("c29tZWJvZHk6b3BlbnNlc2FtZQ"), "\(failure.message)")
        #expect(!failure.message.contains("opensesame"), "\(failure.message)")
    }
}
