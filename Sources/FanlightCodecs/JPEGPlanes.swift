// SPDX-License-Identifier: Apache-2.0

import CImaging
import CTurboJPEG
import FanlightCore

/// A JPEG's brightness and colour planes, as they are stored: shrinking them needs neither RGB nor full-size colour.
struct JPEGPlanes {
    /// Size of the picture in the planes, before turning.
    let width: Int
    let height: Int
    private let subsampling: TJSAMP
    private let planes: [Plane]

    /// Decodes (C: tjDecompressToYUVPlanes); `nil` where the colours are not those of an ordinary JPEG.
    ///
    /// - Parameter box: bounds in which the stored picture will have to fit; lets it be decoded smaller.
    init?(_ jpeg: [UInt8], box: (width: Int, height: Int)) throws(CodecError) {
        // SAFETY: the handle is used in this initialiser only and destroyed at its end.
        guard let handle = unsafe tjInitDecompress() else { throw .failed("no TurboJPEG handle") }
        // SAFETY: the handle is valid and not used after this.
        defer { _ = unsafe tjDestroy(handle) }
        var full: (width: Int32, height: Int32) = (0, 0)
        var sampling: Int32 = 0
        var colours: Int32 = 0
        // SAFETY: pointer and count describe the same bytes, which outlive the call.
        let known = unsafe jpeg.withUnsafeBufferPointer { bytes in
            unsafe tjDecompressHeader3(
                handle,
                bytes.baseAddress,
                UInt(bytes.count),
                &full.width,
                &full.height,
                &sampling,
                &colours
            )
        }
        guard known == 0, full.width > 0, full.height > 0 else { throw unsafe Self.error(handle) }
        let isOrdinary = colours == Int32(TJCS_YCbCr.rawValue) || colours == Int32(TJCS_GRAY.rawValue)
        guard isOrdinary, sampling >= 0, sampling < TJ_NUMSAMP else { return nil }
        subsampling = TJSAMP(UInt32(sampling))

        let factor = max(Double(full.width) / Double(box.width), Double(full.height) / Double(box.height))
        // The filter wants two samples or more for each that it makes.
        let divisor: Int32 = factor >= 16 ? 8 : factor >= 8 ? 4 : factor >= 4 ? 2 : 1
        let size = (width: (full.width + divisor - 1) / divisor, height: (full.height + divisor - 1) / divisor)
        width = Int(size.width)
        height = Int(size.height)
        planes = (0..<(subsampling == TJSAMP_GRAY ? 1 : 3)).map { component in
            Plane(
                width: Int(tjPlaneWidth(component, size.width, sampling)),
                height: Int(tjPlaneHeight(component, size.height, sampling))
            )
        }
        var targets = unsafe planes.map { unsafe Optional($0.samples) }
        var strides = planes.map { Int32($0.width) }
        // SAFETY: every plane has the size that the library names for it, and outlives the call.
        let status = unsafe jpeg.withUnsafeBufferPointer { bytes in
            unsafe tjDecompressToYUVPlanes(
                handle,
                bytes.baseAddress,
                UInt(bytes.count),
                &targets,
                size.width,
                &strides,
                size.height,
                TJFLAG_LIMITSCANS
            )
        }
        guard status == 0 else { throw unsafe Self.error(handle) }
    }

    private init(width: Int, height: Int, subsampling: TJSAMP, planes: [Plane]) {
        self.width = width
        self.height = height
        self.subsampling = subsampling
        self.planes = planes
    }

