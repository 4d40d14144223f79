// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// What a container reader found: sizes, counts, and where the metadata stands.
struct ContainerFacts {
    var width: Int
    var height: Int
    var frames = 1
    var hasAlpha = false
    var metadata = MetadataBlocks()
    /// Second pictures and films, as far as the container tells.
    var companions: Set<Companion> = []
    /// The container's own turning; only HEIF has one.
    var orientation = Orientation.upright
    /// Size after the container's turning and crop; only HEIF has one.
    var uprightSize: (width: Int, height: Int)?

    init(width: Int, height: Int, frames: Int = 1, hasAlpha: Bool = false) {
        self.width = width
        self.height = height
        self.frames = frames
        self.hasAlpha = hasAlpha
    }
}
