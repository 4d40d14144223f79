// SPDX-License-Identifier: Apache-2.0

@testable import FanlightMetadata

/// One position in every notation, and pictures that hide it in every place that is known.
///
/// Nothing but the planted place holds these digits, letters or rationals, so any of them in a file is a leak.
enum PlantedPosition {
    /// 47 degrees 36.4821 minutes north, 122 degrees 19.7513 minutes west; numerators that nothing else has.
    static let latitude: [(Int, Int)] = [(47, 1), (36, 1), (28_926_001, 1_000_003)]
    static let longitude: [(Int, Int)] = [(122, 1), (19, 1), (45_078_007, 1_000_003)]
    static let decimal = "47.6080350"
    static let xmpText = "47,36.4821N"
    static let place = "Plantedville"

    /// What must not be found, as bytes.
    static var traces: [(name: String, bytes: [UInt8])] {
        var found: [(String, [UInt8])] = []
        for (numerator, denominator) in [latitude[2], longitude[2]] {
            let pairs = [Sample.big(numerator, 4) + Sample.big(denominator, 4)]
            let swapped = [Sample.little(numerator, 4) + Sample.little(denominator, 4)]
            for pair in pairs + swapped { found += [("rational", pair), ("hexadecimal", hexadecimal(pair))] }
        }
        for text in [decimal, xmpText, place, "GPSLatitude", "GPSLongitude"] {
            found += [
                (text, Array(text.utf8)), ("\(text) in UTF-16", text.utf16.flatMap { Sample.big(Int($0), 2) }),
                ("\(text) in hexadecimal", hexadecimal(Array(text.utf8))), ("\(text) in base64", base64(text)),
            ]
        }
        return found
    }

    /// The text in lower-case hexadecimal digits.
    static func hexadecimal(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }

    /// Whole groups of three bytes only, as they stand inside a longer text.
    static func base64(_ text: String) -> [UInt8] {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let bytes = Array(text.utf8)
        return stride(from: 0, to: bytes.count / 3 * 3, by: 3).flatMap { start in
            let group = Int(bytes[start]) << 16 | Int(bytes[start + 1]) << 8 | Int(bytes[start + 2])
            return (0..<4).map { digits[group >> (18 - 6 * $0) & 63] }
        }
    }

    // MARK: Blocks

    /// EXIF with camera, date and author, and the position in the GPS directory, a maker note and a comment.
    static func exif(isLittle: Bool = true) -> [UInt8] {
        var sample = TIFFSample(isLittle: isLittle)
        let secret = "\(decimal) \(place)\u{0}"
        sample.first = [
            (0x10E, .ascii(secret)), (0x10F, .ascii("Maker\u{0}")), (0x110, .ascii("Model\u{0}")),
            (0x13B, .ascii("Ann Author\u{0}")), (0x8298, .ascii("Notice of right\u{0}")), (0x9C9B, .ascii(secret)),
        ]
        sample.exif = [
            (0x9003, .ascii("2018:07:25 16:34:23\u{0}")), (0x927C, .ascii("Maker" + secret)),
            (0x9286, .ascii("ASCII\u{0}\u{0}\u{0}" + secret)), (0xA430, .ascii(secret)),
        ]
        sample.gps = [
            (1, .ascii("N\u{0}")), (2, .rational(latitude)), (3, .ascii("W\u{0}")), (4, .rational(longitude)),
            (0x1C, .ascii(secret)), (20, .rational(latitude)),
        ]
        // A thumbnail with EXIF of its own, as cameras put it behind everything.
        return sample.bytes + Sample.jpeg(Sample.exifSegment(plainExif))
    }

    /// Nothing but the position.
    static var plainExif: [UInt8] {
        var sample = TIFFSample()
        sample.gps = [
            (1, .ascii("N\u{0}")), (2, .rational(latitude)), (3, .ascii("W\u{0}")), (4, .rational(longitude)),
        ]
        return sample.bytes
    }

    static let packet =
        "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>"
        + "<rdf:Description xmlns:exif='http://ns.adobe.com/exif/1.0/' xmlns:dc='http://purl.org/dc/elements/1.1/'"
        + " xmlns:photoshop='http://ns.adobe.com/photoshop/1.0/' xmlns:d='http://drone/' xmlns:l='http://iptc/'"
        + " xmlns:n='http://ns.adobe.com/xmp/note/' n:HasExtendedXMP='\(identifier)' exif:GPSLatitude='\(xmpText)'"
        + " exif:GPSLongitude='122,19.7513W' exif:GPSDestLatitude='\(xmpText)' photoshop:City='\(place)'"
        + " d:GpsLatitude='\(decimal)'><dc:creator><rdf:Seq><rdf:li>Ann Author</rdf:li></rdf:Seq></dc:creator>"
        + "<dc:description><rdf:Alt><rdf:li xml:lang='x-default'>\(place)</rdf:li></rdf:Alt></dc:description>"
        + "<l:LocationShown><rdf:Bag><rdf:li rdf:parseType='Resource'><l:City>\(place)</l:City></rdf:li></rdf:Bag>"
        + "</l:LocationShown><dc:rights><rdf:Bag><rdf:li rdf:parseType='Resource'><exif:GPSLatitude>\(xmpText)"
        + "</exif:GPSLatitude></rdf:li></rdf:Bag></dc:rights></rdf:Description></rdf:RDF></x:xmpmeta>"
    private static let identifier = "0123456789ABCDEF0123456789ABCDEF"

    private static var extended: [UInt8] {
        let data = Array(packet.utf8)
        return Sample.segment(
            0xE1,
            Array("http://ns.adobe.com/xmp/extension/\u{0}\(identifier)".utf8) + Sample.big(data.count, 4)
                + Sample.big(0, 4) + data
        )
    }

