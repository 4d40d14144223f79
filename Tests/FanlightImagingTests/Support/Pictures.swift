// SPDX-License-Identifier: Apache-2.0

import FanlightCore

@testable import FanlightCodecs

/// Pictures that the tests make themselves: four quarters, red and green above blue and yellow.
enum Pictures {
    /// Top left, top right, bottom left, bottom right of the upright picture.
    static let colours: [[UInt8]] = [[230, 20, 20], [20, 200, 20], [20, 20, 230], [230, 220, 20]]

    static let pipeline: PixelPipeline? = PixelPipeline()

    struct NoPipeline: Error {}

    static func startedPipeline() throws -> PixelPipeline {
        guard let pipeline else { throw NoPipeline() }
        return pipeline
    }

    /// A bitmap whose stored pixels become the four quarters once they are turned by the orientation.
    static func bitmap(uprightWidth: Int, uprightHeight: Int, stored orientation: Orientation = .upright) -> [UInt8] {
        let width = orientation.swapsSides ? uprightHeight : uprightWidth
        let height = orientation.swapsSides ? uprightWidth : uprightHeight
        return bitmap(width: width, height: height) { x, y in
            let (u, v) = upright(x, y, width, height, orientation)
            return colours[(v * 2 / uprightHeight) * 2 + u * 2 / uprightWidth]
        }
    }

    /// Where a stored pixel is in the upright picture.
    private static func upright(_ x: Int, _ y: Int, _ width: Int, _ height: Int, _ orientation: Orientation) -> (
        Int, Int
    ) {
        switch orientation {
        case .upright: (x, y)
        case .mirrored: (width - 1 - x, y)
        case .upsideDown: (width - 1 - x, height - 1 - y)
        case .flipped: (x, height - 1 - y)
        case .transposed: (y, x)
        case .right: (height - 1 - y, x)
        case .transversed: (height - 1 - y, width - 1 - x)
        case .left: (y, width - 1 - x)
        }
    }

    /// A 24-bit bitmap, bottom row first.
    static func bitmap(width: Int, height: Int, colour: (Int, Int) -> [UInt8]) -> [UInt8] {
        let stride = (width * 3 + 3) / 4 * 4
        var bytes: [UInt8] = [0x42, 0x4D]
        func number(_ value: Int, _ count: Int) { for i in 0..<count { bytes.append(UInt8(value >> (8 * i) & 0xFF)) } }
        number(54 + stride * height, 4)
        number(0, 4)
        number(54, 4)
        number(40, 4)
        number(width, 4)
        number(height, 4)
        number(1, 2)
        number(24, 2)
        for _ in 0..<6 { number(0, 4) }
        for y in (0..<height).reversed() {
            for x in 0..<width { bytes += colour(x, y).reversed() }
            bytes += [UInt8](repeating: 0, count: stride - width * 3)
        }
        return bytes
    }

