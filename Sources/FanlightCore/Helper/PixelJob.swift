// SPDX-License-Identifier: Apache-2.0

/// One file that a helper makes from a picture: turned coefficients where that is asked for and possible, else new
/// pixels.
public struct PixelJob: Sendable, Hashable {
    /// What to try before any pixel is decoded.
    public enum Turning: String, Sendable {
        /// Nothing.
        case never
        /// The JPEG's coefficients, if no partial block stays behind.
        case exact
        /// The JPEG's coefficients; partial blocks are cut off.
        case trimmed
    }

    /// What to try first.
    public var turning: Turning
    /// Bounds of the upright picture; 0 = none.
    public var maxWidth: Int
    /// Bounds of the upright picture; 0 = none.
    public var maxHeight: Int
    /// Format to write: JPEG, PNG, WebP or GIF.
    public var output: MediaType
    /// Frames to keep; 1 = a still.
    public var frames: Int
    /// JPEG and WebP quality, 1...100.
    public var quality: Int
    /// Colour stays as fine as the source has it; JPEG only.
    public var keepsSampling: Bool
    /// Byte limit; 0 = none.
    public var maxBytes: Int
    /// Converts the colours of a profile to sRGB.
    public var srgb: Bool
    /// What shows through transparency where the format has none.
    public var background: GroundColour

    /// Creates a job; everything but the format has the value that changes nothing.
    public init(
        output: MediaType,
        turning: Turning = .never,
        maxWidth: Int = 0,
        maxHeight: Int = 0,
        frames: Int = 1,
        quality: Int = 85,
        keepsSampling: Bool = false,
        maxBytes: Int = 0,
        srgb: Bool = false,
        background: GroundColour = .white
    ) {
        self.turning = turning
        self.maxWidth = maxWidth
        self.maxHeight = maxHeight
        self.output = output
        self.frames = frames
        self.quality = quality
        self.keepsSampling = keepsSampling
        self.maxBytes = maxBytes
        self.srgb = srgb
        self.background = background
    }

    var fields: [String] {
        [
            turning.rawValue, "\(maxWidth)", "\(maxHeight)", output.rawValue, "\(frames)", "\(quality)",
            keepsSampling ? "1" : "0", "\(maxBytes)", srgb ? "1" : "0", background.description,
        ]
    }

    init?(fields: [Substring]) {
        guard fields.count == 10, let turning = Turning(rawValue: String(fields[0])), let maxWidth = Int(fields[1]),
            let maxHeight = Int(fields[2]), let output = MediaType(rawValue: String(fields[3])),
            let frames = Int(fields[4]), let quality = Int(fields[5]), let maxBytes = Int(fields[7]),
            let background = GroundColour(String(fields[9]))
        else { return nil }
        self.init(
            output: output,
            turning: turning,
            maxWidth: maxWidth,
            maxHeight: maxHeight,
            frames: frames,
            quality: quality,
            keepsSampling: fields[6] == "1",
            maxBytes: maxBytes,
            srgb: fields[8] == "1",
            background: background
        )
    }
}
