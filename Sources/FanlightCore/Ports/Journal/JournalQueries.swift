// SPDX-License-Identifier: Apache-2.0

/// What an idempotency key stands for.
public struct JournalKey: Sendable, Equatable {
    /// The characters that the client sent, 1 to 255.
    public var key: String
    /// Who sent it; the same key of two clients is two keys.
    public var client: String
    /// Digest of the request's body and choices.
    public var bodyDigest: String
    /// The uploads of the request, in order.
    public var uploads: [String]
    /// When it came; it expires 24 hours later.
    public var createdAt: Int64

    /// Creates an entry.
    public init(key: String, client: String, bodyDigest: String, uploads: [String], createdAt: Int64) {
        self.key = key
        self.client = client
        self.bodyDigest = bodyDigest
        self.uploads = uploads
        self.createdAt = createdAt
    }
}

/// What part of the history is wanted.
public struct JournalQuery: Sendable, Equatable {
    /// ``JournalPage/next`` of the page before; `nil` = from the newest.
    public var cursor: String?
    /// Uploads of that state only.
    public var status: UploadStatus?
    /// Uploads to that service only.
    public var service: String?
    /// Uploads of that client only; `nil` = of all.
    public var client: String?
    /// Uploads that came at that time or later.
    public var since: Int64?
    /// Uploads that came before that time.
    public var until: Int64?
    /// Uploads of a page, 1 to 1,000.
    public var limit: Int

    /// Creates a query.
    public init(
        cursor: String? = nil,
        status: UploadStatus? = nil,
        service: String? = nil,
        client: String? = nil,
        since: Int64? = nil,
        until: Int64? = nil,
        limit: Int = 50
    ) {
        self.cursor = cursor
        self.status = status
        self.service = service
        self.client = client
        self.since = since
        self.until = until
        self.limit = limit
    }
}

/// A page of the history.
public struct JournalPage: Sendable, Equatable {
    /// Newest first.
    public var uploads: [JournalUpload]
    /// Cursor of the next page; `nil` = this is the last one.
    public var next: String?

    /// Creates a page.
    public init(uploads: [JournalUpload], next: String?) {
        self.uploads = uploads
        self.next = next
    }
}

/// A delivery whose result can be given again.
public struct JournalReuse: Sendable, Equatable {
    /// The upload that made it.
    public var upload: String
    /// What the service gave then.
    public var links: DeliveryLinks
    /// When.
    public var settledAt: Int64

    /// Creates an entry.
    public init(upload: String, links: DeliveryLinks, settledAt: Int64) {
        self.upload = upload
        self.links = links
        self.settledAt = settledAt
    }
}

/// What a ``Journal/prune(now:)`` removed.
public struct JournalPruning: Sendable, Equatable {
    /// Uploads that left the history.
    public var uploads = 0
    /// Pictures that were kept for a retry and are so no longer.
    public var pictures = 0
    /// Idempotency keys that expired.
    public var keys = 0
    /// True when there is more to do: call again soon.
    public var hasMore = false

    /// Nothing.
    public init() {}
}

/// Sizes of the journal.
public struct JournalCounters: Sendable, Equatable {
    /// Uploads in the history.
    public var uploads = 0
    /// Uploads with a pending delivery.
    public var unfinished = 0
    /// Bytes of the journal's files.
    public var journalBytes = 0
    /// Pictures that the journal owns in the spool.
    public var pictures = 0
    /// Their bytes.
    public var pictureBytes = 0
    /// Outcomes that could not be written yet.
    public var owed = 0
    /// Transactions since the start.
    public var commits = 0

    /// Zero.
    public init() {}
}