    static var photoshop: [UInt8] {
        let texts = [(90, place), (92, place), (80, "Ann Author"), (116, "Notice of right"), (120, decimal)]
        return IPTCRecord(entries: texts.map { IPTCRecord.Entry(number: $0.0, text: $0.1) }).photoshopResources()
    }

    // MARK: Pictures

    static var jpeg: [UInt8] {
        let secret = Array("\(decimal) \(place) \(xmpText)".utf8)
        let film = Sample.box("ftyp", Array("isom".utf8)) + Sample.box("udta", Array("+\(decimal)/".utf8))
        let others: [(UInt8, String)] = [
            (0xE2, "MPF\u{0}"), (0xE2, "FPXR\u{0}"), (0xE3, "Meta"), (0xE4, ""), (0xE5, ""), (0xE6, ""), (0xE7, ""),
            (0xE8, ""), (0xE9, ""), (0xEA, ""), (0xEB, "JP\u{0}\u{1}jumb"), (0xEC, "Ducky"), (0xEF, ""), (0xFE, ""),
            (0xC8, ""), (0xF0, ""), (0xE0, "JFXX\u{0}"), (0xE1, "other\u{0}"), (0xE2, "ICC_PROFILE\u{0}\u{1}\u{1}"),
        ]
        let segments = others.flatMap { Sample.segment($0.0, Array($0.1.utf8) + secret) }
        let photoshop = Sample.segment(0xED, Array("Photoshop 3.0\u{0}".utf8) + photoshop)
        let adobe = Sample.segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 0] + secret)
        let jfif = Sample.segment(0xE0, Array("JFIF\u{0}".utf8) + [1, 2, 1, 0, 72, 0, 72, 1, 1] + secret)
        return Sample.jpeg(
            jfif + Sample.exifSegment(exif()) + Sample.exifSegment(exif(isLittle: false)) + Sample.xmpSegment(packet)
                + extended + photoshop + adobe + segments,
            tail: Sample.jpeg(Sample.exifSegment(exif())) + film
        )
    }

    static var png: [UInt8] {
        let secret = Array("\(decimal) \(place) \(xmpText)".utf8)
        let hexadecimalExif = Seeds.hexadecimal(Array("Exif\u{0}\u{0}".utf8) + exif())
        let hexadecimalIPTC = Seeds.hexadecimal(photoshop, name: "iptc")
        let xmp = Array("XML:com.adobe.xmp\u{0}".utf8)
        let chunks =
            Sample.chunk("eXIf", exif())
            + Sample.chunk("tEXt", Array("Raw profile type APP1\u{0}".utf8) + hexadecimalExif)
            + Sample.chunk("zTXt", Array("Raw profile type exif\u{0}\u{0}".utf8) + Zlib.stored(hexadecimalExif))
            + Sample.chunk("zTXt", Array("Raw profile type iptc\u{0}\u{0}".utf8) + Zlib.stored(hexadecimalIPTC))
            + Sample.chunk("iTXt", xmp + [0, 0, 0, 0] + Array(packet.utf8))
            + Sample.chunk("iTXt", xmp + [1, 0, 0, 0] + Zlib.stored(Array(packet.utf8)))
            + Sample.chunk("tEXt", Array("Comment\u{0}".utf8) + secret) + Sample.chunk("prVt", secret)
            + Sample.chunk("iCCP", secret + [0, 0] + Zlib.stored(Sample.profile()) + secret)
            + Sample.chunk("tIME", secret) + Sample.chunk("sPLT", secret) + Sample.chunk("pHYs", secret)
        return Sample.png(chunks, tail: secret)
    }

    static var webp: [UInt8] {
        let secret = Array("\(decimal) \(place) \(xmpText)".utf8)
        return Sample.webp(
            Sample.vp8x(0x2E) + Sample.riff("ANIM", [0, 0, 0, 0, 0, 0] + secret)
                + Sample.anmf(extra: Sample.riff("EXIF", exif())) + Sample.riff("EXIF", exif())
                + Sample.riff("XMP ", Array(packet.utf8)) + Sample.riff("XMP\u{0}", secret)
                + Sample.riff("prvt", secret),
            tail: secret
        )
    }

    static var gif: [UInt8] {
        let secret = Array("\(decimal) \(place) \(xmpText)".utf8)
        let xmp: [UInt8] =
            [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + Array(packet.utf8) + [1]
            + (0...255).reversed().map { UInt8($0) } + [0]
        return Sample.gif(
            Sample.gifExtension(0xFF, [Array("NETSCAPE2.0".utf8), [1, 0, 0], secret])
                + Sample.gifExtension(0xFE, [secret]) + xmp
                + Sample.gifExtension(0xFF, [Array("PRIVATE1234".utf8), secret])
                + Sample.gifExtension(0x42, [secret])
                + Sample.gifExtension(0x01, [[UInt8](repeating: 0, count: 12), secret])
                + Sample.gifFrame(),
            tail: secret
        )
    }

    static var tiff: [UInt8] {
        TIFFSample.picture(
            width: 2,
            height: 2,
            extra: [
                (0x10E, .ascii("\(decimal) \(place)\u{0}")), (0x13B, .ascii("Ann Author\u{0}")),
                (0x2BC, .byte(packet.utf8.map { Int($0) })), (0x8298, .ascii("Notice of right\u{0}")),
            ]
        )
    }

    static var heif: [UInt8] { Sample.heif(exif: exif()) }

    /// By the name of the format.
    static var pictures: [String: [UInt8]] {
        ["jpeg": jpeg, "png": png, "webp": webp, "gif": gif, "tiff": tiff, "heic": heif]
    }
}
