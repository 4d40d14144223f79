// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@testable import FanlightMetadata

/// A packet in one of XMP's spellings; all say 51.5, -0.125.
struct XMPSpelling: Sendable, CustomTestStringConvertible {
    var name: String
    var bytes: [UInt8]

    var testDescription: String { name }

    init(_ name: String, _ text: String) { self.init(name, Array(text.utf8)) }

    init(_ name: String, _ bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }
}

@Suite struct XMPPositionTests {
    private static let rdf = "xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'"
    private static let exif = "http://ns.adobe.com/exif/1.0/"

    private static func packet(_ latitude: String, _ longitude: String, _ more: String = "") -> String {
        "<rdf:Description \(rdf) xmlns:exif='\(exif)' exif:GPSLatitude=\"\(latitude)\""
            + " exif:GPSLongitude = '\(longitude)' \(more)/>"
    }

    private static func reading(_ text: String) -> PositionReading {
        XMPPosition.read(XMPPacket(ByteWindow(Array(text.utf8))))
    }

    private static let plain =
        "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF \(rdf)><rdf:Description xmlns:exif='\(exif)'"
        + " exif:GPSLatitude='51,30N' exif:GPSLongitude='0,7.5W'/></rdf:RDF></x:xmpmeta>"

    private static func wide(_ text: String, width: Int, little: Bool, mark: Bool) -> [UInt8] {
        let units =
            width == 2 ? text.utf16.map { Int($0) } : text.unicodeScalars.map { Int($0.value) }
        return ((mark ? [0xFEFF] : []) + units).flatMap { little ? Sample.little($0, width) : Sample.big($0, width) }
    }

    static let spellings = [
        XMPSpelling("attributes", plain),
        XMPSpelling(
            "byte-order mark, packet wrapper, padding",
            "\u{FEFF}<?xpacket begin=''?>\(plain)   \n<?xpacket end='w'?>"
        ),
        XMPSpelling(
            "elements",
            "<rdf:RDF \(rdf) xmlns:exif='\(exif)'><rdf:Description rdf:about=''><exif:GPSLatitude>51,30N</exif:GPSLatitude>"
                + "<exif:GPSLongitude>\n 0,7.5W </exif:GPSLongitude></rdf:Description></rdf:RDF>"
        ),
        XMPSpelling(
            "two descriptions",
            "<rdf:RDF \(rdf) xmlns:exif='\(exif)'><rdf:Description exif:GPSLatitude='51,30N'/>"
                + "<rdf:Description><exif:GPSLongitude>0,7.5W</exif:GPSLongitude></rdf:Description></rdf:RDF>"
        ),
        XMPSpelling(
            "another prefix",
            "<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:e='\(exif)'>"
                + "<r:Description e:GPSLatitude='51,30N' e:GPSLongitude='0,7.5W'/></r:RDF>"
        ),
        XMPSpelling(
            "no prefix",
            "<rdf:RDF \(rdf)><rdf:Description><GPSLatitude xmlns='\(exif)'>51,30N</GPSLatitude>"
                + "<GPSLongitude xmlns='\(exif)'>0,7.5W</GPSLongitude></rdf:Description></rdf:RDF>"
        ),
        XMPSpelling(
            "values in descriptions",
            "<rdf:RDF \(rdf) xmlns:exif='\(exif)'><rdf:Description><exif:GPSLatitude><rdf:Description rdf:value='51,30N'/>"
                + "</exif:GPSLatitude><exif:GPSLongitude rdf:parseType='Resource'><rdf:value>0,7.5W</rdf:value>"
                + "</exif:GPSLongitude></rdf:Description></rdf:RDF>"
        ),
        XMPSpelling(
            "arrays",
            "<rdf:RDF \(rdf) xmlns:exif='\(exif)'><rdf:Description><exif:GPSLatitude><rdf:Seq><rdf:li>51,30N</rdf:li>"
                + "</rdf:Seq></exif:GPSLatitude><exif:GPSLongitude><rdf:Alt><rdf:li xml:lang='x-default'>0,7.5W</rdf:li>"
                + "</rdf:Alt></exif:GPSLongitude></rdf:Description></rdf:RDF>"
        ),
        XMPSpelling(
            "character references and data sections",
            "<rdf:RDF \(rdf) xmlns:exif='\(exif)'><rdf:Description exif:GPSLatitude='51&#x2C;30&#78;'>"
                + "<!-- a > comment --><exif:GPSLongitude><![CDATA[0,7.5W]]></exif:GPSLongitude></rdf:Description></rdf:RDF>"
        ),
        XMPSpelling(
            "undeclared usual prefixes",
            "<rdf:Description exif:GPSLatitude='51,30N' exif:GPSLongitude='0,7.5W'/>"
        ),
        XMPSpelling("cut behind the values", String(plain.dropLast(20))),
        XMPSpelling("UTF-16, big-endian", wide(plain, width: 2, little: false, mark: true)),
        XMPSpelling("UTF-16, little-endian", wide(plain, width: 2, little: true, mark: true)),
        XMPSpelling("UTF-16 without a mark", wide(plain, width: 2, little: true, mark: false)),
        XMPSpelling("UTF-32, big-endian", wide(plain, width: 4, little: false, mark: true)),
        XMPSpelling("UTF-32, little-endian", wide(plain, width: 4, little: true, mark: false)),
    ]

