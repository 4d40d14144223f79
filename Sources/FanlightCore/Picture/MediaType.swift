// SPDX-License-Identifier: Apache-2.0

/// A picture format that the gateway takes.
public enum MediaType: String, Sendable, CaseIterable, Hashable {
    case jpeg, png, gif, webp, tiff, bmp, heic, avif

    /// The registered type, for example `image/jpeg`.
    public var mime: String { "image/" + rawValue }

    /// The usual file name extension without a dot, for example `jpg`.
    public var fileExtension: String {
        switch self {
        case .jpeg: "jpg"
        case .tiff: "tif"
        default: rawValue
        }
    }
}

/// EXIF orientation: what must be done to the stored pixels to make them upright.
public enum Orientation: Int, Sendable, CaseIterable, Hashable {
    case upright = 1, mirrored, upsideDown, flipped, transposed, right, transversed, left

    /// True where making the picture upright exchanges width and height (5 to 8).
    public var swapsSides: Bool { rawValue >= 5 }
}
