// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@testable import FanlightAdapters

/// A request that does harm twice goes out again after a lost answer only where the adapter's test says so of that loss.
@Suite("Repetitions after lost answers")
struct LostAnswerTests {
    /// A test of an adapter, and what it says about two losses and a proxy's status.
    struct Row: Sendable, CustomTestStringConvertible {
        var test: String
        /// Lost by a broken connection, by time.
        var connection: Bool, time: Bool
        /// The proxy lost the answer.
        var gateway = false
        /// True where it covers whatever may become of a whole request.
        var isRepeatable = false
        var testDescription: String { test }
    }

    static let rows: [Row] = [
        Row(test: "network_error exists", connection: true, time: true, isRepeatable: true),
        Row(test: "{any: [network_error exists, status == 503]}", connection: true, time: true, isRepeatable: true),
        Row(test: "[network_error missing, status == 503]", connection: false, time: false),
        Row(test: "{any: [network_error == dns, status == 503]}", connection: false, time: false),
        Row(test: "{any: [network_error == dns, status != 200]}", connection: false, time: false, gateway: true),
        Row(test: "{any: [network_error == dns, $.code missing]}", connection: false, time: false, gateway: true),
        Row(test: "network_error == refused", connection: false, time: false),
        Row(test: "network_error == connectionLost", connection: true, time: false),
        Row(
            test: "{any: [network_error == stallTimeout, status == 502]}",
            connection: false,
            time: true,
            gateway: true
        ),
        Row(test: "status != 200", connection: false, time: false, gateway: true),
        Row(test: "status == 502", connection: false, time: false, gateway: true),
        Row(test: "status == 503", connection: false, time: false),
    ]

    private static func service(_ rule: String) throws -> CompiledService {
        try StepTests.service(
            """
            host:
              base: https://a.example
              steps:
                - {id: ticket, url: /ticket, json: {a: 1}, save: {t: $.t}}
                - {id: up, url: /up, file: file, attempts: 2, backoff: 1s, \(rule)}
              link: $.url
            """
        )
    }

    @Test(arguments: rows)
    func retried(_ row: Row) throws {
        try check(row, Self.service("retry_when: \(row.test)"))
    }

    @Test(arguments: rows)
    func restarted(_ row: Row) throws {
        try check(row, Self.service("restart: {at: ticket, when: \(row.test)}"))
    }

    private func check(_ row: Row, _ service: CompiledService) throws {
        func lost(_ cause: TransportError.Cause) -> DeliveryRun.Event {
            .failed(TransportError(cause, message: "lost", requestFullySent: true))
        }
        let events = [
            (lost(.connectionLost), row.connection), (lost(.stallTimeout), row.time),
            (StepTests.reply("", status: 502), row.gateway),
        ]
        for (event, isRepeated) in events {
            var play = Play(service)
            _ = play.tell(.start)
            guard case .send(_, let exchange) = play.tell(StepTests.reply(#"{"t":"1"}"#)) else {
                Issue.record("the picture is not sent")
                return
            }
            #expect(exchange.isIdempotent == row.isRepeatable, "what is noted before the last byte")
            switch play.tell(event) {
            case .pause: #expect(isRepeated, "\(event)")
            case .finished(.failure(let failure)):
                #expect(!isRepeated && failure.retry == .unknownOutcome, "\(event)")
            default: Issue.record("neither repeated nor over")
            }
            #expect(play.run.mayHaveArrived)
        }
    }

    // MARK: Sessions

    private static func account(_ more: String) throws -> CompiledService {
        try StepTests.service(
            """
            host:
              base: https://a.example
              auth:
                type: session
                login: {url: /login, form: {u: me}, save: {token: $.t}}
                use: Bearer ${session.token}
                renew_when: status in 401,502
              steps:
                - {id: up, url: /up, file: file, \(more)}
                - {id: look, method: GET, url: /look}
              link: $.url
            """
        )
    }

    private static let open = DeliveryRun.Event.session(SessionValues(values: ["token": "t-1"], generation: 1))

    @Test("A new session is no reason to send again what a proxy may have passed on")
    func renewal() throws {
        var play = Play(try Self.account("optional: false"))
        _ = play.tell(.start)
        #expect(play.request(Self.open) != nil)
        #expect(play.failure(StepTests.reply("", status: 502))?.retry == .unknownOutcome)
    }

    @Test("Where it may be sent again, the doubt stays after the renewal")
    func renewedInDoubt() throws {
        var play = Play(try Self.account("idempotent: true"))
        _ = play.tell(.start)
        #expect(play.request(Self.open) != nil)
        guard case .openSession = play.tell(StepTests.reply("", status: 502)) else {
            Issue.record("no new session")
            return
        }
        #expect(play.request(Self.open) != nil)
        let failure = play.failure(StepTests.reply("", status: 403))
        #expect(failure?.kind == .auth && failure?.mayHaveArrived == true)
    }

    @Test("A login that fails while the run only asks says nothing of the picture")
    func loginWhileAsking() throws {
        var play = Play(try Self.account("idempotent: true"))
        _ = play.tell(.start)
        _ = play.tell(Self.open)
        #expect(play.request(StepTests.reply("{}")) != nil)
        guard case .openSession = play.tell(StepTests.reply("", status: 401)) else {
            Issue.record("no new session")
            return
        }
        let refused = DeliveryFailure(kind: .auth, message: "no", retry: .never)
        #expect(play.failure(.sessionFailed(refused))?.mayHaveArrived == true)
    }
}
