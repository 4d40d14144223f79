// SPDX-License-Identifier: Apache-2.0

/// Which metadata may leave inside a file.
public enum MetadataPolicy: String, Sendable, CaseIterable { case strip, copyright, stripGPS = "strip_gps", keep }

/// Which of the ways made a rendition.
public enum Lane: String, Sendable, CaseIterable, Comparable {
    case untouched, stripped, rotated, resized, converted

    /// The cheaper one is less.
    public static func < (first: Lane, second: Lane) -> Bool {
        (allCases.firstIndex(of: first) ?? 0) < (allCases.firstIndex(of: second) ?? 0)
    }
}

/// What a rendition must satisfy; equal constraints share one rendition.
public struct RenditionConstraints: Sendable, Hashable {
    /// Longer side in pixels, never enlarged to; 0 = no bound.
    public var maxEdge: Int
    /// Width times height; `nil` = no bound.
    public var maxPixels: Int?
    /// Bytes of the file; `nil` = no bound.
    public var maxBytes: Int?
    /// Frames of an animation; `nil` = no bound.
    public var maxFrames: Int?
    /// Formats that the service takes, best first; `nil` = JPEG, PNG, WebP and GIF.
    public var formats: [MediaType]?
    /// The one format to make; `nil` = the source's own where the service takes it.
    public var format: MediaType?
    /// Metadata that may stay.
    public var metadata: MetadataPolicy
    /// JPEG and WebP quality of re-encoded pictures, 1...100.
    public var quality: Int
    /// How a sideways JPEG becomes upright.
    public var rotation: RotationPolicy
    /// What happens to colours that are not sRGB.
    public var colour: ColourPolicy
    /// What shows through transparency where the format has none.
    public var background: GroundColour

    /// Creates constraints.
    public init(
        maxEdge: Int = 2048,
        maxPixels: Int? = nil,
        maxBytes: Int? = nil,
        maxFrames: Int? = nil,
        formats: [MediaType]? = nil,
        format: MediaType? = nil,
        metadata: MetadataPolicy = .strip,
        quality: Int = 85,
        rotation: RotationPolicy = .lossless,
        colour: ColourPolicy = .keep,
        background: GroundColour = .white
    ) {
        self.maxEdge = maxEdge
        self.maxPixels = maxPixels
        self.maxBytes = maxBytes
        self.maxFrames = maxFrames
        self.formats = formats
        self.format = format
        self.metadata = metadata
        self.quality = quality
        self.rotation = rotation
        self.colour = colour
        self.background = background
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
    /// What was lost on the way, for example `animation_lost`.
    public var warnings: [Warning]

    /// Creates a rendition.
    public init(
        file: SpooledFile,
        mediaType: MediaType,
        width: Int,
        height: Int,
        lane: Lane,
        warnings: [Warning] = []
    ) {
        self.file = file
        self.mediaType = mediaType
        self.width = width
        self.height = height
        self.lane = lane
        self.warnings = warnings
    }
}
