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
        func deliveries(_ role: DeliveryRole) -> [JournalDelivery] {
            states.map { status in
                var delivery = JournalDelivery(service: "s", role: role, rendition: nil, options: [:])
                delivery.status = status
                return delivery
            }
        }
        #expect(policy.isMet(by: deliveries(.required)) == isMet)
        #expect(policy.isMet(by: deliveries(.optional)) == isMet)
        // Nobody waits for what is only measured.
        #expect(policy.isMet(by: deliveries(.required) + deliveries(.shadow)) == isMet)
    }
}
