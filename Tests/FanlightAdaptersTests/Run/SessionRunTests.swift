// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightCore
import Testing

@Suite struct SessionRunTests {
    private static func open(
        _ service: CompiledService,
        after old: SessionValues? = nil,
        _ replies: [HTTPReply]
    ) -> (requests: [HTTPRequest], result: Result<SessionValues, DeliveryFailure>?) {
        guard var run = SessionRun(service: service, after: old, uuid: "u", now: 1_000) else { return ([], nil) }
        var requests: [HTTPRequest] = []
        var event = SessionRun.Event.start
        var left = replies[...]
        while true {
            switch run.handle(event, now: 1_000) {
            case .finished(let result): return (requests, result)
            case .send(let request, let exchange):
                #expect(exchange.isIdempotent)
                requests.append(request)
                guard let reply = left.popFirst() else { return (requests, nil) }
                event = .reply(reply)
            }
        }
    }

    private static func text(_ request: HTTPRequest?) -> String {
        guard case .bytes(let bytes)? = request?.body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func aLoginGivesNamesToEveryRequest() throws {
        let service = try StepTests.service(
            """
            sky:
              base: https://sky.example
              auth:
                type: session
                login:
                  url: /session
                  json: {identifier: ada, password: lovelace-1}
                  save: {token: $.accessJwt, did: $.did}
                use: Bearer ${session.token}
                ttl: 90m
                renew_when: {any: [$.error in ExpiredToken]}
              url: /blob
              raw: file
              link: https://sky.example/${session.did}
            """
        )
        let (requests, result) = Self.open(service, [Fixtures.reply(#"{"accessJwt": "jwt-00000001", "did": "d1"}"#)])
        #expect(requests.map(\.url) == ["https://sky.example/session"])
        #expect(Self.text(requests.first) == #"{"identifier":"ada","password":"lovelace-1"}"#)
        let values = try #require(try result?.get())
        #expect(values.values == ["token": "jwt-00000001", "did": "d1"])
        #expect(values.expiresAt == 1_000 + 5_400 - 60)

        var play = Play(service)
        guard case .openSession(let need) = play.tell(.start) else {
            Issue.record("no session was asked for")
            return
        }
        #expect(need == SessionNeed(service: "sky"))
        #expect(play.request(.session(values))?.headers.first == HTTPField("Authorization", "Bearer jwt-00000001"))
        guard case .openSession(let renewal) = play.tell(StepTests.reply(#"{"error": "ExpiredToken"}"#, status: 400))
        else {
            Issue.record("no renewal was asked for")
            return
        }
        #expect(renewal.stale == 1)
        var newer = values
        newer.generation = 2
        #expect(play.request(.session(newer)) != nil)
        let failure = play.failure(StepTests.reply(#"{"error": "ExpiredToken", "was": "jwt-00000001"}"#, status: 400))
        #expect(failure?.kind == .rejected, "a session is renewed once for an attempt")
        #expect(failure?.message.contains("jwt-00000001") == false)
    }

    @Test func cookiesOfALoginGoToTheirHostOnly() throws {
        let service = try StepTests.service(
            """
            wiki:
              url: https://wiki.example/api
              hosts: [other.example]
              auth:
                type: session
                cookies: true
                login:
                  - {method: GET, query: {meta: tokens}, save: {logintoken: $.t}}
                  - {form: {lgtoken: "${logintoken}"}, ok: [$.r == Success], save: {csrf: $.c}}
              fields: {token: "${session.csrf}"}
              file: file
              link: $.url
            """
        )
        let set = HTTPReply(
            status: 200,
            headers: [HTTPField("Set-Cookie", "sid=1; Path=/; HttpOnly"), HTTPField("set-cookie", "gone=; Max-Age=0")],
            body: Array(#"{"t": "lt+\\"}"#.utf8),
            finalURL: "https://wiki.example/api"
        )
        let (requests, result) = Self.open(service, [set, Fixtures.reply(#"{"r": "Success", "c": "csrf-1"}"#)])
        #expect(requests.map(\.url) == ["https://wiki.example/api?meta=tokens", "https://wiki.example/api"])
        #expect(Self.text(requests.last) == "lgtoken=lt%2B%5C")
        #expect(requests.last?.headers.contains(HTTPField("Cookie", "sid=1")) ?? false)
        let values = try #require(try result?.get())
        #expect(values.cookies == [SessionCookie(name: "sid", value: "1", host: "wiki.example")])
        var play = Play(service)
        _ = play.tell(.start)
        #expect(play.request(.session(values))?.headers.contains(HTTPField("Cookie", "sid=1")) ?? false)
        var foreign = values
        foreign.cookies = [SessionCookie(name: "sid", value: "1", host: "other.example")]
        var other = Play(service)
        _ = other.tell(.start)
        #expect(other.request(.session(foreign))?.headers.contains { $0.name == "Cookie" } == false)
    }

    static let tokens = """
        acct:
          url: https://a.example/up
          auth:
            type: oauth2
            token_url: https://id.example/token
            client_id: client-1
            client_secret: secret-0001
            refresh_token: refresh-0001
          file: image
          link: $.url
        """

    @Test func refreshTokensRotate() throws {
        let service = try StepTests.service(Self.tokens)
        #expect(service.lastingSessionValues == ["refresh_token"])
        let answer = #"{"access_token": "access-0001", "expires_in": 3600, "refresh_token": "refresh-0002"}"#
        let (first, result) = Self.open(service, [Fixtures.reply(answer)])
        #expect(
            Self.text(first.first)
                == "grant_type=refresh_token&refresh_token=refresh-0001&client_id=client-1&client_secret=secret-0001"
        )
        let values = try #require(try result?.get())
        #expect(values.values["refresh_token"] == "refresh-0002")
        #expect(values.expiresAt == 1_000 + 3_540)
        let (second, later) = Self.open(service, after: values, [Fixtures.reply(#"{"access_token": "access-0002"}"#)])
        #expect(Self.text(second.first).contains("refresh_token=refresh-0002"))
        let renewed = try #require(try later?.get())
        #expect(renewed.values["refresh_token"] == "refresh-0002", "a service that does not rotate keeps its token")
        #expect(renewed.generation == 2)
        var play = Play(service)
        _ = play.tell(.start)
        #expect(play.request(.session(renewed))?.headers.first == HTTPField("Authorization", "Bearer access-0002"))
    }

    @Test func aRefusedLoginIsAboutCredentials() throws {
        let service = try StepTests.service(Self.tokens)
        let body = #"{"error": "invalid_grant", "error_description": "Token refresh-0001 is revoked"}"#
        let (_, result) = Self.open(service, [Fixtures.reply(body, status: 400)])
        guard case .failure(let failure)? = result else {
            Issue.record("no failure")
            return
        }
        #expect(failure.kind == .auth)
    }
}
