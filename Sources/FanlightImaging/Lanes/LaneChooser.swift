// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

/// Chooses how a rendition is made: the cheapest way that satisfies the service comes first.
public enum LaneChooser {
    /// One way to make a rendition.
    public enum Step: Sendable, Equatable {
        /// The very same file.
        case untouched
        /// The same pixels in a new file without metadata.
        case stripped
        /// The same JPEG coefficients, turned.
        case rotated
        /// New pixels.
        case pixels(PixelWork)
    }

    /// What has to be decoded and encoded.
    public struct PixelWork: Sendable, Equatable {
        /// Bounds of the upright picture; 0, 0 = none.
        public var width: Int
        /// Bounds of the upright picture; 0, 0 = none.
        public var height: Int
        /// Format to write.
        public var output: MediaType
        /// True where an animation stays one.
        public var allFrames: Bool
        /// `resized`, or `converted` where the format changes.
        public var lane: Lane
    }

    /// Formats that a service takes when it names none.
    public static let usualFormats: [MediaType] = [.jpeg, .png, .webp, .gif]

    /// The ways to try, one after another: a later one is for when an earlier one turns out not to fit.
    ///
    /// - Parameter bytes: size of the upload's file.
    public static func steps(
        for facts: ImageFacts,
        bytes: Int,
        constraints: RenditionConstraints
    ) throws(ImageError) -> [Step] {
        let accepted = constraints.formats ?? usualFormats
        let bounds = bounds(facts, constraints)
        let fitsBytes = constraints.maxBytes.map { bytes <= $0 } ?? true
        var steps: [Step] = []
        if accepted.contains(facts.mediaType), bounds == nil {
            if isUpright(facts) {
                if constraints.metadata == .keep {
                    if fitsBytes { return [.untouched] }
                } else if usualFormats.contains(facts.mediaType) {
                    steps.append(.stripped)
                }
            } else if facts.mediaType == .jpeg, fitsBytes {
                steps.append(.rotated)
            }
            if steps == [.stripped], constraints.maxBytes == nil { return steps }
        }
        guard let output = output(facts, accepted, constraints, bounds) else {
            if !steps.isEmpty { return steps }
            throw .noRendition("the service takes none of the formats that can be made")
        }
        let isAnimation = facts.frames > 1 && (facts.mediaType == .gif || facts.mediaType == .webp)
        steps.append(
            .pixels(
                PixelWork(
                    width: bounds?.width ?? 0,
                    height: bounds?.height ?? 0,
                    output: output,
                    allFrames: isAnimation && (output == .gif || output == .webp),
                    lane: output == facts.mediaType ? .resized : .converted
                )
            )
        )
        return steps
    }

    /// HEIF turns by its own properties, which every reader of it obeys.
    private static func isUpright(_ facts: ImageFacts) -> Bool {
        facts.orientation == .upright || facts.mediaType == .heic || facts.mediaType == .avif
    }

    /// The box that the upright picture must be shrunk to; `nil` when it fits as it is.
    private static func bounds(_ facts: ImageFacts, _ constraints: RenditionConstraints) -> (width: Int, height: Int)? {
        let width = facts.uprightWidth
        let height = facts.uprightHeight
        let edge = constraints.maxEdge
        let edgeScale = edge > 0 ? Double(edge) / Double(max(width, height, 1)) : 1
        if let limit = constraints.maxPixels, limit > 0, Double(width) * Double(height) > Double(limit) {
            let scale = (Double(limit) / (Double(width) * Double(height))).squareRoot()
            // A hair above, lest 2048 become 2047 by rounding.
            if scale < edgeScale {
                return (max(1, Int(Double(width) * scale + 1e-6)), max(1, Int(Double(height) * scale + 1e-6)))
            }
        }
        return edgeScale < 1 ? (edge, edge) : nil
    }

    private static func output(
        _ facts: ImageFacts,
        _ accepted: [MediaType],
        _ constraints: RenditionConstraints,
        _ bounds: (width: Int, height: Int)?
    ) -> MediaType? {
        let wishes = wishes(facts).filter(accepted.contains)
        guard wishes.first == .png, !facts.hasAlpha, accepted.contains(.jpeg), let limit = constraints.maxBytes
        else { return wishes.first }
        // Deflate takes about half of a photograph's 24 bits; where that is too much, JPEG keeps more of the picture.
        let (width, height) = (Double(facts.uprightWidth), Double(facts.uprightHeight))
        let scale = bounds.map { min(Double($0.width) / width, Double($0.height) / height) } ?? 1
        return width * height * scale * scale * 1.5 > Double(limit) ? .jpeg : .png
    }

    /// Formats to write, best first.
    private static func wishes(_ facts: ImageFacts) -> [MediaType] {
        let animated = facts.frames > 1
        let others: [MediaType] = facts.hasAlpha ? [.png, .webp, .gif, .jpeg] : [.jpeg, .png, .webp, .gif]
        switch facts.mediaType {
        case .jpeg, .png: return [facts.mediaType] + others
        case .gif: return [.gif] + (animated ? [.webp] : []) + others
        case .webp: return [.webp] + (animated ? [.gif] : []) + others
        case .tiff, .bmp, .heic, .avif: return others
        }
    }
}
