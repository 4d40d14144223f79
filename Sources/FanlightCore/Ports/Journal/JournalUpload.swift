// SPDX-License-Identifier: Apache-2.0

/// The record of one upload.
public struct JournalUpload: Sendable, Equatable {
    /// Identifier, unique in the journal.
    public var id: String
    /// Arrival.
    public var createdAt: Int64
    /// Who sent it: a digest or name of the client's key, never the key; empty = nobody in particular.
    public var client: String
    /// What the picture says of itself.
    public var image: ImageFacts
    /// Bytes of the picture as the client sent it.
    public var imageBytes: Int
    /// Lower-case hexadecimal SHA-256 of the client's bytes; `nil` = never computed.
    public var sha256: String?
    /// What the client says of it.
    public var caption: Caption
    /// The position that counts.
    public var geotag: Geotag?
    /// Remarks.
    public var warnings: [Warning]
    /// The gateway's own choices, for example the route's policy; the journal does not look into it.
    public var choices: JSONValue
    /// Prepared pictures; deliveries refer to them by their place here.
    public var renditions: [JournalRendition]
    /// One entry a service, in the order of the report.
    public var deliveries: [JournalDelivery]
    /// The webhook of this upload; `nil` = none.
    public var notification: JournalNotification?

    /// Creates a record without deliveries.
    public init(
        id: String,
        createdAt: Int64,
        client: String = "",
        image: ImageFacts,
        imageBytes: Int,
        sha256: String?,
        caption: Caption = Caption(),
        geotag: Geotag? = nil,
        warnings: [Warning] = [],
        choices: JSONValue = .object([]),
        renditions: [JournalRendition] = [],
        deliveries: [JournalDelivery] = [],
        notification: JournalNotification? = nil
    ) {
        self.id = id
        self.createdAt = createdAt
        self.client = client
        self.image = image
        self.imageBytes = imageBytes
        self.sha256 = sha256
        self.caption = caption
        self.geotag = geotag
        self.warnings = warnings
        self.choices = choices
        self.renditions = renditions
        self.deliveries = deliveries
        self.notification = notification
    }

    /// State of the upload.
    public var status: UploadStatus { .of(deliveries.lazy.map { ($0.status, $0.role) }) }
}

/// A prepared picture in the spool.
public struct JournalRendition: Sendable, Equatable {
    /// Name of the file in the spool's folder (``SpooledFile/name``); `nil` once the file is removed.
    public var file: String?
    /// Size of the rendition; of the file too, where it is no part.
    public var bytes: Int
    /// Where the rendition is a part of its file; `nil` = it is the whole of it.
    public var part: Part?
    /// Type of the bytes.
    public var mediaType: MediaType
    /// Pixels.
    public var width: Int
    /// Pixels.
    public var height: Int
    /// How it was made.
    public var lane: Lane
    /// Lower-case hexadecimal SHA-256 of the file where somebody needed it; `nil` = never computed.
    public var sha256: String?

    /// How a rendition that is a part of a file is made of it.
    public struct Part: Sendable, Equatable {
        /// Bytes that stand before the part.
        public var head: [UInt8]
        /// Where the part begins in the file; it ends where ``JournalRendition/bytes`` are complete.
        public var start: Int
        /// Size of the file.
        public var storedBytes: Int

        /// Creates a part.
        public init(head: [UInt8], start: Int, storedBytes: Int) {
            self.head = head
            self.start = start
            self.storedBytes = storedBytes
        }
    }

    /// Creates an entry.
    public init(
        file: String?,
        bytes: Int,
        part: Part? = nil,
        mediaType: MediaType,
        width: Int,
        height: Int,
        lane: Lane,
        sha256: String? = nil
    ) {
        self.file = file
        self.bytes = bytes
        self.part = part
        self.mediaType = mediaType
        self.width = width
        self.height = height
        self.lane = lane
        self.sha256 = sha256
    }
}

