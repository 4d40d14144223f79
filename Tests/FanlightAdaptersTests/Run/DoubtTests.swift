// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@testable import FanlightAdapters

/// Which ends of an attempt leave a doubt whether the picture arrived.
@Suite("Doubts of an attempt")
struct DoubtTests {
    /// One step of an adapter, and how it ends.
    struct Row: Sendable, CustomTestStringConvertible {
        var yaml: String
        /// Status of each reply before the last event; 0 = the answer was lost, -1 = the request did not leave.
        var events: [Int]
        var isDoubtful: Bool
        /// What the last reply says.
        var body = "{}"
        var testDescription: String { "\(events) \(isDoubtful ? "in doubt" : "certain") \(body)" }
    }

    private static let plain = "host: {url: 'https://a.example/', file: file, link: $.url, idempotent: true}"

    /// A service that fetches the picture when it is asked to.
    private static let fetching = "host: {url: 'https://a.example/', method: GET, query: {t: a}, link: $.url}"

    /// A ticket, the picture, and what makes it public.
    private static let ticket = """
        host:
          base: https://a.example
          idempotent: true
          steps:
            - {id: ticket, url: /ticket, json: {a: 1}, save: {ticket: $.t}}
            - {id: bytes, method: PUT, url: "/put/${ticket}", raw: file}
            - {id: publish, url: /publish, json: {t: "${ticket}"}}
          id: ${ticket}
        """

    /// The picture, then questions.
    private static let asking = """
        host:
          base: https://a.example
          idempotent: true
          steps:
            - {id: upload, url: /up, file: file, save: {job: $.t}}
            - {id: ready, method: GET, url: "/job/${job}", save: {page: $.url},
               poll: {pending: status == 202, until: $.state exists, fail: $.bad exists, every: 1s, deadline: 2s}}
            - {id: look, method: GET, url: "/look/${job}"}
          page: $.url
        """

    /// The picture as something that may fail, then a step that is sure to follow.
    private static let optional = """
        host:
          base: https://a.example
          steps:
            - {id: fast, url: /fast, file: file, optional: true}
            - {id: slow, url: /slow, file: file, idempotent: true}
          link: $.url
        """

