// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@testable import FanlightMetadata

/// What each policy lets stay arrives in every format, and says the truth about the new picture.
@Suite struct RetainedMetadataTests {
    private static let outputs: [String: [UInt8]] = [
        "jpeg": Sample.jpeg(width: 40, height: 30, Sample.jfif), "png": Sample.png(width: 40, height: 30),
        "webp": Sample.webp(Sample.vp8(width: 40, height: 30)),
        "lossless webp": Sample.webp(Sample.vp8l(width: 40, height: 30, alpha: true)),
        "extended webp": Sample.webp(Sample.vp8x(0x10, width: 40, height: 30) + Sample.vp8(width: 40, height: 30)),
    ]

    private static func made(_ output: String, of source: [UInt8] = source, _ policy: MetadataPolicy) throws -> [UInt8]
    {
        let retained = RetainedMetadata(of: source, policy: policy)
        let bytes = try #require(outputs[output])
        let made = try MetadataWriter.rewrite(bytes, source: retained)
        #expect(made.count <= bytes.count + (retained?.insertedCount ?? 0))
        return made
    }

    /// EXIF with everything, XMP with an author, an IPTC record.
    private static let source = Sample.jpeg(
        Sample.exifSegment(Seeds.exif) + Sample.xmpSegment(Seeds.packet)
            + Sample.segment(0xED, Array("Photoshop 3.0\u{0}".utf8) + PlantedPosition.photoshop)
    )

    private static func blocks(_ bytes: [UInt8]) throws -> MetadataBlocks {
        let window = ByteWindow(bytes)
        return try ImageReader.container(
            window,
            type: try ContentSniffer.mediaType(of: window),
            limits: ImageLimits()
        ).metadata
    }

    private static func directory(_ bytes: [UInt8]) throws -> (TIFFStructure, TIFFDirectory)? {
        guard let block = try blocks(bytes).exif, let file = TIFFStructure(block),
            let first = file.directory(at: file.firstDirectory)
        else { return nil }
        return (file, first)
    }

    @Test(arguments: outputs.keys.sorted()) func stripLeavesNothing(_ output: String) throws {
        #expect(try Self.made(output, .strip) == Self.outputs[output])
    }