    private static func number(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(value >> (24 - 8 * $0) & 0xFF) } }

    private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + data
        let sum = body.reduce(UInt32.max) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { rest, _ in rest >> 1 ^ (rest & 1) * 0xEDB8_8320 }
        }
        return number(UInt32(data.count)) + body + number(~sum)
    }

    /// A PNG that tells its colours by four numbers.
    static func withColours(_ numbers: [UInt8], _ png: [UInt8]) -> [UInt8] {
        Array(png.prefix(33)) + chunk("cICP", numbers) + png.dropFirst(33)
    }

    /// A PNG of black pixels that are fully transparent, in one uncompressed block.
    static func clearPNG(side: Int) -> [UInt8] {
        let count = side * (side * 4 + 1)
        let block: [UInt8] = [
            1, UInt8(count & 0xFF), UInt8(count >> 8), UInt8(~count & 0xFF), UInt8(~count >> 8 & 0xFF),
        ]
        // Adler-32 of so many zeros.
        let check = number(UInt32(count % 65521) << 16 | 1)
        let pixels = [0x78, 0x01] + block + [UInt8](repeating: 0, count: count) + check
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + chunk("IHDR", number(UInt32(side)) + number(UInt32(side)) + [8, 6, 0, 0, 0]) + chunk("IDAT", pixels)
            + chunk("IEND", [])
    }

    /// Noise, which compresses badly.
    static func noise(width: Int, height: Int) -> [UInt8] {
        var state: UInt32 = 12345
        return bitmap(width: width, height: height) { x, y in
            state = state &* 1_664_525 &+ 1_013_904_223
            let grain = UInt8(state >> 26)
            return [grain &+ UInt8(x & 0x7F), grain &+ UInt8(y & 0x7F), grain &+ 60]
        }
    }

    static func encode(_ bitmap: [UInt8], as output: MediaType, quality: Int = 92) throws -> [UInt8] {
        try startedPipeline().make(bitmap, .init(mediaType: .bmp), .init(output: output, quality: quality))
    }

    /// A JPEG that says by EXIF how it is to be turned, and where it was taken.
    static func jpeg(uprightWidth: Int, uprightHeight: Int, orientation: Orientation) throws -> [UInt8] {
        let plain = try encode(
            bitmap(uprightWidth: uprightWidth, uprightHeight: uprightHeight, stored: orientation),
            as: .jpeg
        )
        return withEXIF(plain, orientation: orientation)
    }

    /// Inserts an APP1 segment with Orientation and a GPS position (51.5, -0.125).
    static func withEXIF(_ jpeg: [UInt8], orientation: Orientation) -> [UInt8] {
        let payload = Array("Exif\0\0".utf8) + tiff(orientation)
        let size = payload.count + 2
        return [0xFF, 0xD8, 0xFF, 0xE1, UInt8(size >> 8), UInt8(size & 0xFF)] + payload + jpeg.dropFirst(2)
    }

    private static func tiff(_ orientation: Orientation) -> [UInt8] {
        var bytes: [UInt8] = Array("MM\0*".utf8)
        func number(_ value: Int, _ count: Int) {
            for i in (0..<count).reversed() { bytes.append(UInt8(value >> (8 * i) & 0xFF)) }
        }
        func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: Int) {
            number(tag, 2)
            number(type, 2)
            number(count, 4)
            number(value, 4)
        }
        number(8, 4)
        number(2, 2)
        entry(0x112, 3, 1, orientation.rawValue << 16)
        entry(0x8825, 4, 1, 38)
        number(0, 4)
        number(4, 2)
        entry(1, 2, 2, 0x4E00_0000)
        entry(2, 5, 3, 92)
        entry(3, 2, 2, 0x5700_0000)
        entry(4, 5, 3, 116)
        number(0, 4)
        for value in [51, 1, 30, 1, 0, 1, 0, 1, 7, 1, 30, 1] { number(value, 4) }
        return bytes
    }

    /// Decodes and names what is in the middle of each quarter: 0 to 3 as in `colours`, -1 for anything else.
    static func quarters(_ bytes: [UInt8], _ type: MediaType) throws -> (width: Int, height: Int, names: [Int]) {
        let (width, height, rgb) = try startedPipeline().pixels(bytes, .init(mediaType: type))
        return (width, height, named(rgb, width, height, colours, [1, 3], of: 4))
    }

    /// As `quarters`, near the corners, for the corpus' own drawing.
    static func corners(_ bytes: [UInt8], _ type: MediaType) throws -> [Int] {
        let (width, height, rgb) = try startedPipeline().pixels(bytes, .init(mediaType: type))
        let drawing: [[UInt8]] = [[220, 30, 30], [30, 170, 60], [240, 210, 40], [40, 60, 210]]
        return named(rgb, width, height, drawing, [1, 9], of: 10)
    }

    private static func named(
        _ rgb: [UInt8],
        _ width: Int,
        _ height: Int,
        _ colours: [[UInt8]],
        _ places: [Int],
        of parts: Int
    ) -> [Int] {
        places.flatMap { down in places.map { across in (across, down) } }.map { across, down in
            let at = ((height * down / parts) * width + width * across / parts) * 3
            return colours.firstIndex { colour in
                (0..<3).allSatisfy { abs(Int(colour[$0]) - Int(rgb[at + $0])) < 40 }
            } ?? -1
        }
    }
}
