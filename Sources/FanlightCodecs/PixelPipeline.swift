// SPDX-License-Identifier: Apache-2.0

import CImaging
public import FanlightCore
import FanlightMetadata

/// Decodes, turns, resizes and encodes pictures through libvips, in helper processes only.
public struct PixelPipeline: Sendable {
    /// What is to be made.
    public struct Order: Sendable, Equatable {
        /// True type of the source.
        public var source: MediaType
        /// Turning that the decoder does not do by itself.
        public var orientation: Orientation
        /// Keeps every frame of an animation.
        public var allFrames: Bool
        /// Bounds of the upright picture; 0 = none.
        public var maxWidth: Int
        /// Bounds of the upright picture; 0 = none.
        public var maxHeight: Int
        /// Format to write: JPEG, PNG, WebP or GIF.
        public var output: MediaType
        /// JPEG and WebP quality, 1...100.
        public var quality: Int
        /// Byte limit; 0 = none.
        public var maxBytes: Int
        /// Converts wide-gamut colours to sRGB.
        public var srgb: Bool

        /// Creates an order; everything but the types has the value that changes nothing.
        public init(
            source: MediaType,
            output: MediaType,
            orientation: Orientation = .upright,
            allFrames: Bool = false,
            maxWidth: Int = 0,
            maxHeight: Int = 0,
            quality: Int = 85,
            maxBytes: Int = 0,
            srgb: Bool = false
        ) {
            self.source = source
            self.output = output
            self.orientation = orientation
            self.allFrames = allFrames
            self.maxWidth = maxWidth
            self.maxHeight = maxHeight
            self.quality = quality
            self.maxBytes = maxBytes
            self.srgb = srgb
        }
    }

    /// Starts libvips (C: vips_init); `nil` when it refuses.
    public init?() {
        guard fl_init() else { return nil }
    }

