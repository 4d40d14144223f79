// SPDX-License-Identifier: Apache-2.0

import FanlightCore

extension ImageLimits {
    /// Refuses an empty canvas and one of too many pixels.
    func check(width: Int, height: Int) throws(ImageError) {
        guard width > 0, height > 0 else { throw .corrupt("a side of the picture is zero") }
        let pixels = width.multipliedReportingOverflow(by: height)
        if pixels.overflow || pixels.partialValue > maxPixels {
            throw .tooManyPixels(width: width, height: height, limit: maxPixels)
        }
    }

    /// Refuses too many frames, and frames that together have too many pixels.
    ///
    /// The size must have passed `check(width:height:)`. The limit in the error is the one that was broken, in frames.
    func check(frames: Int, width: Int, height: Int) throws(ImageError) {
        let allowed = min(maxFrames, max(1, maxTotalPixels / max(1, width * height)))
        if frames > allowed { throw .tooManyFrames(frames, limit: allowed) }
    }
}
