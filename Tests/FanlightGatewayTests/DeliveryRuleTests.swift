// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore
import Testing

@testable import FanlightGateway

@Suite("When an attempt is repeated and an answer given")
struct DeliveryRuleTests {
    private let backoff = Backoff(attempts: 3, deadline: .seconds(60))

    private func failure(_ retry: RetryClass) -> DeliveryFailure {
        DeliveryFailure(kind: .network, message: "", retry: retry)
    }

    @Test("Never and unknown are final", arguments: [RetryClass.never, .unknownOutcome])
    func final(retry: RetryClass) {
        #expect(backoff.wait(after: failure(retry), made: 1, elapsed: .zero, chance: 0.5) == nil)
    }

    @Test("Waits double, with full jitter, and end with the attempts")
    func doubling() {
        #expect(backoff.wait(after: failure(.retry), made: 1, elapsed: .zero, chance: 1) == .milliseconds(500))
        #expect(backoff.wait(after: failure(.retry), made: 2, elapsed: .zero, chance: 0.5) == .milliseconds(500))
        #expect(backoff.wait(after: failure(.retry), made: 3, elapsed: .zero, chance: 0.5) == nil)
    }

    @Test("Never before Retry-After, never past the deadline")
    func retryAfter() {
        let wait = backoff.wait(after: failure(.retryAfter(.seconds(7))), made: 1, elapsed: .zero, chance: 0.9)
        #expect(wait.map { $0 >= .seconds(7) } == true)
        #expect(
            backoff.wait(after: failure(.retryAfter(.seconds(7))), made: 1, elapsed: .seconds(55), chance: 0) == nil
        )
    }

    @Test(
        "A route's policy says when to answer",
        arguments: [
            (RoutePolicy.all, [DeliveryStatus.delivered, .pending], false), (.any, [.delivered, .pending], true),
            (.any, [.failed, .pending], false), (.quorum(2), [.delivered, .pending, .pending], false),
            (.quorum(2), [.delivered, .delivered, .pending], true), (.all, [.failed, .failed], true),
        ]
    )
    func policies(policy: RoutePolicy, states: [DeliveryStatus], isMet: Bool) {
        let entries = states.map { status in
            var entry = Report.Entry(service: "s")
            entry.status = status
            return entry
        }
        let report = Report(
            id: "",
            deliveries: entries,
            image: ImageFacts(mediaType: .png, width: 1, height: 1),
            imageBytes: 1,
            sha256: "",
            geotag: nil,
            warnings: [],
            createdAt: ""
        )
        #expect(policy.isMet(by: report) == isMet)
    }
}
