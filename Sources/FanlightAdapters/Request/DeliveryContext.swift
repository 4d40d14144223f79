// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

/// What one delivery gives an adapter.
public struct DeliveryContext: Sendable {
    /// What the client said.
    public var caption: Caption
    /// Position, both degrees or none.
    public var geotag: Geotag?
    /// `YYYY-MM-DDTHH:MM:SS` with fraction and offset where known.
    public var takenAt: String?
    /// The prepared picture.
    public var rendition: Rendition
    /// Options of the request for this service, by name.
    public var options: [String: String]
    /// Values that an earlier reply gave; a delete request reads them.
    public var captures: [String: String]
    /// Identifier of the upload.
    public var uploadID: String
    /// The same for every attempt of one delivery.
    public var idempotencyKey: String
    /// A fresh identifier for this attempt.
    public var uuid: String
    /// Seconds since 1970, UTC.
    public var now: Int
    /// Base of links to the gateway itself, without a slash at the end.
    public var publicURL: String?
    /// File name sent to services, without extension.
    ///
    /// Made up, because a client's own may tell too much.
    public var fileStem: String
    /// The picture's bytes where they are already in memory; the spool file is read otherwise, and only when needed.
    public var content: [UInt8]?

    /// Creates a context.
    public init(
        caption: Caption = Caption(),
        geotag: Geotag? = nil,
        takenAt: String? = nil,
        rendition: Rendition,
        options: [String: String] = [:],
        captures: [String: String] = [:],
        uploadID: String,
        idempotencyKey: String,
        uuid: String,
        now: Int,
        publicURL: String? = nil,
        fileStem: String = "picture",
        content: [UInt8]? = nil
    ) {
        self.caption = caption
        self.geotag = geotag
        self.takenAt = takenAt
        self.rendition = rendition
        self.options = options
        self.captures = captures
        self.uploadID = uploadID
        self.idempotencyKey = idempotencyKey
        self.uuid = uuid
        self.now = now
        self.publicURL = publicURL
        self.fileStem = fileStem
        self.content = content
    }
}
