// SPDX-License-Identifier: Apache-2.0

import CTurboJPEG
import FanlightCore

/// A JPEG's brightness and colour planes, as they are stored: shrinking them needs neither RGB nor full-size colour.
struct JPEGPlanes {
    /// Size of the picture in the planes, before turning.
    let width: Int
    let height: Int
    let subsampling: TJSAMP
    let planes: [Plane]

    var isGrey: Bool { planes.count == 1 }

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
        guard full.width > 0, full.height > 0 else { throw unsafe Self.error(handle) }
        // With a size, what the library does not know are the colours or how coarse they are.
        guard known == 0 else { return nil }
        let isOrdinary = colours == Int32(TJCS_YCbCr.rawValue) || colours == Int32(TJCS_GRAY.rawValue)
        guard isOrdinary, sampling >= 0, sampling < TJ_NUMSAMP else { return nil }

        let factor = max(Double(full.width) / Double(box.width), Double(full.height) / Double(box.height))
        // The filter wants two samples or more for each that it makes.
        var divisor: Int32 = factor >= 16 ? 8 : factor >= 8 ? 4 : factor >= 4 ? 2 : 1
        while divisor > 1, Self.isTooNarrow(full.width, TJSAMP(UInt32(sampling)), divisor) { divisor /= 2 }
        let size = (width: (full.width + divisor - 1) / divisor, height: (full.height + divisor - 1) / divisor)
        self.init(width: Int(size.width), height: Int(size.height), subsampling: TJSAMP(UInt32(sampling)))
        var targets = unsafe planes.map { unsafe Optional($0.samples) }
        var strides = planes.map { Int32($0.stride) }
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

    /// True where the library, decoding so much smaller, would make rows that are shorter than those of its planes, and
    /// read beyond their end (libjpeg-turbo 2.1.5).
    private static func isTooNarrow(_ width: Int32, _ subsampling: TJSAMP, _ divisor: Int32) -> Bool {
        (0..<(subsampling == TJSAMP_GRAY ? 1 : 3)).contains { (component: Int32) in
            let block = 8 * Int32(factors(Int(component), subsampling).across)
            let samples = (width + block - 1) / block * (8 / divisor)
            return tjPlaneWidth(component, (width + divisor - 1) / divisor, Int32(subsampling.rawValue)) > samples
        }
    }

    /// Makes planes of the sizes that the library names, with samples that are not set.
    init(width: Int, height: Int, subsampling: TJSAMP) {
        self.width = width
        self.height = height
        self.subsampling = subsampling
        planes = (0..<(subsampling == TJSAMP_GRAY ? 1 : 3)).map { component in
            Plane(
                width: Int(tjPlaneWidth(component, Int32(width), Int32(subsampling.rawValue))),
                height: Int(tjPlaneHeight(component, Int32(height), Int32(subsampling.rawValue)))
            )
        }
    }

    /// Every way in which colour may be coarser than brightness, and none.
    static let samplings = [TJSAMP_444, TJSAMP_422, TJSAMP_420, TJSAMP_440, TJSAMP_411, TJSAMP_GRAY]

    /// The size that fits a box, before turning; never larger than the picture.
    func size(within box: (width: Int, height: Int), of full: (width: Int, height: Int)) -> (width: Int, height: Int) {
        // The decoder may have made it smaller; the sides follow the full picture's.
        let factor = max(1, Double(full.width) / Double(box.width), Double(full.height) / Double(box.height))
        return (
            min(width, max(1, Int((Double(full.width) / factor).rounded()))),
            min(height, max(1, Int((Double(full.height) / factor).rounded())))
        )
    }

    /// Scales to a stored size and turns upright.
    ///
    /// - Parameter keepsSampling: leaves the colour planes as fine as they are; else they get half of each side.
    func fitted(
        width newWidth: Int,
        height newHeight: Int,
        orientation: Orientation,
        keepsSampling: Bool = false
    ) throws(CodecError) -> JPEGPlanes {
        let sampling = sampling(keepsSampling: keepsSampling, turned: orientation)
        let swaps = orientation.swapsSides
        let result = JPEGPlanes(
            width: swaps ? newHeight : newWidth,
            height: swaps ? newWidth : newHeight,
            subsampling: sampling
        )
        let flipsAcross = [.mirrored, .upsideDown, .transversed, .left].contains(orientation)
        let flipsDown = [.upsideDown, .flipped, .right, .transversed].contains(orientation)
        for (component, plane) in planes.enumerated() {
            let old = Self.factors(component, subsampling)
            let upright = Self.factors(component, sampling)
            let new = swaps ? (across: upright.down, down: upright.across) : upright
            let across = PlaneScaler.Axis(width, old.across, to: newWidth, new.across, flips: flipsAcross)
            let down = PlaneScaler.Axis(height, old.down, to: newHeight, new.down, flips: flipsDown)
            try Self.fit(plane, into: result.planes[component], across, down, orientation)
        }
        return result
    }

