// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@testable import FanlightGateway

@Suite("Reports")
struct ReportTests {
    private func report(_ states: [DeliveryStatus]) -> Report {
        let entries = states.enumerated().map { index, status in
            var entry = Report.Entry(service: "s\(index)")
            entry.status = status
            if status == .delivered { entry.links.link = "https://h.example/\(index)?a=(1)&b=<2>" }
            if status == .failed { entry.failure = DeliveryFailure(kind: .auth, message: "no", httpStatus: 200) }
            return entry
        }
        return Report(
            id: "id",
            deliveries: entries,
            image: ImageFacts(mediaType: .jpeg, width: 4, height: 3, orientation: .right),
            imageBytes: 99,
            sha256: "00",
            geotag: Geotag(latitude: -0.00000001, longitude: 12.5, source: .exif),
            warnings: [],
            createdAt: "2026-01-01T00:00:00.000Z"
        )
    }

    @Test(
        "Status of an upload follows from its deliveries",
        arguments: [
            ([DeliveryStatus.delivered, .delivered], "delivered", 200), ([.delivered, .failed], "partial", 207),
            ([.failed, .unknown], "failed", 502), ([.delivered, .pending], "pending", 202),
            ([.delivered, .skipped], "delivered", 200),
            ([.failed, .delivered, .skipped], "partial", 207), ([.skipped], "failed", 502),
        ]
    )
    func status(states: [DeliveryStatus], name: String, code: Int) {
        #expect(report(states).status.rawValue == name)
        #expect(report(states).httpStatus == code)
    }

    @Test("The JSON has every key, in order, and numbers as written")
    func json() {
        let expected =
            #"{"id":"id","status":"failed","links":{},"deliveries":[{"service":"s0","status":"failed","link":null,"page":null,"#
            + #""thumbnail":null,"links":null,"remote_id":null,"visibility":null,"expires_at":null,"deletable":false,"attempts":0,"duration_ms":0,"error":{"kind":"auth","#
            + #""message":"no","http_status":200,"retryable":false},"rendition":null}],"image":{"media_type":"image/jpeg","#
            + #""width":4,"height":3,"bytes":99,"orientation":6,"sha256":"00","frames":1},"geotag":{"latitude":0,"#
            + #""longitude":12.5,"altitude":null,"source":"exif"},"taken_at":null,"created_at":"2026-01-01T00:00:00.000Z","#
            + #""warnings":[]}"#
        #expect(report([.failed]).json.serialized() == expected)
    }

    @Test("An entry tells all that a service gave back, but never how to delete the picture")
    func everythingGivenBack() {
        var entry = Report.Entry(service: "s")
        entry.status = .delivered
        entry.links = DeliveryLinks(
            link: "https://h.example/1",
            deleteURL: "https://h.example/delete/ticket-7",
            expiresAt: "2026-12-01T00:00:00Z",
            visibility: "expiring",
            more: [HTTPField("medium", "https://h.example/m"), HTTPField("album", "https://h.example/a")],
            captures: ["deletehash": "ticket-7"]
        )
        let json = entry.json
        #expect(json["visibility"]?.string == "expiring")
        #expect(json["expires_at"]?.string == "2026-12-01T00:00:00Z")
        #expect(json["links"]?.serialized() == #"{"medium":"https://h.example/m","album":"https://h.example/a"}"#)
        #expect(!json.serialized().contains("ticket-7"))
        entry.links.deletable = true
        #expect(entry.json["deletable"] == .bool(true))
        entry.status = .deleted
        #expect(entry.json["deletable"] == .bool(false))
    }

    @Test(
        "Links ready to paste are escaped",
        arguments: [
            (TextFormat.text, "https://h.example/0?a=(1)&b=<2>\n"),
            (.markdown, "![s0](https://h.example/0?a=%281%29&b=%3C2%3E)\n"),
            (
                .html,
                "<a href=\"https://h.example/0?a=(1)&amp;b=&lt;2&gt;\"><img src=\"https://h.example/0?a=(1)&amp;b=&lt;2&gt;\" alt=\"s0\"></a>\n"
            ),
            (.bbcode, "[img]https://h.example/0?a=(1)&b=<2>[/img]\n"),
            (.rst, ".. image:: https://h.example/0?a=(1)&b=<2>\n"),
        ]
    )
    func formats(format: TextFormat, text: String) { #expect(format.render(report([.delivered, .failed])) == text) }

    @Test("A mark behind a character does not spare it its escape")
    func marks() {
        let mark = "\u{301}"
        var hostile = report([.delivered])
        hostile.deliveries[0].service = "s\"\(mark)>]\(mark)"
        #expect(TextFormat.html.render(hostile).contains("alt=\"s&quot;\(mark)&gt;]\(mark)\""))
        #expect(TextFormat.markdown.render(hostile).contains("![s\"\(mark)>\\]\(mark)]"))
    }

    @Test("A number with an exponent that nothing is as large as is none")
    func exponents() {
        for text in ["1e-9223372036854775808", "1e9223372036854775807", "1e401", "1e-401"] {
            #expect(DecimalText.fixed(text, digits: 2) == nil)
        }
        #expect(DecimalText.fixed(String(repeating: "0", count: 3_000_000) + "1.5", digits: 0) == "2")
    }

    @Test(
        "Decimal text",
        arguments: [
            (51.50722222, 7, "51.5072222"), (-0.1275, 7, "-0.1275"), (0, 7, "0"), (-0.00000001, 7, "0"),
            (12.3456, 3, "12.346"),
            (180, 7, "180"), (0.05, 1, "0.1"),
        ]
    )
    func decimals(value: Double, digits: Int, text: String) {
        #expect(DecimalText.rounded(value, digits: digits) == text)
    }

    @Test("Problem codes and their statuses are an interface")
    func codes() {
        let table = Problem.Code.allCases.map { "\($0.rawValue) \($0.status)" }
        #expect(
            table == [
                "unauthorized 401", "malformed 400", "no_picture 400", "not_found 404", "method_not_allowed 405",
                "too_large 413",
                "unsupported_type 415",
                "damaged_picture 422", "too_many_pixels 422", "too_many_frames 422", "unknown_service 422",
                "bad_field 422",
                "processing_failed 422", "idempotency_key_reused 409", "nothing_to_retry 409", "picture_gone 409",
                "upload_pending 409", "journal_unavailable 503", "stopping 503", "unavailable 503", "not_ready 503",
                "service_not_allowed 403", "rate_limited 429", "quota_exceeded 429", "overloaded 503",
            ]
        )
    }

    @Test("Identifiers are UUIDs of version 7 and sort by time")
    func identifiers() {
        let early = Identity(now: { 1_000 }, random: { 0 })
        let late = Identity(now: { 1_700_000_000_123 }, random: { .max })
        #expect(early.uploadID() == "00000000-03e8-7000-8000-000000000000")
        #expect(early.uploadID() < late.uploadID())
        #expect(late.timestamp() == "2023-11-14T22:13:20.123Z")
    }

    @Test("Trouble of the gateway itself is not told as a fault of the picture")
    func gatewayTrouble() {
        #expect(Problem(ImageError.unavailable("the spool is full")).code == .unavailable)
        #expect(Problem(ImageError.unavailable("the spool is full")).answer.status == 503)
        #expect(Problem(ImageError.processingFailed("it took too long")).answer.status == 422)
    }
}
