// SPDX-License-Identifier: Apache-2.0

/// Which metadata may leave inside a file.
public enum MetadataPolicy: String, Sendable, CaseIterable { case strip, copyright, stripGPS = "strip_gps", keep }

/// Which of the ways made a rendition.
public enum Lane: String, Sendable { case untouched, stripped, rotated, resized, converted }

/// What a rendition must satisfy; equal constraints share one rendition.
public struct RenditionConstraints: Sendable, Hashable {
    /// Longer side in pixels, never enlarged to; 0 = no bound.
    public var maxEdge: Int
    /// Width times height; `nil` = no bound.
    public var maxPixels: Int?
    /// Bytes of the file; `nil` = no bound.
    public var maxBytes: Int?
    /// Formats that the service takes, best first; `nil` = JPEG, PNG, WebP and GIF.
    public var formats: [MediaType]?
    /// Metadata that may stay.
    public var metadata: MetadataPolicy
    /// JPEG and WebP quality of re-encoded pictures, 1...100.
    public var quality: Int

    /// Creates constraints.
    public init(
        maxEdge: Int = 2048,
        maxPixels: Int? = nil,
        maxBytes: Int? = nil,
        formats: [MediaType]? = nil,
        metadata: MetadataPolicy = .strip,
        quality: Int = 85
    ) {
        self.maxEdge = maxEdge
        self.maxPixels = maxPixels
        self.maxBytes = maxBytes
        self.formats = formats
        self.metadata = metadata
        self.quality = quality
    }
}

/// The upload's image prepared for one set of constraints.
public struct Rendition: Sendable {
    /// The bytes, shared by every delivery.
    public var file: SpooledFile
    /// Type of the bytes.
    public var mediaType: MediaType
    /// Pixels.
    public var width: Int
    /// Pixels.
    public var height: Int
    /// How it was made.
    public var lane: Lane

    /// Creates a rendition.
    public init(file: SpooledFile, mediaType: MediaType, width: Int, height: Int, lane: Lane) {
        self.file = file
        self.mediaType = mediaType
        self.width = width
        self.height = height
        self.lane = lane
    }
}
