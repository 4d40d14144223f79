// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore
import FanlightTestSupport
import Testing

@testable import FanlightGateway

@Suite("An upload under way")
struct LiveUploadTests {
    private func upload(_ services: [String], geotag: Geotag? = nil) -> LiveUpload {
        LiveUpload(
            JournalUpload(
                id: "u",
                createdAt: 0,
                image: ImageFacts(mediaType: .gif, width: 1, height: 1),
                imageBytes: 1,
                sha256: "",
                geotag: geotag,
                deliveries: services.map { JournalDelivery(service: $0) }
            ),
            group: "",
            moment: 0
        )
    }

    private func outcome(_ status: DeliveryStatus) -> JournalOutcome {
        JournalOutcome(status: status, attempts: 1, durationMilliseconds: 1, at: 1, eventNumber: 0)
    }

    @Test("Nobody works on a delivery that another works on; with its outcome it is free for a retry at once")
    func claims() {
        let live = upload(["a", "b"])
        let first = live.claimDeliveries([0, 1])
        #expect(first.indices == [0, 1])
        #expect(live.claimDeliveries([0, 1]).indices == [])
        let claim = live.claim(0, outcome(.failed))
        live.publish(0, claim.outcome)
        live.apply(0, .reopened(at: 2))
        // The first task has not ended yet.
        let second = live.claimDeliveries([0, 1])
        #expect(second.indices == [0])
        live.giveBack(first)
        #expect(live.claimDeliveries([0, 1]).indices == [1])
    }

    @Test("The place is told as the configuration of that moment has it, also after it was told otherwise")
    func place() throws {
        let geotag = try #require(Geotag(latitude: 51.50722, longitude: -0.12751, source: .exif))
        let live = upload(["a"], geotag: geotag)
        let coarse = Geotag(latitude: 51.51, longitude: -0.13, source: .exif)
        #expect(live.place(as: GeotagConfiguration()) == geotag)
        #expect(live.place(as: GeotagConfiguration(precision: 2)) == coarse)
        #expect(live.place(as: GeotagConfiguration(isForwarded: false)) == nil)
        #expect(live.place(as: GeotagConfiguration()) == geotag)
    }

    @Test("Outcomes become visible in the order of their numbers")
    func order() {
        let live = upload(["a", "b"])
        let (first, second) = (live.claim(0, outcome(.delivered)), live.claim(1, outcome(.delivered)))
        #expect(!first.isLast && second.isLast)
        live.publish(1, second.outcome)
        #expect(live.record.deliveries.map(\.status) == [.pending, .pending])
        live.publish(0, first.outcome)
        #expect(live.record.deliveries.map(\.status) == [.delivered, .delivered])
        #expect(live.record.deliveries.map(\.eventNumber) == [1, 2])
    }
}