    static let rows: [Row] = [
        .init(yaml: plain, events: [0], isDoubtful: true), .init(yaml: plain, events: [-1], isDoubtful: false),
        .init(yaml: plain, events: [502], isDoubtful: true), .init(yaml: plain, events: [524], isDoubtful: true),
        .init(yaml: plain, events: [500], isDoubtful: false), .init(yaml: plain, events: [503], isDoubtful: false),
        .init(yaml: plain, events: [429], isDoubtful: false), .init(yaml: plain, events: [401], isDoubtful: false),
        .init(yaml: plain, events: [409], isDoubtful: false), .init(yaml: plain, events: [408], isDoubtful: false),
        .init(yaml: plain, events: [302], isDoubtful: false), .init(yaml: plain, events: [525], isDoubtful: false),
        // A complete reply with the status of a success decides, too.
        .init(yaml: plain, events: [200], isDoubtful: false),
        .init(yaml: fetching, events: [0], isDoubtful: true), .init(yaml: fetching, events: [401], isDoubtful: false),
        .init(yaml: ticket, events: [0], isDoubtful: false), .init(yaml: ticket, events: [502], isDoubtful: false),
        .init(yaml: ticket, events: [200, 0], isDoubtful: true, body: #"{"t":"1"}"#),
        .init(yaml: ticket, events: [200, 403], isDoubtful: false, body: #"{"t":"1"}"#),
        .init(yaml: ticket, events: [200, 200, 0], isDoubtful: true, body: #"{"t":"1"}"#),
        .init(yaml: ticket, events: [200, 200, 504], isDoubtful: true, body: #"{"t":"1"}"#),
        .init(yaml: ticket, events: [200, 200, 401], isDoubtful: false, body: #"{"t":"1"}"#),
        .init(yaml: asking, events: [200, 0], isDoubtful: true, body: #"{"t":"1"}"#),
        .init(yaml: asking, events: [200, -1], isDoubtful: true, body: #"{"t":"1"}"#),
        .init(yaml: asking, events: [200, 401], isDoubtful: true, body: #"{"t":"1"}"#),
        .init(yaml: asking, events: [200, 202, 202, 202], isDoubtful: true, body: #"{"t":"1"}"#),
        .init(yaml: asking, events: [200, 200], isDoubtful: false, body: #"{"t":"1","bad":true}"#),
        .init(yaml: asking, events: [200, 200, 500], isDoubtful: true, body: #"{"t":"1","state":"ok","url":"u"}"#),
        .init(yaml: optional, events: [0, 403], isDoubtful: true),
        .init(yaml: optional, events: [-1, 403], isDoubtful: false),
        .init(yaml: optional, events: [403, 403], isDoubtful: false),
    ]

    @Test(arguments: rows)
    func attempt(_ row: Row) throws {
        let failure = try #require(try end(row))
        #expect(failure.mayHaveArrived == row.isDoubtful, "\(failure)")
    }

    /// How the one attempt fails.
    private func end(_ row: Row) throws -> DeliveryFailure? {
        let (service, messages) = Fixtures.compile(row.yaml)
        #expect(messages == [])
        let context = Fixtures.context()
        var run = DeliveryRun(service: try #require(service), context: context)
        var now = context.now
        var action = run.handle(.start, now: now)
        for status in row.events {
            guard case .send = action else {
                Issue.record("nothing is sent before \(status)")
                return nil
            }
            if status > 0 {
                action = run.handle(.reply(Fixtures.reply(row.body, status: status)), now: now)
            } else {
                let error = TransportError(.connectionLost, message: "lost", requestFullySent: status == 0)
                action = run.handle(.failed(error), now: now)
            }
            while case .pause(let wait) = action {
                now += Int(wait.components.seconds)
                action = run.handle(.paused, now: now)
            }
        }
        guard case .finished(.failure(let failure)) = action else {
            Issue.record("no failure")
            return nil
        }
        return failure
    }

    @Test("A doubt of the first of several requests in one attempt is not lost with the last")
    func withinOneAttempt() throws {
        let (service, messages) = Fixtures.compile(
            """
            host:
              base: https://a.example
              steps:
                - {id: up, url: /up, file: file, retry_when: network_error exists, attempts: 3, backoff: 1s}
              link: $.url
            """
        )
        #expect(messages == [])
        let context = Fixtures.context()
        var run = DeliveryRun(service: try #require(service), context: context)
        guard case .send(_, let exchange) = run.handle(.start, now: 0) else { return }
        #expect(exchange.isIdempotent && exchange.mayPublish)
        let lost = TransportError(.connectionLost, message: "lost", requestFullySent: true)
        guard case .pause = run.handle(.failed(lost), now: 0), case .send = run.handle(.paused, now: 1) else {
            Issue.record("not repeated")
            return
        }
        #expect(run.mayHaveArrived)
        guard case .finished(.failure(let failure)) = run.handle(.reply(Fixtures.reply("", status: 401)), now: 2) else {
            Issue.record("no failure")
            return
        }
        #expect(failure.kind == .auth && failure.mayHaveArrived)
    }

    @Test("A deletion and a login are never in doubt")
    func others() throws {
        let (service, _) = Fixtures.compile("imgur: {adapter: imgur, client_id: client-1}")
        var run = try #require(service?.deleteRun(Fixtures.context(captures: ["deletehash": "x0"])))
        guard case .send(_, let exchange) = run.handle(.start, now: 0) else { return }
        #expect(!exchange.mayPublish)
        let lost = TransportError(.stallTimeout, message: "lost", requestFullySent: true)
        guard case .finished(.failure(let failure)) = run.handle(.failed(lost), now: 0) else {
            Issue.record("no failure")
            return
        }
        #expect(!failure.mayHaveArrived && !run.mayHaveArrived)
    }
}
