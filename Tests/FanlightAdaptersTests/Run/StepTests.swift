// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightCore
import Testing

/// A run that is played by hand.
struct Play {
    var run: DeliveryRun
    var now = 1_700_000_000

    init(_ service: CompiledService, _ context: DeliveryContext = Fixtures.context(), resuming: JSONValue? = nil) {
        run = DeliveryRun(service: service, context: context, resuming: resuming)
    }

    mutating func tell(_ event: DeliveryRun.Event) -> DeliveryRun.Action { run.handle(event, now: now) }

    /// The request that an event leads to; `nil` when it leads to something else.
    mutating func request(_ event: DeliveryRun.Event) -> HTTPRequest? {
        guard case .send(let request, _) = tell(event) else { return nil }
        return request
    }

    /// The outcome that an event leads to.
    mutating func outcome(_ event: DeliveryRun.Event) -> Result<DeliveryLinks, DeliveryFailure>? {
        guard case .finished(let result) = tell(event) else { return nil }
        return result
    }

    mutating func failure(_ event: DeliveryRun.Event) -> DeliveryFailure? {
        guard case .failure(let failure)? = outcome(event) else { return nil }
        return failure
    }
}

@Suite struct StepTests {
    static func reply(_ body: String, status: Int = 200, headers: [HTTPField] = []) -> DeliveryRun.Event {
        .reply(Fixtures.reply(body, status: status, headers: headers))
    }

    static func service(_ yaml: String) throws -> CompiledService {
        let (service, messages) = Fixtures.compile(yaml)
        #expect(messages == [])
        return try #require(service)
    }

    static let chat = """
        chat:
          base: https://chat.example.org/api
          auth: {type: bearer, token: xoxb-secret-1}
          ok: [$.ok == true]
          error: {message: $.error}
          steps:
            - id: ticket
              url: /ticket
              form: {length: "${file.size}"}
              save: {target: $.upload_url, file: $.file_id}
            - id: bytes
              url: ${target}
              allow_hosts: ["*.example.net"]
              raw: file
              ok: [status == 200]
            - id: share
              url: /share
              json: {files: [{id: "${file}"}], text: "${message}"}
              save: {page: $.permalink}
          id: ${file}
        """

