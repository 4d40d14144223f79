// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

/// Chooses how a rendition is made: the cheapest way that satisfies the service comes first.
public enum LaneChooser {
    /// Formats that a service takes when it names none.
    public static let usualFormats: [MediaType] = [.jpeg, .png, .webp, .gif]
    /// A JPEG that is encoded again only because it could not be turned is not made better than this.
    static let highestQuality = 95

    /// Plans a rendition.
    ///
    /// - Parameters:
    ///   - bytes: Size of the upload's file.
    ///   - probe: What the head of the file says.
    /// - Throws: ``ImageError/noRendition(_:)`` where nothing can satisfy the service.
    public static func plan(
        for facts: ImageFacts,
        probe: PictureProbe = PictureProbe(),
        bytes: Int,
        constraints: RenditionConstraints
    ) throws(ImageError) -> LanePlan {
        let choice = Choice(facts, probe, bytes, constraints)
        var steps: [LanePlan.Step] = []
        if choice.mayKeepPixels, choice.isUpright, probe.isCommon {
            if constraints.metadata == .keep {
                if choice.fitsBytes { return LanePlan([.untouched]) }
            } else if usualFormats.contains(facts.mediaType) {
                steps.append(.stripped)
                if constraints.maxBytes == nil { return LanePlan(steps) }
            }
        }
        guard let output = choice.output else {
            if !steps.isEmpty { return LanePlan(steps) }
            let names = choice.accepted.map(\.rawValue).joined(separator: ", ")
            throw .noRendition(
                names.isEmpty
                    ? "the service takes no format" : "the service takes only \(names), which cannot be made"
            )
        }
        let job = choice.job(output)
        steps.append(.pixels(job))
        return LanePlan(steps, warnings: choice.losses(job))
    }
}

/// One picture and one set of constraints.
private struct Choice {
    let facts: ImageFacts
    let probe: PictureProbe
    let bytes: Int
    let constraints: RenditionConstraints
    let accepted: [MediaType]
    let bounds: (width: Int, height: Int)?

    init(_ facts: ImageFacts, _ probe: PictureProbe, _ bytes: Int, _ constraints: RenditionConstraints) {
        self.facts = facts
        self.probe = probe
        self.bytes = bytes
        self.constraints = constraints
        accepted = constraints.format.map { [$0] } ?? constraints.formats ?? LaneChooser.usualFormats
        bounds = Self.bounds(facts, constraints, longestEdge: 0)
    }

    var fitsBytes: Bool { constraints.maxBytes.map { bytes <= $0 } ?? true }
    var mustConvert: Bool { constraints.colour == .srgb && probe.profile == .other }
    var fitsFrames: Bool { constraints.maxFrames.map { facts.frames <= $0 } ?? true }

    /// Format, size, colours and frames are right as they are.
    var mayKeepPixels: Bool {
        accepted.contains(facts.mediaType) && bounds == nil && !mustConvert && fitsFrames
    }

    /// HEIF turns by its own properties, which every reader of it obeys.
    var isUpright: Bool {
        facts.orientation == .upright || facts.mediaType == .heic || facts.mediaType == .avif
    }

    func job(_ output: MediaType) -> PixelJob {
        let bounds = Self.bounds(facts, constraints, longestEdge: Self.longestEdge(output))
        var job = PixelJob(
            output: output,
            maxWidth: bounds?.width ?? 0,
            maxHeight: bounds?.height ?? 0,
            frames: frames(output),
            quality: min(max(constraints.quality, 1), 100),
            maxBytes: constraints.maxBytes ?? 0,
            srgb: constraints.colour == .srgb,
            background: constraints.background
        )
        guard mayKeepPixels, facts.mediaType == .jpeg, output == .jpeg else { return job }
        // The source's own quality bounds what is worth keeping; a byte limit asks for the usual economy.
        guard fitsBytes else {
            job.quality = min(job.quality, probe.quality ?? 100)
            return job
        }
        // Nothing is asked for but what coefficients can do; where they cannot, little is to be lost.
        let isAsked = !isUpright && constraints.rotation != .reencode || isUpright && !probe.isCommon
        if isAsked, probe.canTurn { job.turning = constraints.rotation == .trim ? .trimmed : .exact }
        if constraints.rotation != .reencode {
            job.keepsSampling = true
            if let quality = probe.quality { job.quality = min(quality, LaneChooser.highestQuality) }
        }
        return job
    }

    /// What the job loses, in words for the report.
    func losses(_ job: PixelJob) -> [Warning] {
        guard facts.frames > 1, job.frames < facts.frames else { return [] }
        let name = facts.mediaType.rawValue.uppercased()
        if facts.mediaType == .tiff {
            return [
                Warning(code: "pages_lost", message: "Only the first of \(facts.frames) pages of the TIFF is sent.")
            ]
        }
        if job.frames == 1 {
            return [
                Warning(
                    code: "animation_lost",
                    message: "Only the first of \(facts.frames) frames of the \(name) is sent, "
                        + "as a still \(job.output.rawValue.uppercased())."
                )
            ]
        }
        return [
            Warning(
                code: "frames_limited",
                message: "The first \(job.frames) of \(facts.frames) frames of the \(name) are sent."
            )
        ]
    }

    private func frames(_ output: MediaType) -> Int {
        let canStay = Self.animated.contains(facts.mediaType) && Self.animated.contains(output)
        return canStay ? max(1, min(facts.frames, constraints.maxFrames ?? .max)) : 1
    }

    /// Formats whose animations can be read and written.
    private static let animated: Set<MediaType> = [.gif, .webp, .png]

    /// Pixels of the longest side that an encoder of the format writes; 0 where no picture comes near.
    private static func longestEdge(_ output: MediaType) -> Int {
        switch output {
        case .jpeg: 65_500
        case .webp: 16_383
        case .gif: 65_535
        case .png, .tiff, .bmp, .heic, .avif: 0
        }
    }

    /// The box that the upright picture must be shrunk to; `nil` when it fits as it is.
    private static func bounds(
        _ facts: ImageFacts,
        _ constraints: RenditionConstraints,
        longestEdge: Int
    ) -> (width: Int, height: Int)? {
        let width = facts.uprightWidth
        let height = facts.uprightHeight
        let edge = [constraints.maxEdge, longestEdge].filter { $0 > 0 }.min() ?? 0
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

    /// The format to write.
    var output: MediaType? {
        let wishes = wishes.filter(accepted.contains)
        guard wishes.first == .png, !facts.hasAlpha, !isAnimation, accepted.contains(.jpeg),
            let limit = constraints.maxBytes
        else { return wishes.first }
        // Deflate takes about half of a photograph's 24 bits; where that is too much, JPEG keeps more of the picture.
        let (width, height) = (Double(facts.uprightWidth), Double(facts.uprightHeight))
        let scale = bounds.map { min(Double($0.width) / width, Double($0.height) / height) } ?? 1
        return width * height * scale * scale * 1.5 > Double(limit) ? .jpeg : .png
    }

    /// True where all frames can stay.
    private var isAnimation: Bool { facts.frames > 1 && Self.animated.contains(facts.mediaType) }

    /// Formats to write, best first.
    private var wishes: [MediaType] {
        let others: [MediaType] =
            isAnimation
            ? [.webp, .gif, .png, .jpeg] : facts.hasAlpha ? [.png, .webp, .gif, .jpeg] : [.jpeg, .png, .webp, .gif]
        switch facts.mediaType {
        case .jpeg, .png, .gif, .webp: return [facts.mediaType] + others
        case .tiff, .bmp, .heic, .avif: return others
        }
    }
}
