// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightCore

/// What `fanlight explain` found out.
struct Explanation {
    var service: CompiledService
    var facts: ImageFacts
    /// Size of the picture's file.
    var bytes: Int
    var constraints: RenditionConstraints
    var geotag: Geotag?
    /// Bounds and where they come from.
    var notes: [String] = []
    var rendition: Rendition?
    var steps: [RequestText] = []
    /// Why the service could not take the upload.
    var failure: String?

    init(service: CompiledService, facts: ImageFacts, bytes: Int, constraints: RenditionConstraints) {
        self.service = service
        self.facts = facts
        self.bytes = bytes
        self.constraints = constraints
    }

    /// Adds the requests.
    mutating func rehearse(_ context: DeliveryContext) {
        let rehearsed = service.rehearse(context)
        for step in rehearsed {
            if case .fail(let error) = step.deed { failure = failure ?? error.message }
        }
        steps = rehearsed.map { RequestText($0, service: service, context: context) }
    }

    /// The explanation for people.
    var lines: [String] {
        var rows = [
            [
                "service",
                "\(service.name) (adapter \(service.adapterName))"
                    + (service.enabled ? "" : ", off: \(service.disabledReason ?? "")"),
            ]
        ]
        rows.append([
            "picture",
            "\(facts.mediaType.mime) \(facts.width)x\(facts.height), orientation \(facts.orientation.rawValue), \(bytes) bytes",
        ])
        rows.append(["geotag", place ?? "none"])
        for (index, note) in notes.enumerated() { rows.append([index == 0 ? "bounds" : "", note]) }
        if let rendition {
            rows.append([
                "rendition",
                "\(rendition.mediaType.mime) \(rendition.width)x\(rendition.height), \(rendition.file.size) bytes, lane \(rendition.lane.rawValue)",
            ])
            for warning in rendition.warnings { rows.append(["", "\(warning.code): \(warning.message)"]) }
        } else {
            rows.append(["rendition", "none: \(failure ?? "")"])
        }
        var lines = TextTable.lines(rows)
        for (index, step) in steps.enumerated() {
            lines +=
                ["", "\(index + 1) of \(steps.count): \(step.id)" + (step.note.map { ", " + $0 } ?? "")]
                + step.lines.map { "  " + $0 }
        }
        return lines + ["", "Nothing was sent."]
    }

    private var place: String? {
        geotag.map { tag in
            let altitude = tag.altitude.map { ", altitude \(DecimalText.plain($0))" } ?? ""
            return
                "\(DecimalText.rounded(tag.latitude, digits: 7)), \(DecimalText.rounded(tag.longitude, digits: 7))\(altitude) (\(tag.source.rawValue))"
        }
    }

    /// The explanation for programs.
    var json: JSONValue {
        .object([
            .init("service", .string(service.name)), .init("adapter", .string(service.adapterName)),
            .init("enabled", .bool(service.enabled)),
            .init(
                "image",
                .object([
                    .init("media_type", .string(facts.mediaType.mime)), .init("width", .int(facts.width)),
                    .init("height", .int(facts.height)), .init("orientation", .int(Int(facts.orientation.rawValue))),
                    .init("bytes", .int(bytes)),
                ])
            ),
            .init("geotag", geotag.map(Self.json) ?? .null),
            .init("bounds", .array(notes.map { .string($0) })),
            .init("rendition", rendition.map(Self.json) ?? .null),
            .init("steps", .array(steps.map(\.json))),
            .init("error", .optional(failure)),
        ])
    }

    private static func json(_ geotag: Geotag) -> JSONValue {
        .object([
            .init("latitude", .double(geotag.latitude)), .init("longitude", .double(geotag.longitude)),
            .init("altitude", geotag.altitude.map { .double($0) } ?? .null),
            .init("source", .string(geotag.source.rawValue)),
        ])
    }

    private static func json(_ rendition: Rendition) -> JSONValue {
        .object([
            .init("media_type", .string(rendition.mediaType.mime)), .init("width", .int(rendition.width)),
            .init("height", .int(rendition.height)), .init("bytes", .int(rendition.file.size)),
            .init("lane", .string(rendition.lane.rawValue)),
        ])
    }
}