    @Test(arguments: spellings) func readsEverySpelling(_ spelling: XMPSpelling) throws {
        let jpeg = Sample.jpeg(Sample.xmpSegment(spelling.bytes))
        let geotag = try #require(try ImageReader.read(jpeg, limits: ImageLimits()).geotag)
        #expect(geotag.latitude == 51.5 && geotag.longitude == -0.125 && geotag.source == .xmp)
    }

    @Test(arguments: [
        ("51,30.5N", "0,7.65W", 51.508_333_333, -0.1275), ("51,30,30N", "0,7,39W", 51.508_333_333, -0.1275),
        ("51,30.5 n", "0, 7.65 w", 51.508_333_333, -0.1275), ("-33.5", "151.25", -33.5, 151.25),
        ("33.5S", "151.25E", -33.5, 151.25), ("0,0N", "36,49E", 0, 36.816_666_667),
    ])
    func readsCoordinates(_ latitude: String, _ longitude: String, _ north: Double, _ east: Double) throws {
        let geotag = try #require(Self.reading(Self.packet(latitude, longitude)).geotag)
        #expect(abs(geotag.latitude - north) < 1e-8 && abs(geotag.longitude - east) < 1e-8)
        #expect(geotag.source == .xmp)
    }

    @Test(arguments: [
        ("51,30.5", "0,7.65", "unreadable_position"), ("51,30.5E", "0,7.65N", "unreadable_position"),
        ("", "0,7.65W", "incomplete"), ("1e1N", "2E", "unreadable_position"), ("91N", "2E", "out_of_range"),
        ("0N", "0E", "null_island"), ("1,2,3,4N", "2E", "unreadable_position"), ("nanN", "2E", "unreadable_position"),
        ("51;30N", "2E", "unreadable_position"), ("N51,30.5", "2E", "unreadable_position"),
    ])
    func refuses(_ latitude: String, _ longitude: String, _ code: String) {
        let reading = Self.reading(Self.packet(latitude, longitude))
        #expect(reading.geotag == nil)
        #expect(reading.warnings.map(\.code) == [code])
    }

    @Test func separateReferencesGiveTheSign() throws {
        let text = Self.packet("33.5", "70.25", "exif:GPSLatitudeRef='S' exif:GPSLongitudeRef='West'")
        let geotag = try #require(Self.reading(text).geotag)
        #expect(geotag.latitude == -33.5 && geotag.longitude == -70.25)
    }

    @Test func readsElementsAndAltitude() throws {
        let text = """
            <exif:GPSLatitude>31,33.5N</exif:GPSLatitude><exif:GPSLongitude> 35,28E </exif:GPSLongitude>
            <exif:GPSAltitude>4305/10</exif:GPSAltitude><exif:GPSAltitudeRef>1</exif:GPSAltitudeRef>
            """
        let geotag = try #require(Self.reading(text).geotag)
        #expect(geotag.altitude == -430.5)
    }

    @Test func readsHowThePositionWasMeasured() {
        let more =
            "exif:GPSTimeStamp='2018-07-25T14:34:23.5Z' exif:GPSImgDirection='26512/100' exif:GPSImgDirectionRef='M'"
            + " exif:GPSHPositioningError='48/10' exif:GPSMapDatum='TOKYO' exif:GPSStatus='V'"
        let reading = Self.reading(Self.packet("51,30N", "0,7.5W", more))
        #expect(reading.fix.time == "2018-07-25T14:34:23.5Z")
        #expect(reading.fix.direction == 265.12 && reading.fix.north == .magnetic)
        #expect(reading.fix.error == 4.8 && reading.fix.datum == "TOKYO")
        #expect(reading.warnings.map(\.code) == ["status_void", "map_datum"])
    }

