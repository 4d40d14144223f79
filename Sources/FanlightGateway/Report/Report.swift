// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

/// What a report says of a rendition; it does not hold the spool file open.
public struct RenditionSummary: Sendable, Equatable {
    /// Type of the bytes that were sent.
    public var mediaType: MediaType
    /// Pixels.
    public var width: Int
    /// Pixels.
    public var height: Int
    /// Size of the file.
    public var bytes: Int
    /// How it was made.
    public var lane: Lane

    /// Sums up a rendition.
    public init(_ rendition: Rendition) {
        mediaType = rendition.mediaType
        width = rendition.width
        height = rendition.height
        bytes = rendition.file.size
        lane = rendition.lane
    }

    /// Sums up the record of a rendition.
    public init(_ rendition: JournalRendition) {
        mediaType = rendition.mediaType
        width = rendition.width
        height = rendition.height
        bytes = rendition.bytes
        lane = rendition.lane
    }
}

/// The joined answer about one upload: one entry a delivery, in configured order.
public struct Report: Sendable {
    /// State of the whole upload.
    public typealias Status = UploadStatus

    /// One delivery of the report.
    public struct Entry: Sendable {
        /// Service name as configured.
        public var service: String
        /// State.
        public var status: DeliveryStatus = .pending
        /// How much it counts.
        public var role = DeliveryRole.required
        /// What the service gave back.
        public var links = DeliveryLinks()
        /// HTTP exchanges made.
        public var attempts = 0
        /// Milliseconds from the start of the delivery to its outcome.
        public var durationMilliseconds = 0
        /// Why it failed.
        public var failure: DeliveryFailure?
        /// What was sent.
        public var rendition: RenditionSummary?

        /// Creates a pending entry.
        public init(service: String) { self.service = service }
    }

    /// Identifier, a UUID of version 7.
    public var id: String
    /// One entry a service, in configured order.
    public var deliveries: [Entry]
    /// What the picture says of itself.
    public var image: ImageFacts
    /// Size of the picture as sent by the client.
    public var imageBytes: Int
    /// Lower-case hexadecimal SHA-256 of the client's bytes; `nil` where the configuration wants none.
    public var sha256: String?
    /// The position that counts: the client's, else the picture's.
    public var geotag: Geotag?
    /// Remarks.
    public var warnings: [Warning]
    /// Arrival, RFC 3339, UTC.
    public var createdAt: String

    /// State of the upload, from its deliveries; those that a route did not need do not count.
    public var status: Status { .of(deliveries.lazy.map { ($0.status, $0.role) }) }

    /// HTTP status of an answer that carries this report.
    public var httpStatus: Int {
        switch status {
        case .delivered: 200
        case .partial: 207
        case .failed: 502
        case .pending: 202
        }
    }

    /// Service and best link of each delivered one, in order.
    public var links: [(service: String, link: String)] {
        deliveries.compactMap { entry in
            guard entry.status == .delivered, let link = entry.links.best else { return nil }
            return (entry.service, link)
        }
    }
}

extension Report {
    /// The report of a record; deliveries that are only measured are left out.
    public init(_ record: JournalUpload) {
        self.init(
            id: record.id,
            deliveries: record.deliveries.filter { $0.role != .shadow }.map { Entry($0, of: record) },
            image: record.image,
            imageBytes: record.imageBytes,
            sha256: record.sha256,
            geotag: record.geotag,
            warnings: record.warnings,
            createdAt: Identity.timestamp(record.createdAt)
        )
    }
}

extension Report.Entry {
    /// The entry of a recorded delivery.
    init(_ delivery: JournalDelivery, of record: JournalUpload) {
        self.init(service: delivery.service)
        status = delivery.status
        role = delivery.role
        links = delivery.links
        attempts = delivery.attempts
        durationMilliseconds = delivery.durationMilliseconds
        // Before the outcome there may be a failure that another attempt makes good.
        failure = delivery.status == .pending ? nil : delivery.failure
        // Gone from this upload, but not from the service.
        if delivery.deletion?.state == .shared { failure = delivery.deletion?.failure }
        if let place = delivery.rendition, record.renditions.indices.contains(place) {
            rendition = RenditionSummary(record.renditions[place])
        }
    }
}

extension Report {
    /// The report as the interface describes it; every key is present.
    public var json: JSONValue {
        .object([
            .init("id", .string(id)),
            .init("status", .string(status.rawValue)),
            .init("links", .object(links.map { .init($0.service, .string($0.link)) })),
            .init("deliveries", .array(deliveries.map(\.json))),
            .init("image", imageJSON),
            .init("geotag", geotag.map(Self.json(of:)) ?? .null),
            .init("taken_at", optional(image.takenAt)),
            .init("created_at", .string(createdAt)),
            .init(
                "warnings",
                .array(
                    warnings.map {
                        .object([.init("code", .string($0.code)), .init("message", .string($0.message))])
                    }
                )
            ),
        ])
    }

    private var imageJSON: JSONValue {
        .object([
            .init("media_type", .string(image.mediaType.mime)),
            .init("width", .number(String(image.width))),
            .init("height", .number(String(image.height))),
            .init("bytes", .number(String(imageBytes))),
            .init("orientation", .number(String(image.orientation.rawValue))),
            .init("sha256", sha256.map { .string($0) } ?? .null),
            .init("frames", .number(String(image.frames))),
        ])
    }

    private static func json(of geotag: Geotag) -> JSONValue {
        .object([
            .init("latitude", .number(DecimalText.rounded(geotag.latitude, digits: 7))),
            .init("longitude", .number(DecimalText.rounded(geotag.longitude, digits: 7))),
            .init("altitude", geotag.altitude.map { .number(DecimalText.rounded($0, digits: 3)) } ?? .null),
            .init("source", .string(geotag.source.rawValue)),
        ])
    }
}

extension Report.Entry {
    /// The entry as the interface describes it.
    public var json: JSONValue {
        .object([
            .init("service", .string(service)),
            .init("status", .string(status.rawValue)),
            .init("link", optional(links.link)),
            .init("page", optional(links.page)),
            .init("thumbnail", optional(links.thumbnail)),
            .init("links", links.more.isEmpty ? .null : .object(links.more.map { .init($0.name, .string($0.value)) })),
            .init("remote_id", optional(links.remoteID)),
            .init("visibility", optional(links.visibility)),
            .init("expires_at", optional(links.expiresAt)),
            .init("deletable", .bool(links.deletable && status == .delivered)),
            .init("attempts", .number(String(attempts))),
            .init("duration_ms", .number(String(durationMilliseconds))),
            .init("error", failure.map(Self.json(of:)) ?? .null),
            .init("rendition", rendition.map(Self.json(of:)) ?? .null),
        ])
    }

    static func json(of failure: DeliveryFailure) -> JSONValue {
        let retryable: Bool
        switch failure.retry {
        case .retry, .retryAfter: retryable = true
        case .never, .unknownOutcome: retryable = false
        }
        return .object([
            .init("kind", .string(failure.kind.rawValue)),
            .init("message", .string(failure.message)),
            .init("http_status", failure.httpStatus.map { .number(String($0)) } ?? .null),
            .init("retryable", .bool(retryable)),
        ])
    }

    private static func json(of rendition: RenditionSummary) -> JSONValue {
        .object([
            .init("media_type", .string(rendition.mediaType.mime)),
            .init("width", .number(String(rendition.width))),
            .init("height", .number(String(rendition.height))),
            .init("bytes", .number(String(rendition.bytes))),
            .init("lane", .string(rendition.lane.rawValue)),
        ])
    }
}

private func optional(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
