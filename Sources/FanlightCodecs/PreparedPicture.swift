// SPDX-License-Identifier: Apache-2.0

import CImaging
import FanlightCore
import FanlightMetadata

/// A picture of its final size, upright, ready to be encoded as often as a byte limit needs.
struct PreparedPicture {
    private enum Content {
        case planes(JPEGPlanes, profile: [UInt8]?)
        case picture(Picture, PixelJob, fl_kind)
    }

    private let content: Content
    /// What was noticed on the way.
    let notes: PixelNotes

    /// Planes that become a JPEG.
    init(_ planes: JPEGPlanes, profile: [UInt8]?, notes: PixelNotes) {
        content = .planes(planes, profile: profile)
        self.notes = notes
    }

    /// Pixels that become whatever the job asks for.
    init(_ picture: Picture, _ order: fl_order, _ job: PixelJob, notes known: PixelNotes = []) throws(CodecError) {
        guard let kind = Self.saver(job.output) else { throw .failed("no encoder for \(job.output.rawValue)") }
        var notes = known
        content = .picture(try picture.prepared(order, notes: &notes), job, kind)
        self.notes = notes
    }

    /// Pixels.
    var size: (width: Int, height: Int) {
        switch content {
        case .planes(let planes, _): (planes.width, planes.height)
        case .picture(let picture, _, _): picture.size
        }
    }

    /// Encodes; nothing but the colour profile leaves with the pixels.
    func encoded(_ attempt: SizeSearch.Attempt) throws(CodecError) -> [UInt8] {
        let width = max(1, Int(Double(size.width) * attempt.scale))
        let height = max(1, Int(Double(size.height) * attempt.scale))
        switch content {
        case .planes(let planes, let profile):
            let planes =
                attempt.scale == 1
                ? planes : try planes.fitted(width: width, height: height, orientation: .upright)
            let file = try Self.clean(planes.encoded(quality: attempt.quality))
            return profile.map { MetadataStripper.insertICC($0, intoJPEG: file) } ?? file
        case .picture(let whole, let job, let kind):
            var picture = whole
            if attempt.scale < 1 {
                var order = fl_order()
                (order.box_width, order.box_height) = (Int32(width), Int32(height))
                var notes = PixelNotes()
                picture = try whole.prepared(order, notes: &notes)
            }
            var encoding = fl_encoding()
            encoding.kind = kind
            encoding.quality = Int32(attempt.quality)
            encoding.palette = attempt.palette
            encoding.full_colour = job.keepsSampling && attempt.scale == 1
            let isAnimatedPNG = job.output == .png && picture.delays.count > 1
            return try Self.clean(isAnimatedPNG ? APNG.encode(picture) : picture.saved(encoding))
        }
    }

    /// Encoders add fields of their own.
    private static func clean(_ encoded: [UInt8]) throws(CodecError) -> [UInt8] {
        do throws(ImageError) {
            return try MetadataStripper.strip(encoded, policy: .strip)
        } catch {
            throw .failed("the encoder's output cannot be read back")
        }
    }

    private static func saver(_ type: MediaType) -> fl_kind? {
        switch type {
        case .jpeg: FL_JPEG
        case .png: FL_PNG
        case .webp: FL_WEBP
        case .gif: FL_GIF
        case .tiff, .bmp, .heic, .avif: nil
        }
    }
}