    /// Shrinks to a stored size, turns upright, and halves the colour planes on both axes.
    func shrunk(width newWidth: Int, height newHeight: Int, orientation: Orientation) throws(CodecError) -> JPEGPlanes {
        let isGrey = planes.count == 1
        let target = isGrey ? TJSAMP_GRAY : TJSAMP_420
        let turns = orientation.swapsSides
        let flipsAcross = [.mirrored, .upsideDown, .transversed, .left].contains(orientation)
        let flipsDown = [.upsideDown, .flipped, .right, .transversed].contains(orientation)
        var made: [Plane] = []
        for (component, plane) in planes.enumerated() {
            let (fromAcross, fromDown) = Self.factors(component, subsampling)
            let (toAcross, _) = Self.factors(component, target)
            let across = fl_axis(
                count: width,
                factor: fromAcross,
                newCount: newWidth,
                newFactor: toAcross,
                isColour: !isGrey,
                flip: flipsAcross
            )
            let down = fl_axis(
                count: height,
                factor: fromDown,
                newCount: newHeight,
                newFactor: toAcross,
                isColour: !isGrey,
                flip: flipsDown
            )
            let result = Plane(
                width: Int(turns ? down.target_count : across.target_count),
                height: Int(turns ? across.target_count : down.target_count)
            )
            // SAFETY: the source holds the samples that the axes name, the result the samples that they make.
            let done = unsafe fl_resample(
                plane.samples,
                Int32(plane.width),
                result.samples,
                Int32(result.width),
                across,
                down,
                turns
            )
            guard done else { throw .failed("out of memory") }
            made.append(result)
        }
        return JPEGPlanes(
            width: turns ? newHeight : newWidth,
            height: turns ? newWidth : newHeight,
            subsampling: target,
            planes: made
        )
    }

    /// Encodes (C: tjCompressFromYUVPlanes).
    func encoded(quality: Int) throws(CodecError) -> [UInt8] {
        // SAFETY: the handle is used in this function only and destroyed at its end.
        guard let handle = unsafe tjInitCompress() else { throw .failed("no TurboJPEG handle") }
        // SAFETY: the handle is valid and not used after this.
        defer { _ = unsafe tjDestroy(handle) }
        var sources = unsafe planes.map { unsafe Optional(UnsafePointer($0.samples)) }
        var strides = planes.map { Int32($0.width) }
        var output: UnsafeMutablePointer<UInt8>?
        var count: UInt = 0
        // SAFETY: every plane has the size that the library names for it; the library allocates the output.
        let status = unsafe tjCompressFromYUVPlanes(
            handle,
            &sources,
            Int32(width),
            &strides,
            Int32(height),
            Int32(subsampling.rawValue),
            &output,
            &count,
            Int32(quality),
            TJFLAG_ACCURATEDCT
        )
        // SAFETY: allocated by the library, or null.
        defer { unsafe tjFree(output) }
        guard status == 0, let start = unsafe output else { throw unsafe Self.error(handle) }
        // SAFETY: the library wrote `count` bytes from `start`.
        return unsafe [UInt8](UnsafeBufferPointer(start: start, count: Int(count)))
    }

    /// How many picture columns and rows one sample of a component stands for.
    private static func factors(_ component: Int, _ subsampling: TJSAMP) -> (across: Int, down: Int) {
        guard component > 0 else { return (1, 1) }
        return switch subsampling {
        case TJSAMP_422: (2, 1)
        case TJSAMP_420: (2, 2)
        case TJSAMP_440: (1, 2)
        case TJSAMP_411: (4, 1)
        default: (1, 1)
        }
    }

    private static func error(_ handle: tjhandle) -> CodecError {
        // SAFETY: the message belongs to the handle, is ended by NUL, and is copied here.
        .decoding(unsafe tjGetErrorStr2(handle).map { unsafe String(cString: $0) } ?? "unknown")
    }
}

extension fl_axis {
    /// - Parameter isColour: the encoder wants an even number of brightness samples.
    fileprivate init(count: Int, factor: Int, newCount: Int, newFactor: Int, isColour: Bool, flip: Bool) {
        let padded = isColour ? (newCount + 1) / 2 * 2 : newCount
        let length = Double(count) / Double(factor)
        self.init(
            source_count: Int32((count + factor - 1) / factor),
            target_count: Int32(padded / newFactor),
            scale: length / (Double(newCount) / Double(newFactor)),
            length: length,
            flip: flip
        )
    }
}

/// Owns the samples of one plane.
@safe private final class Plane {
    let width: Int
    let height: Int
    // SAFETY: allocated for width * height samples, freed once in deinit.
    let samples: UnsafeMutablePointer<UInt8>

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        unsafe samples = UnsafeMutablePointer<UInt8>.allocate(capacity: width * height)
    }

    deinit {
        // SAFETY: nobody else holds the samples.
        unsafe samples.deallocate()
    }
}
