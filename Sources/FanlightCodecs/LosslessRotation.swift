// SPDX-License-Identifier: Apache-2.0

import CImaging
import CTurboJPEG
public import FanlightCore
import FanlightMetadata

/// Turns JPEG coefficients without decoding them.
public enum LosslessRotation {
    /// Makes a JPEG upright (C: tjTransform), keeping its colour profile and no other metadata.
    ///
    /// - Parameter trims: cuts partial blocks off where they would stay behind.
    /// - Throws: `CodecError.notPerfect` where partial blocks at an edge would stay behind and may not be cut off.
    public static func upright(
        _ jpeg: [UInt8],
        orientation: Orientation,
        trims: Bool = false
    ) throws(CodecError) -> [UInt8] {
        let options = trims ? TJXOPT_TRIM : TJXOPT_PERFECT
        guard let turned = transform(jpeg, operation: operation(for: orientation), options: options) else {
            throw .failed("no TurboJPEG handle")
        }
        switch turned {
        case .success(let bytes):
            let bytes = bytes.count > jpeg.count / 10 * 11 ? optimised(bytes) : bytes
            guard let profile = (try? JPEGHeader.inspect(jpeg))?.iccProfile else { return bytes }
            return MetadataStripper.insertICC(profile, intoJPEG: bytes)
        case .failure(let error):
            throw error
        }
    }

    /// The same coefficients with code tables made for them (C: jpeg_write_coefficients), where that is smaller.
    ///
    /// TurboJPEG writes the tables of the standard, which suit photographs; drawings more than double in size.
    private static func optimised(_ jpeg: [UInt8]) -> [UInt8] {
        var output: UnsafeMutablePointer<UInt8>?
        var count = 0
        // SAFETY: the source outlives the call; the shim allocates the output.
        let done = unsafe jpeg.withUnsafeBufferPointer { source in
            unsafe source.baseAddress.map { unsafe fl_optimise($0, source.count, &output, &count) } ?? false
        }
        // SAFETY: allocated by the shim, or null.
        defer { unsafe fl_forget(output) }
        guard done, count < jpeg.count, let start = unsafe output else { return jpeg }
        // SAFETY: the shim wrote `count` bytes from `start`.
        return unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    }

    private static func operation(for orientation: Orientation) -> TJXOP {
        switch orientation {
        case .upright: TJXOP_NONE
        case .mirrored: TJXOP_HFLIP
        case .upsideDown: TJXOP_ROT180
        case .flipped: TJXOP_VFLIP
        case .transposed: TJXOP_TRANSPOSE
        case .right: TJXOP_ROT90
        case .transversed: TJXOP_TRANSVERSE
        case .left: TJXOP_ROT270
        }
    }

    private static func transform(_ jpeg: [UInt8], operation: TJXOP, options: Int32) -> Result<[UInt8], CodecError>? {
        // SAFETY: the handle is used in this function only and destroyed at its end.
        guard let handle = unsafe tjInitTransform() else { return nil }
        // SAFETY: the handle is valid and not used after this.
        defer { _ = unsafe tjDestroy(handle) }
        // SAFETY: a C structure of numbers and null pointers; zero is a valid value of every member.
        var step = unsafe tjtransform()
        unsafe step.op = Int32(operation.rawValue)
        unsafe step.options = options | TJXOPT_COPYNONE
        var output: UnsafeMutablePointer<UInt8>?
        var count: UInt = 0
        // SAFETY: the source outlives the call; the library allocates the output because NOREALLOC is not given.
        let status = unsafe jpeg.withUnsafeBufferPointer { source in
            unsafe tjTransform(
                handle,
                source.baseAddress,
                UInt(source.count),
                1,
                &output,
                &count,
                &step,
                TJFLAG_LIMITSCANS
            )
        }
        // SAFETY: allocated by the library, or null.
        defer { unsafe tjFree(output) }
        guard status == 0, let start = unsafe output, count > 0 else {
            // SAFETY: the message belongs to the handle, is ended by NUL, and is copied here.
            let message = unsafe tjGetErrorStr2(handle).map { unsafe String(cString: $0) } ?? "unknown"
            if message.contains("not perfect") { return .failure(.notPerfect) }
            return .failure(.decoding(message))
        }
        // SAFETY: the library wrote `count` bytes from `start`.
        return unsafe .success([UInt8](UnsafeBufferPointer(start: start, count: Int(count))))
    }
}
