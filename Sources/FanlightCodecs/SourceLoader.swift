// SPDX-License-Identifier: Apache-2.0

import CImaging
import FanlightCore

/// Opens a picture with the loader of its true type.
enum SourceLoader {
    /// True for formats whose decoder obeys the container's own turning.
    static func turnsByItself(_ type: MediaType) -> Bool { type == .heic || type == .avif }

    /// True where the decoder gives every frame of an animation.
    static func readsFrames(_ type: MediaType) -> Bool { type == .gif || type == .webp }

    /// - Parameters:
    ///   - raw: the bytes of `bytes`; they must outlive the picture.
    ///   - box: bounds of the upright picture; `nil` = all pixels are wanted.
    static func open(
        _ raw: UnsafeRawBufferPointer,
        _ bytes: [UInt8],
        _ source: PixelSource,
        frames: Int,
        box: (width: Int, height: Int)?
    ) throws(CodecError) -> Picture {
        guard let loader = kind(source.mediaType) else {
            let bitmap = try BMPReader.read(bytes)
            return try Picture.of(pixels: bitmap.rgb, width: bitmap.width, height: bitmap.height, bands: 3)
        }
        let factor = factor(source, box)
        let isStill = frames == 1 && source.frames == 1
        // Both leave the resampler at least twice the pixels that it makes.
        let shrink = source.mediaType == .jpeg ? (factor >= 16 ? 8 : factor >= 8 ? 4 : factor >= 4 ? 2 : 1) : 1
        let scale = source.mediaType == .webp && isStill && factor >= 4 ? 2 / factor : 1
        let count = readsFrames(source.mediaType) && frames >= source.frames ? -1 : frames
        return unsafe try Picture.open(raw, loader, frames: count, shrink: shrink, scale: scale)
    }

    /// How many times larger than the box the picture is.
    private static func factor(_ source: PixelSource, _ box: (width: Int, height: Int)?) -> Double {
        guard let box, box.width > 0, box.height > 0, source.width > 0, source.height > 0 else { return 1 }
        let swaps = source.orientation.swapsSides
        return max(
            Double(swaps ? source.height : source.width) / Double(box.width),
            Double(swaps ? source.width : source.height) / Double(box.height)
        )
    }

    private static func kind(_ type: MediaType) -> fl_kind? {
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
}
