// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// The demo's picture: four coloured quarters as a camera held sideways stores them, with a position.
enum DemoPhoto {
    /// Upright size 1200 x 1600; stored as 1600 x 1200 with orientation 6, at the Hofburg in Vienna.
    static let storedWidth = 1_600
    static let storedHeight = 1_200

    /// The stored pixels as a 24-bit BMP, which the gateway's own imaging turns into a JPEG.
    static func bitmap() -> [UInt8] {
        let row = storedWidth * 3
        var bytes: [UInt8] = Array("BM".utf8)
        bytes += little(UInt32(54 + row * storedHeight)) + little(0) + little(54)
        bytes += little(40) + little(UInt32(storedWidth)) + little(UInt32(storedHeight)) + [1, 0, 24, 0]
        bytes += little(0) + little(UInt32(row * storedHeight)) + little(2_835) + little(2_835) + little(0) + little(0)
        bytes.reserveCapacity(54 + row * storedHeight)
        for y in (0..<storedHeight).reversed() {
            for x in 0..<storedWidth { bytes += colour(x, y) }
        }
        return bytes
    }

    /// Orientation 6 turns the stored picture clockwise: its lower left corner becomes the upper left one.
    private static func colour(_ x: Int, _ y: Int) -> [UInt8] {
        let isLeft = y >= storedHeight / 2
        let isTop = x < storedWidth / 2
        let shade = UInt8((x ^ y) & 15)
        switch (isLeft, isTop) {
        case (true, true): return [30, 30 + shade, 220]
        case (false, true): return [60, 170 + shade, 30]
        case (false, false): return [210, 60 + shade, 40]
        case (true, false): return [40, 210 + shade, 240]
        }
    }

    private static func little(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// Puts an EXIF segment with orientation 6 and 48.2082 N, 16.3738 E behind the JPEG's first marker.
    static func tagged(_ jpeg: [UInt8]) -> [UInt8] {
        var tiff: [UInt8] = Array("MM".utf8) + [0, 42, 0, 0, 0, 8]
        tiff += big16(2) + entry(0x0112, 3, 1, [0, 6, 0, 0]) + entry(0x8825, 4, 1, big32(38)) + big32(0)
        tiff += big16(4) + entry(1, 2, 2, Array("N".utf8) + [0, 0, 0]) + entry(2, 5, 3, big32(92))
        tiff += entry(3, 2, 2, Array("E".utf8) + [0, 0, 0]) + entry(4, 5, 3, big32(116)) + big32(0)
        for value: UInt32 in [48, 1, 12, 1, 2_952, 100, 16, 1, 22, 1, 2_568, 100] { tiff += big32(value) }
        let payload = Array("Exif".utf8) + [0, 0] + tiff
        return Array(jpeg.prefix(2)) + [0xFF, 0xE1] + big16(UInt16(payload.count + 2)) + payload + jpeg.dropFirst(2)
    }

    private static func entry(_ tag: UInt16, _ type: UInt16, _ count: UInt32, _ value: [UInt8]) -> [UInt8] {
        big16(tag) + big16(type) + big32(count) + value
    }

    private static func big16(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(truncatingIfNeeded: value)] }

    private static func big32(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }
}