    @Test(arguments: outputs.keys.sorted()) func copyrightStays(_ output: String) throws {
        for policy in [MetadataPolicy.copyright, .stripGPS, .keep] {
            let bytes = try Self.made(output, policy)
            let (_, first) = try #require(try Self.directory(bytes))
            #expect(first[0x13B]?.text == "Artist" && first[0x8298]?.text == "Notice")
            let packet = XMPPacket(try #require(try Self.blocks(bytes).xmp))
            #expect(packet.text(XMPSpace.dublinCore, "rights") == "© A & B")
        }
    }

    @Test(arguments: outputs.keys.sorted()) func cameraAndDateStayWithoutThePosition(_ output: String) throws {
        let facts = try ImageReader.read(try Self.made(output, .stripGPS), limits: ImageLimits())
        #expect(facts.takenAt == "2018-07-25T16:34:23.500+02:00" && facts.cameraModel == "Model")
        #expect(facts.geotag == nil && facts.fix == PositionFix() && facts.orientation == .upright)
        let copyright = try ImageReader.read(try Self.made(output, .copyright), limits: ImageLimits())
        #expect(copyright.takenAt == nil && copyright.cameraModel == nil && copyright.geotag == nil)
    }

    @Test(arguments: outputs.keys.sorted()) func keepKeepsThePositionAndTellsTheTruth(_ output: String) throws {
        let bytes = try Self.made(output, .keep)
        let facts = try ImageReader.read(bytes, limits: ImageLimits())
        #expect(abs((facts.geotag?.latitude ?? 0) - 51.507_222_222) < 1e-8)
        #expect(facts.fix.direction == 265.12 && facts.takenAt == "2018-07-25T16:34:23.500+02:00")
        #expect(facts.orientation == .upright && facts.width == 40 && facts.height == 30)
    }

    @Test(arguments: [MetadataPolicy.stripGPS, .keep]) func sizesAreThoseOfTheNewPicture(_ policy: MetadataPolicy)
        throws
    {
        let (file, first) = try #require(try Self.directory(try Self.made("jpeg", policy)))
        let shot = try #require(first[0x8769]?.integer().flatMap { file.directory(at: $0) })
        #expect(shot[0xA002]?.integer() == 40 && shot[0xA003]?.integer() == 30)
        #expect(first.next == 0)
    }

    /// The thumbnail was not turned with the picture.
    @Test func keepPointsAtNoThumbnail() throws {
        var sample = TIFFSample()
        sample.first = [(0x112, .short([6])), (0x100, .short([4_000])), (0x101, .long([3_000]))]
        sample.next = 8
        let made = try Self.made("jpeg", of: Sample.jpeg(Sample.exifSegment(sample.bytes)), .keep)
        let (_, first) = try #require(try Self.directory(made))
        #expect(first.next == 0 && first[0x112]?.integer() == 1)
        #expect(first[0x100]?.integer() == 40 && first[0x101]?.integer() == 30)
    }

    @Test func theIPTCRecordStaysInJPEG() throws {
        for (policy, numbers) in [(MetadataPolicy.copyright, [80, 116]), (.keep, [90, 92, 80, 116, 120])] {
            let blocks = try Self.blocks(try Self.made("jpeg", policy))
            #expect(IPTCRecord(photoshop: blocks.photoshop).entries.map(\.number) == numbers)
        }
    }

    @Test(arguments: ["png", "webp"]) func theIPTCRecordsAuthorMovesToXMPElsewhere(_ output: String) throws {
        let packet = XMPPacket(try #require(try Self.blocks(try Self.made(output, .copyright)).xmp))
        #expect(packet.text(XMPSpace.dublinCore, "creator") == "Ann Author")
    }

    @Test func aGIFTellsTheAuthorInXMP() throws {
        var sample = TIFFSample()
        sample.first = [(0x13B, .ascii("Ann Author\u{0}")), (0x8298, .ascii("Notice\u{0}"))]
        let retained = RetainedMetadata(of: Sample.jpeg(Sample.exifSegment(sample.bytes)), policy: .copyright)
        let gif = Array("GIF87a".utf8) + Sample.gif(Sample.gifFrame()).dropFirst(6)
        let made = try MetadataWriter.rewrite(gif, source: retained)
        let packet = XMPPacket(try #require(try Self.blocks(made).xmp))
        #expect(packet.text(XMPSpace.dublinCore, "creator") == "Ann Author")
        #expect(packet.text(XMPSpace.dublinCore, "rights") == "Notice")
        #expect(made.starts(with: "GIF89a".utf8))
    }

    @Test func aPNGsTextsAreTheAuthors() throws {
        let texts =
            Sample.chunk("tEXt", Array("Author\u{0}Ann Author".utf8))
            + Sample.chunk("iTXt", Array("Copyright\u{0}\u{0}\u{0}\u{0}\u{0}Notiz über Rechte".utf8))
        let made = try Self.made("png", of: Sample.png(texts), .copyright)
        let packet = XMPPacket(try #require(try Self.blocks(made).xmp))
        #expect(packet.text(XMPSpace.dublinCore, "creator") == "Ann Author")
        #expect(packet.text(XMPSpace.dublinCore, "rights") == "Notiz über Rechte")
    }

    /// EXIF from every place that PNG, WebP, TIFF and HEIF have for it.
    @Test func everySourceIsRead() throws {
        let exif = Seeds.exif
        let packed =
            Array("Raw profile type APP1\u{0}\u{0}".utf8)
            + Zlib.stored(Seeds.hexadecimal(Array("Exif\u{0}\u{0}".utf8) + exif))
        for source in [
            Sample.png(Sample.chunk("eXIf", exif)), Sample.png(Sample.chunk("zTXt", packed)),
            Sample.webp(Sample.vp8x(8) + Sample.vp8() + Sample.riff("EXIF", exif)), Sample.heif(exif: exif),
            TIFFSample.picture(width: 2, height: 2, extra: [(0x13B, .ascii("Artist\u{0}"))]),
        ] {
            let (_, first) = try #require(try Self.directory(try Self.made("jpeg", of: source, .copyright)))
            #expect(first[0x13B]?.text == "Artist")
        }
    }

    /// Properties of parts that are gone, and of the old picture's size, are not true any more.
    @Test func keepDropsWhatIsNoLongerTrue() throws {
        let text =
            "<rdf:Description xmlns:hdrgm='http://ns.adobe.com/hdr-gain-map/1.0/' hdrgm:Version='1.0' tiff:Orientation='6'"
            + " xmlns:C='http://ns.google.com/photos/1.0/camera/' C:MotionPhoto='1' exif:PixelXDimension='9'"
            + " xmlns:n='http://own/' n:note='&lt;stays&gt; &amp; \"stays\"'><n:list><rdf:Bag><rdf:li n:a='1'>x</rdf:li></rdf:Bag>"
            + "</n:list></rdf:Description>"
        let source = Sample.jpeg(Sample.xmpSegment(text))
        let before = try ImageReader.read(source, limits: ImageLimits())
        #expect(before.companions == [.gainMap, .film])
        let made = try Self.made("jpeg", of: source, .keep)
        #expect(try ImageReader.read(made, limits: ImageLimits()).companions == [])
        let packet = XMPPacket(try #require(try Self.blocks(made).xmp))
        #expect(packet.properties.map(\.name.local) == ["note", "list"])
        #expect(packet.text("http://own/", "note") == "<stays> & \"stays\"")
        #expect(packet["http://own/", "list"]?.children.first?.children.first?.attributes.first?.value == "1")
    }

    @Test func whatNoSegmentHoldsIsLeftOut() throws {
        let long = String(repeating: "x", count: 70_000)
        let text = "<rdf:Description xmlns:n='http://own/' n:small='stays' n:large='\(long)'/>"
        let source = Sample.png(Sample.chunk("iTXt", Array("XML:com.adobe.xmp\u{0}\u{0}\u{0}\u{0}\u{0}\(text)".utf8)))
        let made = try Self.made("jpeg", of: source, .keep)
        let packet = XMPPacket(try #require(try Self.blocks(made).xmp))
        #expect(packet.properties.map(\.name.local) == ["small"])
    }

    @Test func damagedSourcesKeepNothingAndNeverHarm() throws {
        #expect(RetainedMetadata(of: [], policy: .keep) == nil)
        let source = Self.source
        for index in stride(from: 2, to: source.count - 40, by: 3) {
            for value in [UInt8(0), 0x7F, 0xFF] {
                var changed = source
                changed[index] = value
                let retained = RetainedMetadata(of: changed, policy: .stripGPS)
                let made = try MetadataWriter.rewrite(Sample.jpeg(), source: retained)
                #expect(try ImageReader.read(made, limits: ImageLimits()).geotag == nil)
            }
        }
    }
}