    @Test(arguments: ["2018-07-25T14:34:23", "2018-07-25T25:34:23Z", "2018-07-25T14:34:23.Z", "yesterday", ""])
    func noInstantIsNoTime(_ text: String) {
        #expect(Self.reading(Self.packet("51,30N", "0,7.5W", "exif:GPSTimeStamp='\(text)'")).fix.time == nil)
    }

    @Test(arguments: [
        "<rdf:Description exif:GPSDestLatitude='51N' exif:GPSDestLongitude='2E'/>",
        "<rdf:Description xmlns:drone='http://d/' drone:GPSLatitude='1N' drone:GPSLongitude='1E'/>",
        "<rdf:Description xmlns:exif='http://other/' exif:GPSLatitude='1N' exif:GPSLongitude='1E'/>",
        // Of a picture that this one was made from.
        "<rdf:Description xmlns:m='http://m/'><m:From><rdf:Description exif:GPSLatitude='1N' exif:GPSLongitude='1E'/></m:From>"
            + "</rdf:Description>",
        "<!DOCTYPE a [<!ENTITY p 'x'>]><rdf:Description exif:GPSLatitude='1N' exif:GPSLongitude='1E'/>",
        "<!-- <rdf:Description exif:GPSLatitude='1N' exif:GPSLongitude='1E'/> -->",
    ])
    func otherPlacesAreNotThePicturesPlace(_ text: String) {
        #expect(Self.reading(text) == PositionReading())
    }

    @Test func countsWhereExifIsUnusable() throws {
        let exif = PositionRow(name: "", latitude: .rational([(51, 0), (0, 1), (0, 1)])).exif
        let bytes = Sample.jpeg(Sample.exifSegment(exif) + Sample.xmpSegment(Self.packet("51,30N", "0,7.65W")))
        let facts = try ImageReader.read(bytes, limits: ImageLimits())
        #expect(facts.geotag?.source == .xmp)
        #expect(facts.warnings.isEmpty)
    }

    @Test func exifCountsWhereBothAreGood() throws {
        let exif = PositionRow(name: "").exif
        let bytes = Sample.jpeg(Sample.exifSegment(exif) + Sample.xmpSegment(Self.packet("52,30N", "0,7.65W")))
        let facts = try ImageReader.read(bytes, limits: ImageLimits())
        #expect(facts.geotag?.source == .exif)
        #expect(facts.warnings.map(\.code) == ["geotag_conflict"])
    }

    @Test func theDateLineIsNoConflict() throws {
        let exif = PositionRow(name: "", longitude: .rational([(180, 1), (0, 1), (0, 1)]), longitudeRef: "E\u{0}").exif
        let bytes = Sample.jpeg(Sample.exifSegment(exif) + Sample.xmpSegment(Self.packet("51,30,26N", "180,0W")))
        #expect(try ImageReader.read(bytes, limits: ImageLimits()).warnings.isEmpty)
    }

    // MARK: Extended XMP

    private static let identifier = "0123456789ABCDEF0123456789ABCDEF"
    private static let main =
        "<rdf:Description \(rdf) xmlns:n='http://ns.adobe.com/xmp/note/' n:HasExtendedXMP='\(identifier)'/>"

    private static func part(_ text: String, _ range: Range<Int>, identifier: String = identifier) -> [UInt8] {
        let bytes = Array(text.utf8)
        return Sample.segment(
            0xE1,
            Array("http://ns.adobe.com/xmp/extension/\u{0}\(identifier)".utf8) + Sample.big(bytes.count, 4)
                + Sample.big(range.lowerBound, 4) + bytes[range]
        )
    }

    @Test func partsInAnyOrderAreJoined() throws {
        let text = plain
        let count = text.utf8.count
        let parts = Self.part(text, 100..<count) + Self.part(text, 0..<100)
        let facts = try ImageReader.read(Sample.jpeg(Sample.xmpSegment(Self.main) + parts), limits: ImageLimits())
        #expect(facts.geotag?.latitude == 51.5)
    }

    private var plain: String { Self.plain }

    @Test func foreignAndMissingPartsAreNotRead() throws {
        let count = plain.utf8.count
        let foreign = String(repeating: "F", count: 32)
        for parts in [
            Self.part(plain, 0..<count, identifier: foreign), Self.part(plain, 1..<count),
            Self.part(plain, 0..<100) + Self.part(plain, 110..<count),
        ] {
            let bytes = Sample.jpeg(Sample.xmpSegment(Self.main) + parts)
            #expect(try ImageReader.read(bytes, limits: ImageLimits()).geotag == nil)
        }
    }
}
