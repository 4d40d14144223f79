// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

/// Rewrites a picture without its metadata and without touching a pixel.
public enum MetadataStripper {
    /// Copies what a picture needs to look right, and what the policy lets stay of its metadata.
    ///
    /// What is copied is on a list; everything unknown is left out, and so is everything behind the picture's end.
    /// - JPEG: JFIF without its thumbnail, a sound colour profile, the Adobe segment, and the coding segments of the
    ///   first picture.
    /// - PNG: the chunks of picture, animation, transparency, colour and pixel size.
    /// - WebP: picture, animation, transparency and colour profile, with flags and size to match.
    /// - GIF: screen, frames, their controls and the loop count.
    ///
    /// The orientation goes too: turn the picture first where it is not upright. Metadata that stays is written anew
    /// (``MetadataWriter``).
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - policy: What may stay; `keep` returns the bytes as they are.
    /// - Returns: The rewritten file; equal for equal input.
    /// - Throws: ``ImageError/corrupt(_:)`` for TIFF, BMP, HEIC and AVIF, which are to be converted instead; else
    ///   ``ImageError`` where the bytes are no picture or not whole.
    /// - Complexity: One pass and one copy.
    public static func strip(_ bytes: [UInt8], policy: MetadataPolicy) throws(ImageError) -> [UInt8] {
        if policy == .keep { return bytes }
        return try MetadataWriter.rewrite(bytes, source: RetainedMetadata(of: bytes, policy: policy))
    }

    /// Puts a colour profile into a JPEG that has none, behind its JFIF segment.
    ///
    /// A turned JPEG comes out without markers; its profile is given back with this.
    ///
    /// - Parameters:
    ///   - profile: The whole profile; at most 255 parts of 65,519 bytes.
    ///   - intoJPEG: The whole JPEG.
    /// - Returns: The JPEG with the profile; unchanged where the profile is empty or too large, or this is no JPEG.
    public static func insertICC(_ profile: [UInt8], intoJPEG jpeg: [UInt8]) -> [UInt8] {
        let segments = ICCParts.segments(of: profile)
        let window = ByteWindow(jpeg)
        guard !segments.isEmpty, window.has([0xFF, 0xD8]) else { return jpeg }
        var place = 2
        if window.has([0xFF, 0xE0], at: 2), let length = window.uint16(4), 4 + length <= jpeg.count {
            place = 4 + length
        }
        return Array(jpeg[..<place]) + segments + jpeg[place...]
    }
}
