// SPDX-License-Identifier: Apache-2.0

@testable import FanlightMetadata

/// Small pictures that between them have every part that a reader knows; the fuzzer starts from them.
enum Seeds {
    /// Files by folder and name.
    static var all: [String: [String: [UInt8]]] {
        [
            "jpeg": jpeg, "png": png, "gif": gif, "webp": webp, "tiff": tiff, "bmp": bmp, "heif": heif,
            "exif": ["full": exif, "big-endian": bigEndian, "position": PositionRow(name: "").exif],
            "xmp": ["attributes": Array(packet.utf8), "elements": Array(elements.utf8), "utf16": wide],
            "iptc": ["record": IPTCRecord(entries: entries).photoshopResources()],
        ]
    }

    static let packet =
        "<?xpacket begin=''?><x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF"
        + " xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description"
        + " xmlns:exif='http://ns.adobe.com/exif/1.0/' xmlns:dc='http://purl.org/dc/elements/1.1/'"
        + " exif:GPSLatitude='51,30N' exif:GPSLongitude='0,7.5W'><dc:rights><rdf:Alt><rdf:li xml:lang='x-default'>"
        + "&#169; A &amp; B</rdf:li></rdf:Alt></dc:rights></rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end='w'?>"
    private static let elements =
        "<rdf:Description><!-- a --><exif:GPSLatitude><![CDATA[51.5]]></exif:GPSLatitude><exif:GPSLongitude"
        + " rdf:parseType='Resource'><rdf:value>2E</rdf:value></exif:GPSLongitude><dc:creator><rdf:Seq><rdf:li>A</rdf:li>"
        + "</rdf:Seq></dc:creator></rdf:Description>"
    private static let wide = packet.utf16.flatMap { Sample.big(Int($0), 2) }
    private static let entries = [80, 110, 116, 55, 90].map { IPTCRecord.Entry(number: $0, text: "text \($0)") }

    private static var sample: TIFFSample {
        var sample = TIFFSample()
        sample.first = [
            (0x10F, .ascii("Maker\u{0}")), (0x110, .ascii("Model\u{0}")), (0x112, .short([6])),
            (0x13B, .ascii("Artist\u{0}")), (0x8298, .ascii("Notice\u{0}")),
        ]
        sample.exif = [
            (0x829A, .rational([(1, 250)])), (0x9003, .ascii("2018:07:25 16:34:23\u{0}")),
            (0x9011, .ascii("+02:00\u{0}")), (0x9291, .ascii("500\u{0}")), (0xA002, .long([16])), (0xA003, .long([8])),
        ]
        sample.gps = [
            (1, .ascii("N\u{0}")), (2, .rational([(51, 1), (30, 1), (26, 1)])), (3, .ascii("W\u{0}")),
            (4, .rational([(0, 1), (7, 1), (39, 1)])), (5, .byte([0])), (6, .rational([(4_305, 10)])),
            (7, .rational([(14, 1), (34, 1), (47, 2)])), (16, .ascii("T\u{0}")), (17, .rational([(26_512, 100)])),
            (29, .ascii("2018:07:25\u{0}")), (31, .rational([(48, 10)])),
        ]
        return sample
    }

    static var exif: [UInt8] { sample.bytes }

    private static var bigEndian: [UInt8] {
        var sample = sample
        sample.isLittle = false
        return sample.bytes
    }