    @Test func stepsHandOnWhatTheySaved() throws {
        var play = Play(try Self.service(Self.chat), Fixtures.context(caption: Caption(message: "Hi")))
        #expect(play.run.progress == .null)
        let sent1 = play.request(.start)
        let ticket = try #require(sent1)
        #expect(ticket.url == "https://chat.example.org/api/ticket")
        #expect(ticket.headers.first == HTTPField("Authorization", "Bearer xoxb-secret-1"))
        let answer = #"{"ok": true, "upload_url": "https://up.example.net/1", "file_id": "F1"}"#
        let sent2 = play.request(Self.reply(answer))
        let bytes = try #require(sent2)
        #expect(bytes.url == "https://up.example.net/1")
        #expect(bytes.headers == [HTTPField("Content-Type", "image/jpeg")], "no token goes to a captured host")
        let sent3 = play.request(Self.reply("fine"))
        let share = try #require(sent3)
        guard case .bytes(let json) = share.body else {
            Issue.record("no JSON")
            return
        }
        #expect(String(decoding: json, as: UTF8.self) == #"{"files":[{"id":"F1"}],"text":"Hi"}"#)
        let links = try #require(
            try play.outcome(Self.reply(#"{"ok": true, "permalink": "https://chat.example.org/p/1"}"#))?.get()
        )
        #expect(links.page == "https://chat.example.org/p/1")
        #expect(links.remoteID == "F1")
    }

    @Test(
        "A captured URL leads only where the adapter allows",
        arguments: [
            "https://evil.example.com/1", "http://up.example.net/1", "https://up.example.net:8443.evil.com/",
            "https://user@up.example.net/1", "https://127.0.0.1/1", "https://example.net.evil.com/",
            "ftp://up.example.net/",
            "https://[::1]/", "https://169.254.169.254/latest", "javascript:alert(1)", "//up.example.net/1",
        ]
    )
    func hostilePlaces(_ url: String) throws {
        var play = Play(try Self.service(Self.chat))
        _ = play.tell(.start)
        let failure = play.failure(Self.reply(#"{"ok": true, "upload_url": "\#(url)", "file_id": "F1"}"#))
        #expect(failure != nil)
        #expect(failure?.retry == .never)
    }

    @Test func privateAddressesAreRefusedUnderAnyPattern() throws {
        let yaml = """
            h:
              base: https://a.example
              steps:
                - {id: one, url: /x, save: {to: $.to}}
                - {id: two, url: "${to}", allow_hosts: ["*"], save: {link: $.url}}
            """
        for place in [
            "127.0.0.1", "10.1.2.3", "192.168.0.1", "2130706433", "0x7f.1", "localhost", "[fd00::1]", "010.1.1.1",
        ] {
            var play = Play(try Self.service(yaml))
            _ = play.tell(.start)
            #expect(play.failure(Self.reply(#"{"to": "https://\#(place)/"}"#)) != nil, "\(place)")
        }
        var play = Play(try Self.service(yaml))
        _ = play.tell(.start)
        #expect(play.request(Self.reply(#"{"to": "https://93.184.216.34/"}"#)) != nil)
    }

    @Test func progressContinuesWhereItEnded() throws {
        let service = try Self.service(Self.chat)
        var play = Play(service)
        _ = play.tell(.start)
        _ = play.tell(Self.reply(#"{"ok": true, "upload_url": "https://up.example.net/1", "file_id": "F1"}"#))
        let progress = play.run.progress
        let written = try JSONParser.parse(Array(progress.serialized().utf8))
        var later = Play(service, resuming: written)
        #expect(later.request(.start)?.url == "https://up.example.net/1")
        #expect(later.request(Self.reply(""))?.url == "https://chat.example.org/api/share")
        let renamed = try Self.service(Self.chat.replacing("id: bytes", with: "id: body"))
        var lost = Play(renamed, resuming: written)
        #expect(lost.failure(.start)?.retry == .unknownOutcome)
    }

    @Test func againRepeatsTheFailingStepOnly() throws {
        var play = Play(try Self.service(Self.chat))
        _ = play.tell(.start)
        _ = play.tell(Self.reply(#"{"ok": true, "upload_url": "https://up.example.net/1", "file_id": "F1"}"#))
        #expect(play.failure(Self.reply("busy", status: 503))?.retry == .retry)
        #expect(play.request(.again)?.url == "https://up.example.net/1")
    }

    static let toot = """
        toot:
          base: https://toot.example
          steps:
            - id: media
              url: /media
              file: file
              ok: status in 200,202
              save: {media: $.id}
            - id: ready
              when: media.status == 202
              method: GET
              url: /media/${media}
              poll: {pending: status == 206, until: status == 200, every: 1s, grow: 2, deadline: 10s}
            - id: post
              url: /statuses
              headers: {Idempotency-Key: "${idempotency_key}"}
              form: {"media_ids[]": "${media}"}
              save: {page: $.url}
        """

    @Test func pollingWaitsLongerEachTimeAndEnds() throws {
        var play = Play(try Self.service(Self.toot))
        _ = play.tell(.start)
        #expect(
            play.request(Self.reply(#"{"id": 918756876419824312}"#, status: 202))?.url
                == "https://toot.example/media/918756876419824312"
        )
        var waits: [Duration] = []
        for _ in 0..<10 {
            switch play.tell(Self.reply("{}", status: 206)) {
            case .pause(let wait):
                waits.append(wait)
                play.now += Int(wait.components.seconds)
                guard case .send(_, let exchange) = play.tell(.paused) else { continue }
                #expect(exchange == Exchange(step: "ready", isIdempotent: true, isPoll: true))
            case .finished(.failure(let failure)):
                #expect(failure.kind == .timeout)
                #expect(waits == [.seconds(1), .seconds(2), .seconds(4)])
                return
            default:
                Issue.record("neither pause nor end")
                return
            }
        }
        Issue.record("no end")
    }

    @Test func aStepThatIsNotNeededIsLeftOut() throws {
        var play = Play(try Self.service(Self.toot))
        _ = play.tell(.start)
        guard case .send(let request, let exchange) = play.tell(Self.reply(#"{"id": "1"}"#)) else {
            Issue.record("nothing sent")
            return
        }
        #expect(request.url == "https://toot.example/statuses")
        #expect(exchange.isIdempotent, "an idempotency key goes along")
        var other = Play(try Self.service(Self.toot))
        guard case .send(_, let first) = other.tell(.start) else { return }
        #expect(!first.isIdempotent)
    }

    static let bucket = """
        bucket:
          base: https://api.example.org
          steps:
            - {id: target, url: /target, save: {to: $.url, upload_token: $.token}}
            - id: put
              url: ${to}
              allow_hosts: ["*.example.org"]
              auth: none
              raw: file
              headers: {Authorization: "${upload_token}"}
              retry_when: status in 408,429
              restart:
                at: target
                when:
                  any:
                    - network_error exists
                    - status == 503
                    - $.code in expired
              attempts: 3
              backoff: 2s
          link: https://f.example.org/a
        """

    @Test func restartFetchesANewTarget() throws {
        var play = Play(try Self.service(Self.bucket))
        #expect(play.request(.start)?.url == "https://api.example.org/target")
        let target = Self.reply(#"{"url": "https://up.example.org/1", "token": "ticket-0001"}"#)
        #expect(play.request(target)?.headers.contains(HTTPField("Authorization", "ticket-0001")) ?? false)
        guard
            case .pause(.seconds(2)) = play.tell(
                .failed(TransportError(.connectionLost, message: "x", requestFullySent: true))
            )
        else {
            Issue.record("no pause")
            return
        }
        #expect(play.request(.paused)?.url == "https://api.example.org/target")
        #expect(play.request(target)?.url == "https://up.example.org/1")
        guard
            case .pause(.seconds(4)) = play.tell(
                Self.reply(#"{"code": "expired", "message": "ticket-0001"}"#, status: 401)
            )
        else {
            Issue.record("no second pause")
            return
        }
        #expect(play.request(.paused)?.url == "https://api.example.org/target")
        _ = play.tell(target)
        let failure = play.failure(Self.reply("later ticket-0001", status: 503))
        #expect(failure?.retry == .retry)
        #expect(failure?.message.contains("ticket-0001") == false, "captured tickets stay out of messages")
        #expect(play.request(.again)?.url == "https://api.example.org/target", "the next attempt begins there, too")
    }

    @Test func aFailureMayCountAsSuccess() throws {
        let service = try Self.service(
            """
            h:
              url: https://a.example/up
              ok: [$.success == true]
              recover:
                - {when: $.code == image_repeated, as: duplicate, link: $.images}
              error: {message: $.message, code: $.code}
              link: $.data.url
              links: {again: "https://a.example/${recovered|default:no}"}
            """
        )
        var play = Play(service)
        _ = play.tell(.start)
        let body = #"{"success": false, "code": "image_repeated", "images": "https://a.example/1.jpg"}"#
        let links = try #require(try play.outcome(Self.reply(body))?.get())
        #expect(links.link == "https://a.example/1.jpg")
        #expect(links.more == [HTTPField("again", "https://a.example/duplicate")])
        var other = Play(service)
        _ = other.tell(.start)
        #expect(other.failure(Self.reply(#"{"success": false, "code": "x", "message": "No"}"#))?.message == "No")
    }

    @Test func anOptionalStepFailsNothing() throws {
        let service = try Self.service(
            """
            h:
              base: https://a.example
              steps:
                - {id: up, url: /up, file: f, save: {link: $.url}}
                - {id: place, optional: true, url: /place, form: {lat: "${lat|default:0}"}}
            """
        )
        for event in [
            Self.reply("no", status: 500), .failed(TransportError(.totalTimeout, message: "x", requestFullySent: true)),
        ] {
            var play = Play(service)
            _ = play.tell(.start)
            #expect(play.request(Self.reply(#"{"url": "https://a.example/1.jpg"}"#))?.url == "https://a.example/place")
            #expect(try play.outcome(event)?.get().link == "https://a.example/1.jpg")
        }
    }

    @Test func aDeletionKnowsTheNamesOfItsDelivery() throws {
        let service = try Self.service(
            """
            h:
              options: {key: {default: "${now|date:yyyy/MM}/${uuid}.${file.ext}"}}
              method: PUT
              url: https://a.example/${option.key|urlpath}
              raw: file
              link: https://b.example/${option.key|urlpath}
              delete: {url: "https://a.example/${option.key|urlpath}"}
            """
        )
        var play = Play(service)
        #expect(play.request(.start)?.url == "https://a.example/2023/11/uuid-1.jpg")
        let links = try #require(try play.outcome(Self.reply(""))?.get())
        #expect(links.link == "https://b.example/2023/11/uuid-1.jpg")
        #expect(links.deletable)
        var context = Fixtures.context(captures: links.captures)
        context.uuid = "another"
        context.now = 1_900_000_000
        context.rendition.mediaType = .png
        var deletion = try #require(service.deleteRun(context))
        guard case .send(let request, _) = deletion.handle(.start, now: 1_900_000_000) else {
            Issue.record("nothing sent")
            return
        }
        #expect(request.url == "https://a.example/2023/11/uuid-1.jpg")
        #expect(request.method == "DELETE")
    }

    @Test func digestAnswersAChallengeOnceAndKeepsIt() throws {
        let service = try Self.service(
            "h: {url: 'https://a.example/p?x=1', method: PUT, raw: file, link: 'https://a.example/l', auth: {type: digest, username: u, password: p}}"
        )
        let challenge = HTTPField("WWW-Authenticate", "Digest realm=\"r\", nonce=\"n1\", qop=\"auth\"")
        var play = Play(service)
        #expect(play.request(.start)?.headers.contains { $0.name == "Authorization" } == false)
        let second = play.request(Self.reply("", status: 401, headers: [challenge]))
        let answer = try #require(second?.headers.first { $0.name == "Authorization" }?.value)
        #expect(answer.contains("uri=\"/p?x=1\""))
        #expect(play.failure(Self.reply("", status: 401, headers: [challenge]))?.kind == .auth)
        var later = Play(service)
        let header = later.request(.start)?.headers.first { $0.name == "Authorization" }?.value
        #expect(header?.contains("nc=00000002") ?? false, "the challenge is known to the next delivery")
    }
}
