// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@testable import FanlightMetadata

@Suite struct XMPPositionTests {
    private static func packet(_ latitude: String, _ longitude: String, _ more: String = "") -> String {
        "<rdf:Description xmlns:exif='http://ns.adobe.com/exif/1.0/' exif:GPSLatitude=\"\(latitude)\""
            + " exif:GPSLongitude = '\(longitude)' \(more)/>"
    }

    @Test(arguments: [
        ("51,30.5N", "0,7.65W", 51.508_333_333, -0.1275), ("51,30,30N", "0,7,39W", 51.508_333_333, -0.1275),
        ("51,30.5 n", "0, 7.65 w", 51.508_333_333, -0.1275), ("-33.5", "151.25", -33.5, 151.25),
        ("33.5S", "151.25E", -33.5, 151.25), ("0,0N", "36,49E", 0, 36.816_666_667),
    ])
    func readsCoordinates(_ latitude: String, _ longitude: String, _ north: Double, _ east: Double) throws {
        let reading = XMPPosition.read(ByteWindow(Array(Self.packet(latitude, longitude).utf8)))
        let geotag = try #require(reading.geotag)
        #expect(abs(geotag.latitude - north) < 1e-8 && abs(geotag.longitude - east) < 1e-8)
        #expect(geotag.source == .xmp)
    }

    @Test(arguments: [
        ("51,30.5", "0,7.65", "unreadable_position"), ("51,30.5E", "0,7.65N", "unreadable_position"),
        ("", "0,7.65W", "incomplete"), ("1e1N", "2E", "unreadable_position"), ("91N", "2E", "out_of_range"),
        ("0N", "0E", "null_island"), ("1,2,3,4N", "2E", "unreadable_position"), ("nanN", "2E", "unreadable_position"),
    ])
    func refuses(_ latitude: String, _ longitude: String, _ code: String) {
        let reading = XMPPosition.read(ByteWindow(Array(Self.packet(latitude, longitude).utf8)))
        #expect(reading.geotag == nil)
        #expect(reading.warnings.map(\.code) == [code])
    }

    @Test func separateReferencesGiveTheSign() throws {
        let text = Self.packet("33.5", "70.25", "exif:GPSLatitudeRef='S' exif:GPSLongitudeRef='West'")
        let geotag = try #require(XMPPosition.read(ByteWindow(Array(text.utf8))).geotag)
        #expect(geotag.latitude == -33.5 && geotag.longitude == -70.25)
    }

    @Test func readsElementsAndAltitude() throws {
        let text = """
            <exif:GPSLatitude>31,33.5N</exif:GPSLatitude><exif:GPSLongitude> 35,28E </exif:GPSLongitude>
            <exif:GPSAltitude>4305/10</exif:GPSAltitude><exif:GPSAltitudeRef>1</exif:GPSAltitudeRef>
            """
        let geotag = try #require(XMPPosition.read(ByteWindow(Array(text.utf8))).geotag)
        #expect(geotag.altitude == -430.5)
    }

    @Test func otherPlacesAreNotThePicturesPlace() {
        let text = "<a exif:GPSDestLatitude='51N' exif:GPSDestLongitude='2E' drone:GPSLatitude='1N'/>"
        #expect(XMPPosition.read(ByteWindow(Array(text.utf8))) == PositionReading())
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
}