    private static func fit(
        _ plane: Plane,
        into target: Plane,
        _ across: PlaneScaler.Axis,
        _ down: PlaneScaler.Axis,
        _ orientation: Orientation
    ) throws(CodecError) {
        var scaled = plane
        if !across.isIdentity || !down.isIdentity {
            scaled = orientation == .upright ? target : Plane(width: across.targetCount, height: down.targetCount)
            try PlaneScaler.scale(plane, into: scaled, across: across, down: down)
        }
        if scaled !== target {
            scaled.turn(width: across.targetCount, height: down.targetCount, orientation: orientation, into: target)
        }
        let swaps = orientation.swapsSides
        target.pad(
            from: swaps ? down.targetCount : across.targetCount,
            swaps ? across.targetCount : down.targetCount
        )
    }

    /// Encodes (C: tjCompressFromYUVPlanes).
    func encoded(quality: Int) throws(CodecError) -> [UInt8] {
        // SAFETY: the handle is used in this function only and destroyed at its end.
        guard let handle = unsafe tjInitCompress() else { throw .failed("no TurboJPEG handle") }
        // SAFETY: the handle is valid and not used after this.
        defer { _ = unsafe tjDestroy(handle) }
        var sources = unsafe planes.map { unsafe Optional(UnsafePointer($0.samples)) }
        var strides = planes.map { Int32($0.stride) }
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

    /// The pixels, row by row from the top (C: tjDecodeYUVPlanes): RGB, or one band where the picture is grey.
    func pixels() throws(CodecError) -> [UInt8] {
        // SAFETY: the handle is used in this function only and destroyed at its end.
        guard let handle = unsafe tjInitDecompress() else { throw .failed("no TurboJPEG handle") }
        // SAFETY: the handle is valid and not used after this.
        defer { _ = unsafe tjDestroy(handle) }
        var sources = unsafe planes.map { unsafe Optional(UnsafePointer($0.samples)) }
        var strides = planes.map { Int32($0.stride) }
        let bands = isGrey ? 1 : 3
        let count = width * height * bands
        var status: Int32 = -1
        // SAFETY: the buffer has room for all pixels; every plane has the size that the library names for it.
        let pixels = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            unsafe status = tjDecodeYUVPlanes(
                handle,
                &sources,
                &strides,
                Int32(subsampling.rawValue),
                buffer.baseAddress,
                Int32(width),
                0,
                Int32(height),
                Int32((isGrey ? TJPF_GRAY : TJPF_RGB).rawValue),
                0
            )
            filled = status == 0 ? count : 0
        }
        guard status == 0 else { throw unsafe Self.error(handle) }
        return pixels
    }

    /// How fine the colour of the upright picture is to be.
    private func sampling(keepsSampling: Bool, turned orientation: Orientation) -> TJSAMP {
        if isGrey { return TJSAMP_GRAY }
        guard keepsSampling else { return TJSAMP_420 }
        guard orientation.swapsSides else { return subsampling }
        return switch subsampling {
        case TJSAMP_422: TJSAMP_440
        case TJSAMP_440: TJSAMP_422
        // There is no name for a quarter of the rows.
        case TJSAMP_411: TJSAMP_420
        default: subsampling
        }
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

extension PlaneScaler.Axis {
    /// One direction of a component whose samples stand for `factor` picture samples each.
    ///
    /// The last sample may stand for fewer. Where the picture is turned round afterwards, that one comes first.
    fileprivate init(_ count: Int, _ factor: Int, to newCount: Int, _ newFactor: Int, flips: Bool) {
        let length = Double(count) / Double(factor)
        let scale = length * Double(newFactor) / Double(newCount)
        sourceCount = (count + factor - 1) / factor
        targetCount = (newCount + newFactor - 1) / newFactor
        if count == newCount, factor == newFactor, !flips || count % factor == 0 {
            (start, extent) = (0, Double(sourceCount))
            return
        }
        extent = Double(targetCount) * scale
        start = flips ? length - extent : 0
    }
}