    private static var jpeg: [String: [UInt8]] {
        let icc = Sample.segment(0xE2, Array("ICC_PROFILE\u{0}".utf8) + [1, 1] + Sample.profile("GRAY", size: 144))
        let index = Sample.segment(0xE2, Array("MPF\u{0}".utf8) + mpf)
        let adobe = Sample.segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 1])
        let photoshop = Sample.segment(
            0xED,
            Array("Photoshop 3.0\u{0}".utf8) + IPTCRecord(entries: entries).photoshopResources()
        )
        let head = Sample.jfif + Sample.exifSegment(exif) + Sample.xmpSegment(packet) + icc + index + adobe + photoshop
        let progressive =
            [0xFF, 0xD8] + Sample.quantisation + Sample.frame(0xC2, width: 16, height: 8) + Sample.scan + Sample.scan
            + [0xFF, 0xD9]
        return [
            "plain": Sample.jpeg(), "everything": Sample.jpeg(head, tail: Array("tail".utf8)),
            "progressive": progressive, "second-picture": Sample.jpeg(index, tail: Sample.jpeg()),
        ]
    }

    private static var mpf: [UInt8] {
        var sample = TIFFSample()
        sample.first = [(0xB001, .long([2]))]
        return sample.bytes
    }

    private static var png: [String: [UInt8]] {
        let profile = Sample.chunk("iCCP", Array("icc".utf8) + [0, 0] + Zlib.stored(Sample.profile(size: 144)))
        let texts =
            Sample.chunk("iTXt", Array("XML:com.adobe.xmp\u{0}\u{0}\u{0}\u{0}\u{0}".utf8) + Array(packet.utf8))
            + Sample.chunk("zTXt", Array("Raw profile type exif\u{0}\u{0}".utf8) + Zlib.stored(hexadecimal(exif)))
            + Sample.chunk("tEXt", Array("Copyright\u{0}Notice".utf8))
        let control = Sample.chunk("acTL", Sample.big(2, 4) + Sample.big(0, 4))
        return [
            "plain": Sample.png(), "everything": Sample.png(profile + Sample.chunk("eXIf", exif) + texts),
            "animated": Sample.png(control + Sample.chunk("fcTL", Sample.big(0, 26))),
            "palette": Sample.png(colour: 3, Sample.chunk("PLTE", [1, 2, 3]) + Sample.chunk("tRNS", [0])),
        ]
    }

    /// A profile as ImageMagick puts it into a text.
    static func hexadecimal(_ bytes: [UInt8], name: String = "exif") -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        let lines = bytes.enumerated().flatMap { index, byte in
            [digits[Int(byte >> 4)], digits[Int(byte & 15)]] + (index % 36 == 35 ? [10] : [])
        }
        return Array("\n\(name)\n    \(bytes.count)\n".utf8) + lines + [10]
    }

    private static var gif: [String: [UInt8]] {
        let loop = Sample.gifExtension(0xFF, [Array("NETSCAPE2.0".utf8), [1, 0, 0]])
        let comment = Sample.gifExtension(0xFE, [Array("comment".utf8)])
        let xmp: [UInt8] =
            [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + Array(packet.utf8) + [1]
            + (0...255).reversed().map { UInt8($0) } + [0]
        return [
            "plain": Sample.gif(Sample.gifFrame()),
            "animated": Sample.gif(
                loop + comment + xmp + Sample.gifControl + Sample.gifFrame() + Sample.gifControl + Sample.gifFrame()
            ),
        ]
    }

    private static var webp: [String: [UInt8]] {
        [
            "lossy": Sample.webp(Sample.vp8()), "lossless": Sample.webp(Sample.vp8l(alpha: true)),
            "everything": Sample.webp(
                Sample.vp8x(0x2C) + Sample.riff("ICCP", Sample.profile(size: 144)) + Sample.vp8()
                    + Sample.riff("EXIF", exif) + Sample.riff("XMP ", Array(packet.utf8))
            ),
            "animated": Sample.webp(
                Sample.vp8x(2) + Sample.riff("ANIM", Sample.little(0, 6)) + Sample.anmf() + Sample.anmf()
            ),
        ]
    }

    private static var tiff: [String: [UInt8]] {
        let extra: [(Int, TIFFSample.Value)] = [(0x13B, .ascii("Artist\u{0}")), (0x152, .short([1]))]
        return [
            "plain": TIFFSample.picture(width: 4, height: 4),
            "more": TIFFSample.picture(width: 4, height: 4, orientation: 6, extra: extra),
            "pages": TIFFSample.pages(2, strips: 3),
        ]
    }

    private static var bmp: [String: [UInt8]] {
        ["plain": Sample.bmp(), "top-down": Sample.bmp(topDown: true)]
    }

    private static var heif: [String: [UInt8]] {
        let table = Sample.box("stbl", Sample.fullBox("stsz", Sample.big(0, 4) + Sample.big(3, 4)))
        let kind = Sample.fullBox("hdlr", Sample.big(0, 4) + Array("pict".utf8) + Sample.big(0, 13))
        let track = Sample.box("trak", Sample.box("mdia", kind + Sample.box("minf", table)))
        return [
            "sequence": Sample.heif(brand: "avis", type: "av01") + Sample.box("moov", track),
            "plain": Sample.heif(), "avif": Sample.heif(brand: "avif", type: "av01", alpha: true),
            "everything": Sample.heif(
                transforms: [Sample.box("irot", [1]), Sample.box("imir", [0])],
                alpha: true,
                exif: exif
            ),
        ]
    }
}
