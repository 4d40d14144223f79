// SPDX-License-Identifier: Apache-2.0

/// What a helper must know about the picture that it is given.
public struct PixelSource: Sendable, Hashable {
    /// True type.
    public var mediaType: MediaType
    /// Turning that makes the stored pixels upright; decoders of HEIF do theirs by themselves.
    public var orientation: Orientation
    /// Stored pixels across.
    public var width: Int
    /// Stored pixels down.
    public var height: Int
    /// Frames as declared.
    public var frames: Int

    /// Creates a source.
    public init(
        mediaType: MediaType,
        orientation: Orientation = .upright,
        width: Int = 0,
        height: Int = 0,
        frames: Int = 1
    ) {
        self.mediaType = mediaType
        self.orientation = orientation
        self.width = width
        self.height = height
        self.frames = frames
    }

    /// Takes what a picture's bytes say.
    public init(_ facts: ImageFacts) {
        self.init(
            mediaType: facts.mediaType,
            orientation: facts.orientation,
            width: facts.width,
            height: facts.height,
            frames: facts.frames
        )
    }

    var fields: [String] {
        [mediaType.rawValue, "\(orientation.rawValue)", "\(width)", "\(height)", "\(frames)"]
    }

    init?(fields: ArraySlice<Substring>) {
        let fields = Array(fields)
        guard fields.count == 5, let mediaType = MediaType(rawValue: String(fields[0])),
            let orientation = Int(fields[1]).flatMap(Orientation.init), let width = Int(fields[2]),
            let height = Int(fields[3]), let frames = Int(fields[4])
        else { return nil }
        self.init(mediaType: mediaType, orientation: orientation, width: width, height: height, frames: frames)
    }
}
