// SPDX-License-Identifier: Apache-2.0

/// Reads uncompressed Windows bitmaps; libvips would open them only through a library that is kept out.
enum BMPReader {
    /// 8-bit RGB pixels, row by row from the top.
    struct Pixels: Equatable {
        var width: Int
        var height: Int
        var rgb: [UInt8]
    }

    /// Reads a bitmap of 1, 4 or 8 bits with a palette, or of 16, 24 or 32 bits.
    static func read(_ bytes: [UInt8], maxPixels: Int = 100_000_000) throws(CodecError) -> Pixels {
        let header = try Header(bytes, maxPixels: maxPixels)
        guard header.pixelOffset + header.stride * header.height <= bytes.count else { throw .truncated }
        var rgb = [UInt8](repeating: 0, count: header.width * header.height * 3)
        var target = 0
        for row in 0..<header.height {
            let stored = header.topDown ? row : header.height - 1 - row
            let start = header.pixelOffset + stored * header.stride
            for column in 0..<header.width {
                let (red, green, blue) = header.pixel(bytes, row: start, column: column)
                rgb[target] = red
                rgb[target + 1] = green
                rgb[target + 2] = blue
                target += 3
            }
        }
        return Pixels(width: header.width, height: header.height, rgb: rgb)
    }

    private struct Header {
        var width: Int
        var height: Int
        var topDown: Bool
        var bits: Int
        var stride: Int
        var pixelOffset: Int
        var palette: [(UInt8, UInt8, UInt8)] = []
        var masks: [UInt32] = []

        init(_ bytes: [UInt8], maxPixels: Int) throws(CodecError) {
            guard bytes.count >= 26, bytes[0] == 0x42, bytes[1] == 0x4D else { throw .corrupt("no bitmap header") }
            pixelOffset = BMPReader.number(bytes, 10, 4)
            let size = BMPReader.number(bytes, 14, 4)
            let isCore = size == 12
            guard isCore || size >= 40, 14 + size <= bytes.count else { throw .corrupt("bitmap header size") }
            let rawHeight =
                isCore
                ? BMPReader.number(bytes, 20, 2) : Int(Int32(truncatingIfNeeded: BMPReader.number(bytes, 22, 4)))
            width =
                isCore
                ? BMPReader.number(bytes, 18, 2) : Int(Int32(truncatingIfNeeded: BMPReader.number(bytes, 18, 4)))
            height = abs(rawHeight)
            topDown = rawHeight < 0
            bits = BMPReader.number(bytes, isCore ? 24 : 28, 2)
            let compression = isCore ? 0 : BMPReader.number(bytes, 30, 4)
            guard width > 0, height > 0, width <= maxPixels, height <= maxPixels / width else {
                throw .corrupt("bitmap size")
            }
            guard [1, 4, 8, 16, 24, 32].contains(bits) else { throw .corrupt("bitmap depth \(bits)") }
            stride = (width * bits + 31) / 32 * 4
            guard compression == 0 || (compression == 3 && (bits == 16 || bits == 32)) else {
                throw .corrupt("compressed bitmap")
            }
            guard pixelOffset >= 14 + size else { throw .corrupt("bitmap pixel offset") }
            if bits <= 8 {
                let entry = isCore ? 3 : 4
                let declared = isCore ? 0 : BMPReader.number(bytes, 46, 4)
                let count = declared == 0 ? 1 << bits : min(declared, 1 << bits)
                let start = 14 + size
                guard start + count * entry <= bytes.count else { throw .truncated }
                palette = (0..<count).map { index in
                    let at = start + index * entry
                    return (bytes[at + 2], bytes[at + 1], bytes[at])
                }
            } else if bits != 24 {
                masks = bits == 16 ? [0x7C00, 0x3E0, 0x1F] : [0xFF0000, 0xFF00, 0xFF]
                if compression == 3 {
                    guard bytes.count >= 66 else { throw .truncated }
                    masks = [54, 58, 62].map { UInt32(BMPReader.number(bytes, $0, 4)) }
                }
            }
        }

        func pixel(_ bytes: [UInt8], row: Int, column: Int) -> (UInt8, UInt8, UInt8) {
            switch bits {
            case 24:
                let at = row + column * 3
                return (bytes[at + 2], bytes[at + 1], bytes[at])
            case 16, 32:
                let value = UInt32(BMPReader.number(bytes, row + column * bits / 8, bits / 8))
                return (channel(value, masks[0]), channel(value, masks[1]), channel(value, masks[2]))
            default:
                let perByte = 8 / bits
                let byte = Int(bytes[row + column / perByte])
                let index = byte >> (8 - bits * (column % perByte + 1)) & (1 << bits - 1)
                return index < palette.count ? palette[index] : (0, 0, 0)
            }
        }

        private func channel(_ value: UInt32, _ mask: UInt32) -> UInt8 {
            guard mask != 0 else { return 0 }
            let shift = UInt32(mask.trailingZeroBitCount)
            let top = UInt64(mask >> shift)
            return UInt8(truncatingIfNeeded: UInt64((value & mask) >> shift) * 255 / top)
        }
    }

    private static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int {
        (0..<count).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }
}
