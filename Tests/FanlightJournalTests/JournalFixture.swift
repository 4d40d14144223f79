// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightGateway
import Foundation
import Testing

@testable import FanlightJournal

/// A state folder that goes with the test.
final class StateFixture: Sendable {
    let folder = NSTemporaryDirectory() + "fanlight-journal-" + UUID().uuidString

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func spool() throws -> DiskSpool {
        try #require(DiskSpool(folder: folder + "/spool", reuse: DiskSpool.Reuse(files: 0)))
    }

    func journal(
        key: Secret? = nil,
        settings: JournalSettings = JournalSettings(durability: .relaxed)
    ) throws -> SQLiteJournal {
        try SQLiteJournal(state: folder, key: key, settings: settings, spool: try spool())
    }

    /// A picture in the spool.
    func picture(_ spool: DiskSpool, _ bytes: [UInt8] = [1, 2, 3]) throws -> SpooledFile {
        let writer = try #require(spool.create())
        // SAFETY: the writer copies the bytes before it returns.
        #expect(unsafe bytes.withUnsafeBytes { unsafe writer.append($0) })
        return try #require(writer.finish())
    }

    var spoolNames: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder + "/spool") }
    }
}

extension JournalUpload {
    /// An upload to some services.
    static func sample(
        _ id: String,
        _ services: [String] = ["a", "b"],
        at time: Int64 = 1_000,
        file: SpooledFile? = nil
    ) -> JournalUpload {
        JournalUpload(
            id: id,
            createdAt: time,
            image: ImageFacts(mediaType: .jpeg, width: 40, height: 30),
            imageBytes: file?.size ?? 3,
            sha256: "abc",
            renditions: [
                JournalRendition(
                    file: file?.name,
                    bytes: file?.size ?? 3,
                    mediaType: .jpeg,
                    width: 40,
                    height: 30,
                    lane: .untouched,
                    sha256: "abc"
                )
            ],
            deliveries: services.map { JournalDelivery(service: $0, rendition: 0) }
        )
    }

    /// An upload with a value in every place.
    static func full(_ id: String) -> JournalUpload {
        var upload = sample(id, [])
        var image = ImageFacts(
            mediaType: .heic,
            width: 4_032,
            height: 3_024,
            orientation: .right,
            frames: 3,
            hasAlpha: true,
            geotag: Geotag(latitude: -0.000001, longitude: 179.99999999, altitude: -3.5, source: .xmp),
            takenAt: "2018-07-25T14:34:23.500Z",
            cameraMake: "Mäker",
            cameraModel: "<1>",
            warnings: [Warning(code: "null_island", message: "none")]
        )
        image.fix.time = "2018-07-25T14:34:22.5Z"
        image.fix.direction = 271.25
        image.fix.north = .magnetic
        image.fix.error = 4.5
        image.fix.datum = "WGS-84"
        image.companions = [.film, .gainMap]
        image.uprightWidth = 3_000
        image.uprightHeight = 4_000
        upload.image = image
        upload.client = "c1"
        upload.caption = Caption(
            title: "Tïtle \"1\"",
            description: "line\nline\u{1F600}",
            message: "m",
            alt: "",
            tags: ["a", "b,c"],
            fields: [(name: "x", value: "1"), (name: "x", value: "2")]
        )
        upload.geotag = Geotag(latitude: 51.5072222, longitude: -0.1275, altitude: 12.3, source: .client)
        upload.warnings = [Warning(code: "w", message: "m")]
        upload.choices = .object([.init("policy", "any"), .init("big", .number("918756876419824312"))])
        upload.notification = JournalNotification(attempts: 1, dueAt: 5_000)
        var delivery = JournalDelivery(
            service: "s",
            role: .optional,
            rendition: 0,
            options: ["album": "x", "confided": "yes"],
            captionDigest: "d1"
        )
        delivery.status = .failed
        delivery.attempts = 4
        delivery.firstAttemptAt = 1_100
        delivery.failure = DeliveryFailure(
            kind: .rateLimited,
            message: "slow down",
            httpStatus: 429,
            retry: .retryAfter(.seconds(30))
        )
        delivery.durationMilliseconds = 77
        delivery.settledAt = 1_200
        delivery.eventNumber = 1
        var waiting = JournalDelivery(service: "t", role: .shadow, rendition: 0)
        waiting.phase = .releasing
        waiting.isInDoubt = true
        waiting.notBefore = 2_000
        waiting.progress = .object([.init("step", .int(2)), .init("token", "secret")])
        var done = JournalDelivery(service: "u", rendition: nil)
        done.status = .delivered
        done.links = DeliveryLinks(
            link: "https://e.org/1.jpg",
            page: "https://e.org/1",
            thumbnail: "https://e.org/1t.jpg",
            deleteURL: "https://e.org/hush",
            expiresAt: "2030-01-01T00:00:00Z",
            visibility: "private",
            more: [HTTPField("raw", "https://e.org/raw"), HTTPField("raw", "2")],
            remoteID: "1",
            deletable: true,
            captures: ["deletehash": "hush", "id": "1"]
        )
        done.deletion = JournalDeletion(
            state: .failed,
            attempts: 2,
            at: 1_300,
            failure: DeliveryFailure(kind: .network, message: "gone", retry: .retry)
        )
        upload.deliveries = [delivery, waiting, done]
        return upload
    }
}

extension JournalOutcome {
    static func delivered(_ link: String = "https://e.org/x", at time: Int64 = 2_000, event: Int = 1) -> JournalOutcome
    {
        JournalOutcome(
            status: .delivered,
            links: DeliveryLinks(link: link, remoteID: "x", deletable: true, captures: ["deletehash": "hush"]),
            attempts: 1,
            durationMilliseconds: 12,
            at: time,
            eventNumber: event
        )
    }

    static func unknown(at time: Int64 = 2_200, event: Int = 1) -> JournalOutcome {
        JournalOutcome(
            status: .unknown,
            failure: DeliveryFailure(kind: .timeout, message: "no answer", retry: .unknownOutcome),
            attempts: 1,
            durationMilliseconds: 12,
            at: time,
            eventNumber: event
        )
    }

    static func failed(at time: Int64 = 2_000, event: Int = 1) -> JournalOutcome {
        JournalOutcome(
            status: .failed,
            failure: DeliveryFailure(kind: .auth, message: "no"),
            attempts: 1,
            durationMilliseconds: 12,
            at: time,
            eventNumber: event
        )
    }
}
