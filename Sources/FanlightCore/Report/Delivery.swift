// SPDX-License-Identifier: Apache-2.0

/// Kind of a failed delivery; closed list, part of the API.
public enum ErrorKind: String, Sendable, CaseIterable {
    case auth, quota, rateLimited = "rate_limited", tooLarge = "too_large", badFormat = "bad_format", duplicate,
        rejected,
        moderation, unavailable, timeout, network, redirect, badReply = "bad_reply", circuitOpen = "circuit_open",
        noRendition = "no_rendition", interrupted
}

/// State of a delivery.
public enum DeliveryStatus: String, Sendable { case delivered, failed, unknown, skipped, pending, deleted }

/// Whether and when a failed attempt may be repeated.
public enum RetryClass: Sendable, Equatable {
    case retry
    case retryAfter(Duration)
    case never
    case unknownOutcome
}

/// A failed attempt or delivery, ready to be shown; holds no secret and no markup.
public struct DeliveryFailure: Error, Sendable, Equatable {
    /// Kind.
    public var kind: ErrorKind
    /// One short sentence; the service's own words where it gave some.
    public var message: String
    /// Status of the reply, if one came.
    public var httpStatus: Int?
    /// What may follow.
    public var retry: RetryClass
    /// True where the service may have the picture nevertheless.
    ///
    /// A request that publishes had been sent in full, and its outcome was not seen. Whether it may be repeated is another matter, which ``retry`` tells.
    public var mayHaveArrived: Bool

    /// Creates a failure.
    public init(
        kind: ErrorKind,
        message: String,
        httpStatus: Int? = nil,
        retry: RetryClass = .never,
        mayHaveArrived: Bool = false
    ) {
        self.kind = kind
        self.message = message
        self.httpStatus = httpStatus
        self.retry = retry
        self.mayHaveArrived = mayHaveArrived || retry == .unknownOutcome
    }
}

extension DeliveryFailure {
    /// The same as the end of a delivery that may have arrived: with words that say so where it is about something else.
    public var inDoubt: DeliveryFailure {
        var failure = self
        if !mayHaveArrived { failure.message += " An earlier request may have arrived: its answer was not seen." }
        failure.retry = .unknownOutcome
        failure.mayHaveArrived = true
        return failure
    }
}

/// What a service gave back.
public struct DeliveryLinks: Sendable, Equatable {
    /// Direct URL of the picture.
    public var link: String?
    /// URL of a page that shows it.
    public var page: String?
    /// URL of a small version.
    public var thumbnail: String?
    /// URL that deletes the picture when somebody visits it; often a page that asks again.
    public var deleteURL: String?
    /// When the picture vanishes, `YYYY-MM-DDTHH:MM:SSZ`; `nil` = never, or not known.
    public var expiresAt: String?
    /// Who can see it: `public`, `private`, `expiring`; `nil` = not known.
    public var visibility: String?
    /// Further links by the adapter's names, in its order.
    public var more: [HTTPField]
    /// The service's identifier.
    public var remoteID: String?
    /// True when the adapter can delete it.
    public var deletable: Bool
    /// Values captured by `save`, for a later delete request; may hold secrets.
    public var captures: [String: String]

    /// Creates links.
    public init(
        link: String? = nil,
        page: String? = nil,
        thumbnail: String? = nil,
        deleteURL: String? = nil,
        expiresAt: String? = nil,
        visibility: String? = nil,
        more: [HTTPField] = [],
        remoteID: String? = nil,
        deletable: Bool = false,
        captures: [String: String] = [:]
    ) {
        self.link = link
        self.page = page
        self.thumbnail = thumbnail
        self.deleteURL = deleteURL
        self.expiresAt = expiresAt
        self.visibility = visibility
        self.more = more
        self.remoteID = remoteID
        self.deletable = deletable
        self.captures = captures
    }

    /// Link, else page.
    public var best: String? { link ?? page }
}
