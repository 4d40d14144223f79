// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

/// Reads what a picture's bytes say about it, without decoding a pixel.
public enum ImageReader {
    /// Finds type, size, orientation, frames, transparency, position, time and camera, and checks that the file is whole.
    ///
    /// The type comes from the content alone. The limits are compared with the declared sizes as soon as these are
    /// known, so that no decoder ever sees a picture that claims too much. A file is whole where its container is:
    /// JPEG to its end marker, PNG to IEND with right checksums of the critical chunks, GIF to its trailer, WebP to
    /// its RIFF size, TIFF, HEIC and AVIF with all picture data inside the file, BMP with all of its rows.
    ///
    /// The position follows EXIF, else XMP. Exactly 0,0 is no position and leaves the warning `null_island`; other
    /// unusable positions leave a warning that names the reason. EXIF orientation is not applied to HEIC and AVIF.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - limits: Bounds on pixels and frames.
    ///   - position: What counts as a position where it is in doubt.
    /// - Returns: The facts.
    /// - Throws: ``ImageError`` where the bytes are no picture of a known type, break a limit, or are not whole.
    /// - Complexity: One pass over the container; of a usual JPEG only the head is read.
    public static func read(
        _ bytes: PictureBytes,
        limits: ImageLimits,
        position: PositionPolicy = PositionPolicy()
    ) throws(ImageError) -> ImageFacts {
        guard bytes.count > 0 else { throw .empty }
        let window = ByteWindow(bytes)
        let type = try ContentSniffer.mediaType(of: window)
        return facts(type, try container(window, type: type, limits: limits), policy: position)
    }

    /// The same for bytes in memory.
    public static func read(
        _ bytes: [UInt8],
        limits: ImageLimits,
        position: PositionPolicy = PositionPolicy()
    ) throws(ImageError) -> ImageFacts {
        try read(PictureBytes(bytes), limits: limits, position: position)
    }

    /// Reads the container alone.
    static func container(
        _ window: ByteWindow,
        type: MediaType,
        limits: ImageLimits
    ) throws(ImageError) -> ContainerFacts {
        switch type {
        case .jpeg: try JPEGReader.read(window, limits: limits)
        case .png: try PNGReader.read(window, limits: limits)
        case .gif: try GIFReader.read(window, limits: limits)
        case .webp: try WebPReader.read(window, limits: limits)
        case .tiff: try TIFFReader.read(window, limits: limits)
        case .bmp: try BMPReader.read(window, limits: limits)
        case .heic, .avif: try HEIFReader.read(window, limits: limits)
        }
    }

    private static func facts(_ type: MediaType, _ container: ContainerFacts, policy: PositionPolicy) -> ImageFacts {
        let exif = container.metadata.exif.flatMap(ExifReader.read)
        let described = XMPFacts(container.metadata, policy: policy)
        let position = PositionReader.read(exif: exif?.gps, xmp: described.position, policy: policy)
        let appliesExif = type != .heic && type != .avif
        var facts = ImageFacts(
            mediaType: type,
            width: container.width,
            height: container.height,
            orientation: appliesExif ? exif?.orientation ?? .upright : container.orientation,
            frames: container.frames,
            hasAlpha: container.hasAlpha,
            geotag: position.geotag,
            takenAt: exif?.takenAt,
            cameraMake: exif?.make,
            cameraModel: exif?.model,
            warnings: position.warnings
        )
        facts.fix = position.fix
        facts.companions = container.companions.union(described.companions)
        if let size = container.uprightSize {
            facts.uprightWidth = size.width
            facts.uprightHeight = size.height
        }
        return facts
    }
}