/// The record of one delivery.
public struct JournalDelivery: Sendable, Equatable {
    /// How far a pending delivery is.
    public enum Phase: String, Sendable {
        /// No attempt under way.
        case waiting
        /// An attempt began; its request is not complete at the service.
        case attempting
        /// The last bytes of a request that must not be repeated may have left.
        case releasing
    }

    /// Name of the service.
    public var service: String
    /// How much it counts.
    public var role: DeliveryRole
    /// Place of its picture among the upload's renditions; `nil` where none could be made.
    public var rendition: Int?
    /// Options of the request for this service; sealed on disk.
    public var options: [String: String]
    /// Digest of all that the service would get besides the picture, for `duplicates: reuse`; `nil` = never reused.
    public var captionDigest: String?
    /// State.
    public var status: DeliveryStatus
    /// How far it is while it is pending.
    public var phase: Phase
    /// True when a request that may be repeated had been sent, or was on its way, and its outcome was not seen.
    public var isInDoubt: Bool
    /// HTTP exchanges made.
    public var attempts: Int
    /// Begin of the first attempt: deadlines count from here, also after a restart.
    public var firstAttemptAt: Int64?
    /// Earliest time of the next attempt.
    public var notBefore: Int64?
    /// Finished steps and captures of a delivery of several steps; sealed on disk.
    public var progress: JSONValue?
    /// What the service gave; `captures` are sealed on disk.
    public var links: DeliveryLinks
    /// Why the last attempt failed.
    public var failure: DeliveryFailure?
    /// Milliseconds from the start of the delivery to its outcome.
    public var durationMilliseconds: Int
    /// When the outcome was known.
    public var settledAt: Int64?
    /// Place of the outcome among the upload's events, from 1; `nil` before there is one.
    public var eventNumber: Int?
    /// The wish to delete what was delivered; `nil` = none.
    public var deletion: JournalDeletion?

    /// Creates a pending delivery.
    public init(
        service: String,
        role: DeliveryRole = .required,
        rendition: Int? = nil,
        options: [String: String] = [:],
        captionDigest: String? = nil
    ) {
        self.service = service
        self.role = role
        self.rendition = rendition
        self.options = options
        self.captionDigest = captionDigest
        status = .pending
        phase = .waiting
        isInDoubt = false
        attempts = 0
        firstAttemptAt = nil
        notBefore = nil
        progress = nil
        links = DeliveryLinks()
        failure = nil
        durationMilliseconds = 0
        settledAt = nil
        eventNumber = nil
        deletion = nil
    }
}

/// A deletion at a service, from the wish to its outcome.
public struct JournalDeletion: Sendable, Equatable {
    /// State of a deletion.
    public enum State: String, Sendable {
        case pending, deleted, failed
        /// Given up by this upload; the picture stays at the service for another upload that has the same links.
        case shared

        /// True where the delivery's status becomes ``DeliveryStatus/deleted``.
        public var endsDelivery: Bool { self == .deleted || self == .shared }
    }
    /// State.
    public var state: State
    /// Requests made.
    public var attempts: Int
    /// When it was asked for, or when its outcome was known.
    public var at: Int64
    /// Why it failed.
    public var failure: DeliveryFailure?

    /// Creates a state.
    public init(state: State, attempts: Int = 0, at: Int64, failure: DeliveryFailure? = nil) {
        self.state = state
        self.attempts = attempts
        self.at = at
        self.failure = failure
    }
}

/// The webhook call of an upload.
public struct JournalNotification: Sendable, Equatable {
    /// Calls made.
    public var attempts: Int
    /// When the next call is due; `nil` = not before the upload is complete, or never again.
    public var dueAt: Int64?
    /// True when the receiver took it, or when it was given up.
    public var isDone: Bool

    /// Creates a state.
    public init(attempts: Int = 0, dueAt: Int64? = nil, isDone: Bool = false) {
        self.attempts = attempts
        self.dueAt = dueAt
        self.isDone = isDone
    }
}
