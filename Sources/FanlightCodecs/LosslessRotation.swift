// SPDX-License-Identifier: Apache-2.0

import CImaging
public import FanlightCore
import FanlightMetadata

/// Turns JPEG coefficients without decoding them.
public enum LosslessRotation {
    /// Makes a JPEG upright (C: jpeg_read_coefficients, jpeg_write_coefficients), keeping its colour profile and no
    /// other metadata.
    ///
    /// Coded sequentially, with the tables of the standard, or with tables of its own where the former would make the
    /// file a tenth larger.
    ///
    /// - Parameter trims: cuts partial blocks off where they would stay behind.
    /// - Throws: `CodecError.notPerfect` where partial blocks at an edge would stay behind and may not be cut off.
    public static func upright(
        _ jpeg: [UInt8],
        orientation: Orientation,
        trims: Bool = false
    ) throws(CodecError) -> [UInt8] {
        // SAFETY: a C structure of numbers, characters and a null pointer; zero is a valid value of every member.
        var turned = unsafe fl_turned()
        // SAFETY: the source outlives the call; the shim allocates the output.
        let status = unsafe jpeg.withUnsafeBufferPointer { source in
            unsafe source.baseAddress.map {
                unsafe fl_turn_jpeg($0, source.count, Int32(orientation.rawValue), trims, &turned)
            }
        }
        // SAFETY: allocated by the shim, or null.
        defer { unsafe fl_forget(turned.bytes) }
        guard status != FL_TURN_NOT_PERFECT else { throw .notPerfect }
        guard status == FL_TURN_DONE, let start = unsafe turned.bytes else {
            // SAFETY: filled in by the shim.
            throw .decoding(unsafe message(of: turned))
        }
        // SAFETY: the shim wrote `count` bytes from `start`.
        let bytes = unsafe [UInt8](UnsafeBufferPointer(start: start, count: turned.count))
        guard let profile = (try? JPEGHeader.inspect(jpeg))?.iccProfile else { return bytes }
        return MetadataStripper.insertICC(profile, intoJPEG: bytes)
    }

    @unsafe
    private static func message(of turned: fl_turned) -> String {
        // SAFETY: the shim ends the message by NUL, and it is copied here.
        unsafe withUnsafeBytes(of: turned.message) { characters in
            unsafe String(decoding: characters.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
