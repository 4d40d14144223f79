// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

/// The one door for bytes that are to leave: takes all metadata out, and puts in what a policy lets stay.
public enum MetadataWriter {
    /// Rewrites a JPEG, PNG, WebP or GIF without touching a pixel.
    ///
    /// Works on a picture that came in and on what an encoder made alike. Everything that is not on a list goes,
    /// with it whatever stands behind the picture's end; then come the source's retained fields, in the places that
    /// the format has: EXIF, XMP and IPTC in JPEG, EXIF and XMP in PNG and WebP, XMP in GIF. Fields without a place
    /// move to XMP where they tell the author or the copyright. The new EXIF says the new picture's size and no
    /// orientation but 1, so the picture has to be upright.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - source: What stays of the source's metadata; `nil` for nothing.
    ///   - profile: A colour profile that takes the place of the file's own; `nil` leaves that, where it is sound.
    /// - Returns: The new file; equal for equal input.
    /// - Throws: ``ImageError/corrupt(_:)`` for TIFF, BMP, HEIC and AVIF, which are to be converted instead; else
    ///   ``ImageError`` where the bytes are no picture or not whole.
    /// - Complexity: One pass and one copy.
    public static func rewrite(
        _ bytes: [UInt8],
        source: RetainedMetadata? = nil,
        profile: [UInt8]? = nil
    ) throws(ImageError) -> [UInt8] {
        let whole = PictureBytes(bytes)
        return PieceList.bytes(try pieces(whole, source: source, profile: profile), of: whole)
    }

    /// Rewrites like ``rewrite(_:source:profile:)``, and names the parts of the file that stay as they are instead of copying them.
    ///
    /// - Returns: The new file's parts in order. Of a JPEG the scans stay where they are, which is nearly all of it; of
    ///   the other formats everything is new.
    /// - Complexity: One pass.
    public static func pieces(
        _ bytes: PictureBytes,
        source: RetainedMetadata? = nil,
        profile: [UInt8]? = nil
    ) throws(ImageError) -> [PicturePiece] {
        guard bytes.count > 0 else { throw .empty }
        let window = ByteWindow(bytes)
        let type = try ContentSniffer.mediaType(of: window)
        var insertion = try self.insertion(source, type: type, window)
        insertion.profile = profile ?? []
        switch type {
        case .jpeg: return try JPEGStripper.strip(window, adding: insertion)
        case .png: return [.bytes(try PNGStripper.strip(window, adding: insertion))]
        case .gif: return [.bytes(try GIFStripper.strip(window, adding: insertion))]
        case .webp: return [.bytes(try WebPStripper.strip(window, adding: insertion))]
        case .tiff, .bmp, .heic, .avif: throw .corrupt("cannot be rewritten")
        }
    }

    /// The whole new file of some parts.
    public static func bytes(_ pieces: [PicturePiece], of source: PictureBytes) -> [UInt8] {
        PieceList.bytes(pieces, of: source)
    }

    private static func insertion(
        _ source: RetainedMetadata?,
        type: MediaType,
        _ window: ByteWindow
    ) throws(ImageError) -> MetadataInsertion {
        guard let source, !source.isEmpty else { return .none }
        var limits = ImageLimits()
        limits.maxPixels = 1 << 40
        limits.maxTotalPixels = 1 << 40
        limits.maxFrames = 1 << 20
        let container = try ImageReader.container(window, type: type, limits: limits)
        let retained =
            switch type {
            case .jpeg: source
            case .gif: source.asXMP()
            default: source.withoutIPTC()
            }
        var result = MetadataInsertion(
            exif: retained.exifBytes(width: container.width, height: container.height),
            xmp: retained.xmpBytes(),
            photoshop: retained.iptc.photoshopResources()
        )
        if type == .jpeg { fit(&result, retained, container) }
        return result
    }

    /// A JPEG segment holds 65,533 bytes: what is larger is made of fewer parts, and else left out.
    private static func fit(
        _ insertion: inout MetadataInsertion,
        _ source: RetainedMetadata,
        _ container: ContainerFacts
    ) {
        if insertion.exif.count > JPEGStripper.longestExif {
            let fields = ExifWhitelist.fields(of: ByteWindow(insertion.exif), policy: .keep)
            insertion.exif = fields?.bytes(width: container.width, height: container.height) ?? []
            if insertion.exif.count > JPEGStripper.longestExif { insertion.exif = [] }
        }
        var packet = source.xmp
        while insertion.xmp.count > JPEGStripper.longestXMP {
            guard let largest = packet.properties.max(by: { $0.weight < $1.weight }) else { break }
            packet.keep { $0 != largest }
            insertion.xmp = XMPWriter.bytes(packet)
        }
        if insertion.photoshop.count > JPEGStripper.longestPhotoshop { insertion.photoshop = [] }
    }
}

extension XMLNode {
    /// Bytes of all text inside.
    fileprivate var weight: Int {
        var sum = 0
        var waiting = [self]
        while let node = waiting.popLast() {
            sum += node.name.local.utf8.count + node.text.utf8.count
            sum += node.attributes.reduce(0) { $0 + $1.name.local.utf8.count + $1.value.utf8.count }
            waiting += node.children
        }
        return sum
    }
}
