// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

/// Picture bounds and wishes of one service, to be laid over those of the gateway.
public struct ConstraintOverrides: Sendable, Equatable {
    /// Bytes of the file.
    public var maxBytes: Int?
    /// Longer side in pixels.
    public var maxEdge: Int?
    /// Width times height.
    public var maxPixels: Int?
    /// Frames of an animation.
    public var maxFrames: Int?
    /// Formats that the service takes, best first.
    public var formats: [MediaType]?
    /// The one format to make.
    public var format: MediaType?
    /// Metadata that may stay.
    public var metadata: MetadataPolicy?
    /// Quality of re-encoded pictures, 1...100.
    public var quality: Int?
    /// How a sideways JPEG becomes upright.
    public var rotation: RotationPolicy?
    /// What happens to colours that are not sRGB.
    public var colour: ColourPolicy?
    /// What shows through transparency where the format has none.
    public var background: GroundColour?

    /// Creates overrides; `nil` leaves the gateway's value.
    public init(
        maxBytes: Int? = nil,
        maxEdge: Int? = nil,
        maxPixels: Int? = nil,
        formats: [MediaType]? = nil,
        metadata: MetadataPolicy? = nil,
        quality: Int? = nil
    ) {
        self.maxBytes = maxBytes
        self.maxEdge = maxEdge
        self.maxPixels = maxPixels
        self.formats = formats
        self.metadata = metadata
        self.quality = quality
    }

    /// The gateway's constraints with the tighter bound of both and with the service's wishes.
    public func applied(to base: RenditionConstraints) -> RenditionConstraints {
        func tighter(_ first: Int?, _ second: Int?) -> Int? {
            [first, second].compactMap { $0 }.filter { $0 > 0 }.min()
        }
        let accepted = formats ?? base.formats
        // The gateway's own wish gives way to what the service takes.
        let general = base.format.flatMap { accepted?.contains($0) ?? true ? $0 : nil }
        return RenditionConstraints(
            maxEdge: tighter(base.maxEdge, maxEdge) ?? 0,
            maxPixels: tighter(base.maxPixels, maxPixels),
            maxBytes: tighter(base.maxBytes, maxBytes),
            maxFrames: tighter(base.maxFrames, maxFrames),
            formats: accepted,
            format: format ?? general,
            metadata: metadata ?? base.metadata,
            quality: quality ?? base.quality,
            rotation: rotation ?? base.rotation,
            colour: colour ?? base.colour,
            background: background ?? base.background
        )
    }
}
