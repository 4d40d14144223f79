// SPDX-License-Identifier: Apache-2.0

@testable import FanlightMetadata

/// Builds small pictures of every type that the readers know.
enum Sample {
    static func big(_ value: Int, _ width: Int) -> [UInt8] {
        (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    static func little(_ value: Int, _ width: Int) -> [UInt8] { big(value, width).reversed() }

    // MARK: JPEG

    static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [0xFF, marker] + big(payload.count + 2, 2) + payload
    }

    static func exifSegment(_ tiff: [UInt8]) -> [UInt8] { segment(0xE1, Array("Exif\u{0}\u{0}".utf8) + tiff) }

    static func xmpSegment(_ text: String) -> [UInt8] { xmpSegment(Array(text.utf8)) }

    static func xmpSegment(_ packet: [UInt8]) -> [UInt8] {
        segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\u{0}".utf8) + packet)
    }

    /// A sound colour profile of the given size with one empty tag.
    static func profile(_ space: String = "RGB ", size: Int = 200) -> [UInt8] {
        let head =
            big(size, 4) + big(0, 12) + Array(space.utf8) + big(0, 16) + Array("acsp".utf8) + big(0, 88) + big(1, 4)
        return head + (head.count..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    }

    static let jfif = segment(0xE0, Array("JFIF\u{0}".utf8) + [1, 2, 1, 0, 72, 0, 72, 0, 0])
    static let quantisation = segment(0xDB, [0] + [UInt8](repeating: 16, count: 64))
    static let scan = segment(0xDA, [1, 1, 0, 0, 63, 0]) + [0x12, 0xFF, 0x00, 0x34, 0xFF, 0xD0, 0x56]

    static func frame(_ marker: UInt8 = 0xC0, width: Int, height: Int, depth: Int = 8, factors: [Int] = [0x11])
        -> [UInt8]
    {
        var payload = [UInt8(depth)] + big(height, 2) + big(width, 2) + [UInt8(factors.count)]
        for (index, factor) in factors.enumerated() { payload += [UInt8(index + 1), UInt8(factor), 0] }
        return segment(marker, payload)
    }

    /// A JPEG with the given segments between start and frame header.
    static func jpeg(width: Int = 16, height: Int = 8, _ segments: [UInt8] = [], tail: [UInt8] = []) -> [UInt8] {
        [0xFF, 0xD8] + segments + quantisation + frame(width: width, height: height) + scan + [0xFF, 0xD9] + tail
    }

    // MARK: PNG

    static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + data
        return big(data.count, 4) + body + big(Int(CRC32.checksum(body[...])), 4)
    }

    static func header(width: Int, height: Int, colour: Int = 2) -> [UInt8] {
        chunk("IHDR", big(width, 4) + big(height, 4) + [8, UInt8(colour), 0, 0, 0])
    }

    /// A PNG with the given chunks between header and picture data.
    static func png(
        width: Int = 16,
        height: Int = 8,
        colour: Int = 2,
        _ chunks: [UInt8] = [],
        tail: [UInt8] = []
    ) -> [UInt8] {
        PNGChunkCursor.signature + header(width: width, height: height, colour: colour) + chunks
            + chunk("IDAT", [0x78, 0x9C, 1, 2, 3]) + chunk("IEND", []) + tail
    }

    // MARK: GIF

    static let gifControl: [UInt8] = [0x21, 0xF9, 4, 1, 10, 0, 0, 0]

    static func gifExtension(_ label: UInt8, _ blocks: [[UInt8]]) -> [UInt8] {
        [0x21, label] + blocks.flatMap { [UInt8($0.count)] + $0 } + [0]
    }

    static func gifFrame(width: Int = 16, height: Int = 8) -> [UInt8] {
        [0x2C, 0, 0, 0, 0] + little(width, 2) + little(height, 2) + [0, 2, 2, 0x4C, 1, 0]
    }

    static func gif(width: Int = 16, height: Int = 8, _ blocks: [UInt8], tail: [UInt8] = []) -> [UInt8] {
        Array("GIF89a".utf8) + little(width, 2) + little(height, 2) + [0x80, 0, 0, 0, 0, 0, 255, 255, 255] + blocks
            + [0x3B] + tail
    }

    // MARK: WebP

    static func riff(_ name: String, _ data: [UInt8]) -> [UInt8] {
        Array(name.utf8) + little(data.count, 4) + data + (data.count % 2 == 1 ? [0] : [])
    }

    static func webp(_ chunks: [UInt8], tail: [UInt8] = []) -> [UInt8] {
        Array("RIFF".utf8) + little(chunks.count + 4, 4) + Array("WEBP".utf8) + chunks + tail
    }

    static func vp8(width: Int = 16, height: Int = 8) -> [UInt8] {
        riff("VP8 ", [0x50, 1, 0, 0x9D, 1, 0x2A] + little(width, 2) + little(height, 2) + [1, 2, 3])
    }

    static func vp8l(width: Int = 16, height: Int = 8, alpha: Bool = false) -> [UInt8] {
        riff("VP8L", [0x2F] + little((width - 1) | (height - 1) << 14 | (alpha ? 1 << 28 : 0), 4) + [9])
    }

    static func vp8x(_ flags: UInt8, width: Int = 16, height: Int = 8) -> [UInt8] {
        riff("VP8X", [flags, 0, 0, 0] + little(width - 1, 3) + little(height - 1, 3))
    }

    static func anmf(width: Int = 16, height: Int = 8, extra: [UInt8] = []) -> [UInt8] {
        let header = little(0, 3) + little(0, 3) + little(width - 1, 3) + little(height - 1, 3) + little(100, 3) + [0]
        return riff("ANMF", header + vp8(width: width, height: height) + extra)
    }

    // MARK: BMP

    static func bmp(width: Int = 3, height: Int = 2, topDown: Bool = false) -> [UInt8] {
        let rows = (width * 24 + 31) / 32 * 4 * height
        return Array("BM".utf8) + little(54 + rows, 4) + little(0, 4) + little(54, 4) + little(40, 4)
            + little(width, 4) + little(topDown ? -height : height, 4) + little(1, 2) + little(24, 2)
            + [UInt8](repeating: 0, count: 24) + [UInt8](repeating: 5, count: rows)
    }

    // MARK: HEIF

    static func box(_ name: String, _ body: [UInt8]) -> [UInt8] { big(body.count + 8, 4) + Array(name.utf8) + body }

    static func fullBox(_ name: String, _ body: [UInt8], version: Int = 0) -> [UInt8] {
        box(name, big(version << 24, 4) + body)
    }

    static func itemEntry(_ item: Int, _ type: String) -> [UInt8] {
        fullBox("infe", big(item, 2) + big(0, 2) + Array(type.utf8) + [0], version: 2)
    }

    /// A HEIF with a primary picture, an alpha picture where wanted, and EXIF where given.
    static func heif(
        brand: String = "heic",
        type: String = "hvc1",
        width: Int = 16,
        height: Int = 8,
        transforms: [[UInt8]] = [],
        alpha: Bool = false,
        exif: [UInt8]? = nil
    ) -> [UInt8] {
        let ftyp = box("ftyp", Array(brand.utf8) + big(0, 4) + Array("mif1".utf8) + Array(brand.utf8))
        let size = fullBox("ispe", big(width, 4) + big(height, 4))
        let kind = fullBox("auxC", Array("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\u{0}".utf8))
        let properties = [size, kind] + transforms
        let own = [1] + (0..<transforms.count).map { UInt8($0 + 3) }
        let associations = big(2, 4) + big(1, 2) + [UInt8(own.count)] + own + big(2, 2) + [2, 1, 2]
        var entries = [itemEntry(1, type)]
        if alpha { entries.append(itemEntry(2, type)) }
        let exifData = exif.map { big(0, 4) + $0 } ?? []
        if exif != nil { entries.append(itemEntry(3, "Exif")) }
        let reference = alpha ? fullBox("iref", box("auxl", big(2, 2) + big(1, 2) + big(1, 2))) : []
        let picture: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
        let meta: (Int) -> [UInt8] = { start in
            let exifPlace = big(3, 2) + big(0, 2) + big(1, 2) + big(start + picture.count, 4) + big(exifData.count, 4)
            let place = big(1, 2) + big(0, 2) + big(1, 2) + big(start, 4) + big(picture.count, 4)
            let places = exif == nil ? place : place + exifPlace
            return fullBox(
                "meta",
                fullBox("hdlr", big(0, 4) + Array("pict".utf8) + big(0, 13)) + fullBox("pitm", big(1, 2))
                    + fullBox("iinf", big(entries.count, 2) + entries.joined()) + reference
                    + box("iprp", box("ipco", Array(properties.joined())) + fullBox("ipma", associations))
                    + fullBox("iloc", [0x44, 0] + big(exif == nil ? 1 : 2, 2) + places)
            )
        }
        let start = ftyp.count + meta(0).count + 8
        return ftyp + meta(start) + box("mdat", picture + exifData)
    }
}
