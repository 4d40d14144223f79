// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

/// Something that happened in the gateway, for metrics and logs.
///
/// Holds names from the configuration and numbers, never captions, positions, file names or secrets.
public enum GatewayEvent: Sendable {
    /// A request was refused.
    case refused(Problem.Code)
    /// An upload was taken: bytes as the client sent them, and deliveries wanted.
    case accepted(bytes: Int, deliveries: Int)
    /// A rendition was prepared.
    case prepared(lane: Lane, bytes: Int)
    /// All renditions of one picture were made; the lane is the costliest among them.
    case preparedPicture(lane: Lane, duration: Duration)
    /// Pictures of a request are ready; from the complete body to the last rendition.
    case prepareTime(Duration)
    /// One attempt is over; `nil` = delivered.
    case attempt(service: String, kind: ErrorKind?, duration: Duration)
    /// A delivery has its outcome.
    case delivery(
        service: String,
        role: DeliveryRole,
        status: DeliveryStatus,
        kind: ErrorKind?,
        attempts: Int,
        duration: Duration
    )
    /// An upload has its last outcome; from its acceptance, or from the restart that continued it.
    case upload(status: UploadStatus, duration: Duration)
    /// Deliveries that wait for a place at a service, and attempts under way there.
    case queue(service: String, waiting: Int, underWay: Int)
    /// The circuit of a service changed.
    case circuit(service: String, state: CircuitBreaker.State)
    /// A link was given again instead of sending the same picture again.
    case reused(service: String)
    /// A deletion at a service has its outcome; not pending.
    case deletion(service: String, state: JournalDeletion.State)
    /// A call of the webhook is over.
    case webhook(WebhookResult)
    /// The journal refused to write, or to tell what it holds.
    case journalFailed(JournalError, isReading: Bool = false)
    /// Uploads that an earlier run left, found at the start.
    case recovered(uploads: Int)

    /// What came of a call of the webhook.
    public enum WebhookResult: String, Sendable, CaseIterable {
        /// It was taken.
        case delivered
        /// It was not, and will be repeated.
        case failed
        /// It was not, and was the last one.
        case givenUp = "given_up"
    }
}

/// Takes what happens; calls come from any thread and must return at once.
public struct GatewayEvents: Sendable {
    /// Takes one event.
    public var tell: @Sendable (GatewayEvent) -> Void

    /// Creates a listener.
    public init(tell: @escaping @Sendable (GatewayEvent) -> Void) { self.tell = tell }

    /// Listens to nothing.
    public static let none = GatewayEvents { _ in }
}
