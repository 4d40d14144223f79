// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// What a container reader found: sizes, counts, and where the metadata stands.
struct ContainerFacts {
    var width: Int
    var height: Int
    var frames = 1
    var hasAlpha = false
    /// TIFF bytes of the first EXIF block.
    var exif: ByteWindow?
    /// Text of the first XMP packet.
    var xmp: ByteWindow?
    /// The container's own turning; only HEIF has one.
    var orientation = Orientation.upright
    /// Size after the container's turning and crop; only HEIF has one.
    var uprightSize: (width: Int, height: Int)?
}