    /// Makes a picture in a new format or size.
    ///
    /// - Parameter header: stored width and height, known from the picture's facts; 0 where unknown.
    public func make(_ bytes: [UInt8], _ order: Order, header: (width: Int, height: Int) = (0, 0)) throws(CodecError)
        -> [UInt8]
    {
        guard let saver = Self.saver(order.output) else { throw .failed("no encoder for \(order.output.rawValue)") }
        if let made = try shrinkPlanes(bytes, order) { return made }
        let result: Result<[UInt8], CodecError> = unsafe bytes.withUnsafeBytes { raw in
            do throws(CodecError) {
                // SAFETY: the bytes outlive the picture, which is released before this closure returns.
                let source = unsafe try Self.open(raw, bytes: bytes, order: order, header: header)
                return .success(try encode(source, order: order, saver: saver))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Decodes to upright 8-bit RGB on white, row by row from the top.
    func pixels(_ bytes: [UInt8], _ order: Order) throws(CodecError) -> (width: Int, height: Int, rgb: [UInt8]) {
        let result: Result<(width: Int, height: Int, rgb: [UInt8]), CodecError> = unsafe bytes.withUnsafeBytes { raw in
            do throws(CodecError) {
                // SAFETY: the bytes outlive the picture, which is released before this closure returns.
                let source = unsafe try Self.open(raw, bytes: bytes, order: order, header: (0, 0))
                let flat = try source.prepared(
                    width: 0,
                    height: 0,
                    orientation: order.orientation,
                    srgb: order.srgb,
                    flat: true,
                    keep: true
                )
                return .success((flat.size.width, flat.size.height, try flat.rgb()))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private func encode(_ source: Picture, order: Order, saver: fl_kind) throws(CodecError) -> [UInt8] {
        // HEIF decoders turn by the container's own rules.
        let turned = order.source == .heic || order.source == .avif
        let prepared = try source.prepared(
            width: order.maxWidth,
            height: order.maxHeight,
            orientation: turned ? .upright : order.orientation,
            srgb: order.srgb || order.output == .gif,
            flat: order.output == .jpeg,
            keep: order.maxBytes > 0
        )
        let size = prepared.size
        return try search(order, size: size) { attempt throws(CodecError) in
            let picture =
                attempt.scale == 1
                ? prepared
                : try prepared.prepared(
                    width: max(1, Int(Double(size.width) * attempt.scale)),
                    height: max(1, Int(Double(size.height) * attempt.scale)),
                    orientation: .upright,
                    srgb: false,
                    flat: false,
                    keep: false
                )
            return try clean(picture.saved(saver, quality: attempt.quality))
        }
    }

    /// JPEG to JPEG by its own planes; `nil` where that cannot be done.
    private func shrinkPlanes(_ bytes: [UInt8], _ order: Order) throws(CodecError) -> [UInt8]? {
        guard order.source == .jpeg, order.output == .jpeg, !order.srgb else { return nil }
        let bounds =
            order.maxWidth > 0 && order.maxHeight > 0
            ? (order.maxWidth, order.maxHeight) : (Int(Int32.max), Int(Int32.max))
        // The box as the stored picture sees it.
        let box = order.orientation.swapsSides ? (bounds.1, bounds.0) : bounds
        guard let planes = try JPEGPlanes(bytes, box: box) else { return nil }
        let factor = max(1, Double(planes.width) / Double(box.0), Double(planes.height) / Double(box.1))
        // Weights of 14 bits are too coarse for more; such a picture is a strip, and no hurry.
        guard factor <= 32 else { return nil }
        let size = (
            width: max(1, Int((Double(planes.width) / factor).rounded())),
            height: max(1, Int((Double(planes.height) / factor).rounded()))
        )
        let profile = (try? JPEGHeader.inspect(bytes))?.iccProfile
        let shrunk = try planes.shrunk(width: size.width, height: size.height, orientation: order.orientation)
        return try search(order, size: size) { attempt throws(CodecError) in
            let picture =
                attempt.scale == 1
                ? shrunk
                : try shrunk.shrunk(
                    width: max(1, Int(Double(shrunk.width) * attempt.scale)),
                    height: max(1, Int(Double(shrunk.height) * attempt.scale)),
                    orientation: .upright
                )
            let encoded = try clean(picture.encoded(quality: attempt.quality))
            return profile.map { MetadataStripper.insertICC($0, intoJPEG: encoded) } ?? encoded
        }
    }

    /// Encodes once, or as often as a byte limit needs.
    private func search(
        _ order: Order,
        size: (width: Int, height: Int),
        encode: (SizeSearch.Attempt) throws(CodecError) -> [UInt8]
    ) throws(CodecError) -> [UInt8] {
        guard order.maxBytes > 0 else { return try encode(.init(quality: order.quality, scale: 1)) }
        let hasQuality = order.output == .jpeg || order.output == .webp
        var search = SizeSearch(
            limit: order.maxBytes,
            quality: order.quality,
            hasQuality: hasQuality,
            longEdge: max(size.width, size.height)
        )
        var kept: [UInt8] = []
        while search.outcome == nil {
            let encoded = try encode(search.attempt)
            if encoded.count <= order.maxBytes { kept = encoded }
            search.record(size: encoded.count)
        }
        guard case .use = search.outcome else {
            throw .tooLarge("no encoding of the picture is within \(order.maxBytes) bytes")
        }
        return kept
    }

    /// Encoders add fields of their own; nothing but the colour profile leaves.
    private func clean(_ encoded: [UInt8]) throws(CodecError) -> [UInt8] {
        do throws(ImageError) {
            return try MetadataStripper.strip(encoded, policy: .strip)
        } catch {
            throw .failed("the encoder's output cannot be read back")
        }
    }

    private static func open(
        _ raw: UnsafeRawBufferPointer,
        bytes: [UInt8],
        order: Order,
        header: (width: Int, height: Int)
    ) throws(CodecError) -> Picture {
        guard let start = raw.baseAddress else { throw .truncated }
        guard let loader = loader(order.source) else {
            let pixels = try BMPReader.read(bytes)
            // SAFETY: the shim copies the pixels before it returns; their number is width * height * 3.
            let copied = unsafe pixels.rgb.withUnsafeBytes { rgb in
                unsafe rgb.baseAddress.flatMap { unsafe fl_from_rgb($0, Int32(pixels.width), Int32(pixels.height)) }
            }
            guard let image = unsafe copied else { throw .failed(Picture.message()) }
            return unsafe Picture(image)
        }
        // SAFETY: pointer and count describe the same bytes, which the caller keeps alive.
        let opened = unsafe fl_open(start, raw.count, loader, order.allFrames, shrinkOnLoad(order, header))
        guard let image = unsafe opened else { throw .decoding(Picture.message()) }
        return unsafe Picture(image)
    }

    /// A JPEG may be decoded at a half, a quarter or an eighth, so long as the resampler still has twice the pixels.
    private static func shrinkOnLoad(_ order: Order, _ header: (width: Int, height: Int)) -> Int32 {
        guard order.source == .jpeg, order.maxWidth > 0, order.maxHeight > 0, header.width > 0, header.height > 0
        else { return 1 }
        let upright =
            order.orientation.swapsSides ? (header.height, header.width) : (header.width, header.height)
        let factor = max(
            Double(upright.0) / Double(order.maxWidth),
            Double(upright.1) / Double(order.maxHeight)
        )
        return factor >= 16 ? 8 : factor >= 8 ? 4 : factor >= 4 ? 2 : 1
    }

    private static func loader(_ type: MediaType) -> fl_kind? {
        switch type {
        case .jpeg: FL_JPEG
        case .png: FL_PNG
        case .webp: FL_WEBP
        case .gif: FL_GIF
        case .tiff: FL_TIFF
        case .heic, .avif: FL_HEIF
        case .bmp: nil
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

/// Owns one picture inside libvips.
@safe private final class Picture {
    // SAFETY: the one reference of this object, released once in deinit.
    private let image: OpaquePointer

    init(_ image: OpaquePointer) {
        unsafe self.image = image
    }

    deinit {
        // SAFETY: the reference is this object's own.
        unsafe fl_release(image)
    }

    /// Pixels of one frame.
    var size: (width: Int, height: Int) {
        // SAFETY: the reference is valid as long as this object.
        unsafe (Int(fl_width(image)), Int(fl_height(image)))
    }

    func prepared(width: Int, height: Int, orientation: Orientation, srgb: Bool, flat: Bool, keep: Bool)
        throws(CodecError) -> Picture
    {
        // SAFETY: the reference is valid; the result is a new reference, owned by the returned object.
        let made = unsafe fl_prepare(
            image,
            Int32(clamping: width),
            Int32(clamping: height),
            Int32(orientation.rawValue),
            srgb,
            flat,
            keep
        )
        guard let made = unsafe made else { throw .decoding(Self.message()) }
        return unsafe Picture(made)
    }

    func rgb() throws(CodecError) -> [UInt8] {
        let count = size.width * size.height * 3
        // SAFETY: the reference is valid; the library allocates width * height * 3 bytes of one frame or more.
        let pixels = unsafe fl_rgb(image)
        defer { unsafe fl_free(pixels) }
        guard let start = unsafe pixels else { throw .failed(Self.message()) }
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }

    func saved(_ kind: fl_kind, quality: Int) throws(CodecError) -> [UInt8] {
        var output: UnsafeMutableRawPointer?
        var count = 0
        // SAFETY: the reference is valid; the library allocates the output.
        let done = unsafe fl_save(image, kind, Int32(clamping: quality), &output, &count)
        // SAFETY: allocated by the library, or null.
        defer { unsafe fl_free(output) }
        guard done, let start = unsafe output else { throw .decoding(Self.message()) }
        // SAFETY: the library wrote `count` bytes from `start`.
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }

    /// The library's message on one line.
    static func message() -> String {
        let text = unsafe String(unsafeUninitializedCapacity: 400) { buffer in
            // SAFETY: the shim writes at most the buffer's size and ends it by NUL.
            unsafe buffer.withMemoryRebound(to: CChar.self) { characters in
                guard let start = characters.baseAddress else { return 0 }
                unsafe fl_error(start, characters.count)
                return unsafe characters.firstIndex(of: 0) ?? 0
            }
        }
        return String(text.map { $0.isNewline || $0 == "\t" ? " " : $0 })
    }
}
