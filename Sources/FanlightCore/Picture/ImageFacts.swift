// SPDX-License-Identifier: Apache-2.0

/// What a picture's own bytes say, found without decoding pixels.
public struct ImageFacts: Sendable, Equatable {
    /// True type, from the content.
    public var mediaType: MediaType
    /// Stored pixels, before turning.
    public var width: Int
    /// Stored pixels, before turning.
    public var height: Int
    /// HEIF: the container's turning (irot, imir) in EXIF numbers; all others: the EXIF tag, 1 where missing or invalid.
    public var orientation: Orientation
    /// Size after turning and after a container's crop.
    public var uprightWidth: Int
    /// Size after turning and after a container's crop.
    public var uprightHeight: Int
    /// Pictures shown one after another, pages of a TIFF; 1 for a still.
    public var frames: Int
    /// True where the file declares transparency.
    public var hasAlpha: Bool
    /// The picture's own position.
    public var geotag: Geotag?
    /// What else the file says about the place: when, looking where, how exact.
    public var fix = PositionFix()
    /// `YYYY-MM-DDTHH:MM:SS` with three to nine digits of a second and the offset where the file gives them.
    public var takenAt: String?
    /// EXIF Make, trimmed.
    public var cameraMake: String?
    /// EXIF Model, trimmed.
    public var cameraModel: String?
    /// Second pictures and films that stand in the same file; they get lost where the picture is rewritten.
    public var companions: Set<Companion> = []
    /// Remarks, for example `null_island`.
    public var warnings: [Warning]

    /// Creates facts; everything but type and size has the value of a plain upright still.
    public init(
        mediaType: MediaType,
        width: Int,
        height: Int,
        orientation: Orientation = .upright,
        frames: Int = 1,
        hasAlpha: Bool = false,
        geotag: Geotag? = nil,
        takenAt: String? = nil,
        cameraMake: String? = nil,
        cameraModel: String? = nil,
        warnings: [Warning] = []
    ) {
        self.mediaType = mediaType
        self.width = width
        self.height = height
        self.orientation = orientation
        self.uprightWidth = orientation.swapsSides ? height : width
        self.uprightHeight = orientation.swapsSides ? width : height
        self.frames = frames
        self.hasAlpha = hasAlpha
        self.geotag = geotag
        self.takenAt = takenAt
        self.cameraMake = cameraMake
        self.cameraModel = cameraModel
        self.warnings = warnings
    }
}

/// What may stand in a picture's file besides the picture.
public enum Companion: String, Sendable, CaseIterable, Hashable {
    /// More pictures behind the first (CIPA DC-007), for example previews or the other eye of a stereo camera.
    case pictures = "multi_picture"
    /// A picture that tells how bright each part is on a screen of high dynamic range.
    case gainMap = "gain_map"
    /// A short film.
    case film = "motion_photo"
}

/// How a position was measured, as far as the file says so.
public struct PositionFix: Sendable, Equatable {
    /// What a direction is measured from.
    public enum North: String, Sendable { case geographic, magnetic }

    /// When the position was measured, `YYYY-MM-DDTHH:MM:SSZ` with a fraction where there is one.
    public var time: String?
    /// Where the camera looked, degrees clockwise from north, 0..<360.
    public var direction: Double?
    /// What the direction is measured from; `nil` where unknown.
    public var north: North?
    /// Radius of the error in metres.
    public var error: Double?
    /// Name of the reference system as the file has it.
    public var datum: String?

    /// Creates a fix of which nothing is known.
    public init() {}
}

/// Bounds that a picture must keep before any C library may see it.
public struct ImageLimits: Sendable, Equatable {
    /// Pixels of one declared canvas.
    public var maxPixels = 100_000_000
    /// Frames or pages.
    public var maxFrames = 1_000
    /// Pixels over all frames, as declared.
    public var maxTotalPixels = 2_000_000_000

    /// Creates the default limits.
    public init() {}
}

/// Why a picture is refused.
public enum ImageError: Error, Sendable, Equatable {
    case empty
    /// Not a picture type that the gateway takes; the value is a short name of what it seems to be, or `nil`.
    case unsupportedType(String?)
    case tooManyPixels(width: Int, height: Int, limit: Int)
    case tooManyFrames(Int, limit: Int)
    case truncated
    /// The value says what is wrong, without any of the picture's bytes.
    case corrupt(String)
    /// No rendition satisfies the service's limits; the value says why.
    case noRendition(String)
    /// The decoding process failed, ran out of its limits, or was killed.
    case processingFailed(String)
    /// Nothing is wrong with the picture: the disk is full, too many wait, or the gateway stops.
    case unavailable(String)
}
