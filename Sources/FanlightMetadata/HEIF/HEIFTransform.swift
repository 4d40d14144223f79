// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Folds a HEIF item's turning, mirroring and crop into an orientation and a size.
///
/// The state is "exchange the axes, then mirror"; each property acts on what those before it made.
/// Source: ISO/IEC 23008-12 sections 6.5.9 to 6.5.12.
struct HEIFTransform {
    private(set) var width: Int
    private(set) var height: Int
    private var swaps = false
    private var mirrorsX = false
    private var mirrorsY = false

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    var orientation: Orientation {
        switch (swaps, mirrorsX, mirrorsY) {
        case (false, false, false): .upright
        case (false, true, false): .mirrored
        case (false, true, true): .upsideDown
        case (false, false, true): .flipped
        case (true, false, false): .transposed
        case (true, true, false): .right
        case (true, true, true): .transversed
        case (true, false, true): .left
        }
    }

    mutating func apply(_ property: Box) throws(ImageError) {
        switch property.name {
        case "irot":
            for _ in 0..<((property.body.uint8(0) ?? 0) & 3) { turnLeft() }
        case "imir":
            if (property.body.uint8(0) ?? 0) & 1 == 0 { mirrorsY.toggle() } else { mirrorsX.toggle() }
        case "clap": try crop(property.body)
        default: return
        }
    }

    private mutating func turnLeft() {
        swaps.toggle()
        (mirrorsX, mirrorsY) = (mirrorsY, !mirrorsX)
        (width, height) = (height, width)
    }

    private mutating func crop(_ body: ByteWindow) throws(ImageError) {
        guard let widthOver = body.uint32(0), let widthUnder = body.uint32(4), let heightOver = body.uint32(8),
            let heightUnder = body.uint32(12), widthUnder > 0, heightUnder > 0
        else { throw .corrupt("bad crop") }
        let cropped = (width: widthOver / widthUnder, height: heightOver / heightUnder)
        guard (1...max(1, width)).contains(cropped.width), (1...max(1, height)).contains(cropped.height) else {
            throw .corrupt("the crop is larger than the picture")
        }
        (width, height) = cropped
    }
}
