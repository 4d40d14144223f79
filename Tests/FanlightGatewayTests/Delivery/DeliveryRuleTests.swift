// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore
import Testing

@testable import FanlightGateway

@Suite("When an answer is given")
struct DeliveryRuleTests {
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
