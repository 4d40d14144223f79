// SPDX-License-Identifier: Apache-2.0

/// Something that happened to an upload.
public struct JournalNote: Sendable, Equatable {
    /// Identifier of the upload.
    public var upload: String
    /// What happened.
    public var event: Event

    /// Where it happened.
    public enum Event: Sendable, Equatable {
        /// At the delivery with that place in the report, from 0.
        case delivery(Int, JournalChange)
        /// At the webhook.
        case notification(JournalNotification)
        /// The gateway's own choices changed.
        case choices(JSONValue)
    }

    /// Notes a change of a delivery.
    public init(upload: String, delivery: Int, _ change: JournalChange) {
        self.upload = upload
        event = .delivery(delivery, change)
    }

    /// Notes something about the whole upload.
    public init(upload: String, _ event: Event) {
        self.upload = upload
        self.event = event
    }
}

/// A change of one delivery.
public enum JournalChange: Sendable, Equatable {
    /// An attempt begins; `attempt` counts from 1. Need not be waited for.
    case attempting(attempt: Int, at: Int64)
    /// From now on the last bytes of a request that must not be repeated may leave; says all that `attempting` says.
    case releasing(attempt: Int, at: Int64)
    /// From now on the last bytes of a request that publishes and may be repeated may leave; says all that `attempting`
    /// says, and the delivery is in doubt until a later change says otherwise.
    case doubting(attempt: Int, at: Int64)
    /// The request that was let go has had a complete reply that allows another attempt, or a step is done.
    ///
    /// The delivery is in phase `waiting` again, in doubt where this says so; `nil` keeps the progress as it is.
    case progress(JSONValue?, isInDoubt: Bool = false)
    /// An attempt failed, the next must not begin before `until`; the delivery is in phase `waiting` again, in doubt where
    /// the failure says that the picture may have arrived.
    case backingOff(until: Int64, attempts: Int, DeliveryFailure)
    /// The delivery has its outcome.
    case settled(JournalOutcome)
    /// The delivery is wanted again (`retry`): pending, with no attempt, its deadline not begun; what was `unknown` is in
    /// doubt.
    case reopened(at: Int64)
    /// A deletion is wanted, or has an outcome.
    case deletion(JournalDeletion)
}

/// The outcome of a delivery.
public struct JournalOutcome: Sendable, Equatable {
    /// State; not pending.
    public var status: DeliveryStatus
    /// What the service gave.
    public var links: DeliveryLinks
    /// Why it failed.
    public var failure: DeliveryFailure?
    /// HTTP exchanges made.
    public var attempts: Int
    /// Milliseconds from the start of the delivery to its outcome.
    public var durationMilliseconds: Int
    /// When the outcome was known.
    public var at: Int64
    /// Place among the upload's events, from 1.
    public var eventNumber: Int

    /// Creates an outcome.
    public init(
        status: DeliveryStatus,
        links: DeliveryLinks = DeliveryLinks(),
        failure: DeliveryFailure? = nil,
        attempts: Int,
        durationMilliseconds: Int,
        at: Int64,
        eventNumber: Int
    ) {
        self.status = status
        self.links = links
        self.failure = failure
        self.attempts = attempts
        self.durationMilliseconds = durationMilliseconds
        self.at = at
        self.eventNumber = eventNumber
    }
}
