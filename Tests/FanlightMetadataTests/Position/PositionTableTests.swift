// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@testable import FanlightMetadata

/// A GPS directory and what must come out of it.
struct PositionRow: Sendable, CustomTestStringConvertible {
    var name: String
    var latitude: TIFFSample.Value? = .rational([(51, 1), (30, 1), (26, 1)])
    var longitude: TIFFSample.Value? = .rational([(0, 1), (7, 1), (39, 1)])
    var latitudeRef: String? = "N\u{0}"
    var longitudeRef: String? = "W\u{0}"
    var more: [(Int, TIFFSample.Value)] = []
    var isLittle = true
    /// Latitude and longitude; `nil` for none.
    var expected: (Double, Double)?
    var altitude: Double?
    var warnings: [String] = []

    var testDescription: String { name }

    var exif: [UInt8] {
        var sample = TIFFSample(isLittle: isLittle)
        if let latitudeRef { sample.gps.append((1, .ascii(latitudeRef))) }
        if let latitude { sample.gps.append((2, latitude)) }
        if let longitudeRef { sample.gps.append((3, .ascii(longitudeRef))) }
        if let longitude { sample.gps.append((4, longitude)) }
        sample.gps += more
        return sample.bytes
    }
}

@Suite struct PositionTableTests {
    private static let london = (51.507_222_222, -0.1275)
    private static let zero = TIFFSample.Value.rational([(0, 1), (0, 1), (0, 1)])
    private static let empty = TIFFSample.Value.rational([(0, 0), (0, 0), (0, 0)])

    static let rows: [PositionRow] = [
        PositionRow(name: "degrees, minutes, seconds", expected: london),
        PositionRow(
            name: "fractional minutes",
            latitude: .rational([(51, 1), (304_367, 10_000), (0, 1)]),
            expected: (51.507_278_333, -0.1275)
        ),
        PositionRow(
            name: "seconds 0/0",
            latitude: .rational([(51, 1), (304_367, 10_000), (0, 0)]),
            longitude: .rational([(0, 1), (765, 100), (0, 0)]),
            expected: (51.507_278_333, -0.1275)
        ),
        PositionRow(
            name: "decimals in the degrees",
            latitude: .rational([(515_073_219, 10_000_000), (0, 1), (0, 1)]),
            expected: (51.507_321_9, -0.1275)
        ),
        PositionRow(
            name: "equator",
            latitude: zero,
            longitude: .rational([(32, 1), (35, 1), (0, 1)]),
            longitudeRef: "E\u{0}",
            expected: (0, 32.583_333_333)
        ),
        PositionRow(name: "prime meridian", longitude: zero, longitudeRef: "E\u{0}", expected: (london.0, 0)),
        PositionRow(name: "0,0", latitude: zero, longitude: zero, warnings: ["null_island"]),
        PositionRow(name: "all 0/0", latitude: empty, longitude: empty, warnings: ["no_fix"]),
        PositionRow(
            name: "degrees by zero",
            latitude: .rational([(51, 0), (30, 1), (26, 1)]),
            warnings: ["zero_denominator"]
        ),
        PositionRow(
            name: "0/0 before seconds",
            latitude: .rational([(51, 1), (0, 0), (26, 1)]),
            warnings: ["zero_denominator"]
        ),
        PositionRow(
            name: "minutes by zero",
            latitude: .rational([(51, 1), (30, 0), (0, 1)]),
            warnings: ["zero_denominator"]
        ),
        PositionRow(name: "no refs", latitudeRef: nil, longitudeRef: nil, warnings: ["missing_ref"]),
        PositionRow(name: "one ref", longitudeRef: nil, warnings: ["missing_ref"]),
        PositionRow(
            name: "lower case refs",
            latitudeRef: "s\u{0}",
            longitudeRef: "w\u{0}",
            expected: (-london.0, london.1)
        ),
        PositionRow(name: "blank ref", latitudeRef: " \u{0}", warnings: ["missing_ref"]),
        PositionRow(name: "NUL ref", latitudeRef: "\u{0}\u{0}", warnings: ["missing_ref"]),
        PositionRow(
            name: "blank refs and 0,0",
            latitude: zero,
            longitude: zero,
            latitudeRef: " \u{0}",
            longitudeRef: "\u{0}\u{0}",
            warnings: ["no_fix"]
        ),
        PositionRow(name: "ref without NUL", latitudeRef: "S", expected: (-london.0, london.1)),
        PositionRow(
            name: "refs in words",
            latitudeRef: "South\u{0}",
            longitudeRef: "West\u{0}",
            expected: (-london.0, london.1)
        ),
        PositionRow(
            name: "latitude 91",
            latitude: .rational([(91, 1), (0, 1), (0, 1)]),
            warnings: ["out_of_range"]
        ),
        PositionRow(
            name: "60 seconds carry",
            latitude: .rational([(51, 1), (59, 1), (6_000, 100)]),
            expected: (52, -0.1275)
        ),
        PositionRow(
            name: "75 minutes",
            latitude: .rational([(51, 1), (75, 1), (0, 1)]),
            expected: (52.25, -0.1275),
            warnings: ["minutes_ge_60"]
        ),
        PositionRow(
            name: "two rationals",
            latitude: .rational([(51, 1), (304_367, 10_000)]),
            expected: (51.507_278_333, -0.1275)
        ),
        PositionRow(
            name: "one rational",
            latitude: .rational([(515_073_219, 10_000_000)]),
            expected: (51.507_321_9, -0.1275)
        ),
        PositionRow(
            name: "signed rationals with a ref",
            latitude: .signedRational([(-51, 1), (30, 1), (26, 1)]),
            latitudeRef: "S\u{0}",
            expected: (-london.0, london.1)
        ),
        PositionRow(
            name: "signed rationals without a ref",
            latitude: .signedRational([(-51, 1), (30, 1), (26, 1)]),
            latitudeRef: nil,
            expected: (-london.0, london.1)
        ),
        PositionRow(name: "refs exchanged", latitudeRef: "W\u{0}", longitudeRef: "N\u{0}", warnings: ["bad_ref"]),
        PositionRow(name: "longitude alone", latitude: nil, warnings: ["incomplete"]),
        PositionRow(name: "neither", latitude: nil, longitude: nil),
        PositionRow(
            name: "big-endian, south and east",
            latitude: .rational([(33, 1), (51, 1), (3_566, 100)]),
            longitude: .rational([(151, 1), (12, 1), (4_087, 100)]),
            latitudeRef: "S\u{0}",
            longitudeRef: "E\u{0}",
            isLittle: false,
            expected: (-33.859_905_556, 151.211_352_778)
        ),
        PositionRow(
            name: "180 west",
            longitude: .rational([(180, 1), (0, 1), (0, 1)]),
            expected: (london.0, -180)
        ),
        PositionRow(
            name: "beyond 180",
            longitude: .rational([(180, 1), (0, 1), (1, 1)]),
            warnings: ["out_of_range"]
        ),
        PositionRow(
            name: "0xFFFFFFFF",
            latitude: .rational([(0xFFFF_FFFF, 1), (0, 1), (0, 1)]),
            warnings: ["out_of_range"]
        ),
        PositionRow(
            name: "below the sea",
            more: [(5, .byte([1])), (6, .rational([(4_305, 10)]))],
            expected: london,
            altitude: -430.5
        ),
        PositionRow(
            name: "below the sea, Exif 3",
            more: [(5, .byte([3])), (6, .rational([(4_305, 10)]))],
            expected: london,
            altitude: -430.5
        ),
        PositionRow(
            name: "altitude reference as text",
            more: [(5, .ascii("1\u{0}")), (6, .rational([(4_305, 10)]))],
            expected: london,
            altitude: -430.5
        ),
        PositionRow(
            name: "altitude without reference",
            more: [(6, .rational([(4_305, 10)]))],
            expected: london,
            altitude: 430.5
        ),
        PositionRow(name: "altitude by zero", more: [(6, .rational([(4_305, 0)]))], expected: london),
        PositionRow(name: "absurd altitude", more: [(6, .rational([(0xFFFF_FFFF, 1)]))], expected: london),
        PositionRow(name: "void", more: [(9, .ascii("V\u{0}"))], expected: london, warnings: ["status_void"]),
        PositionRow(name: "active", more: [(9, .ascii("A\u{0}"))], expected: london),
        PositionRow(name: "usual datum", more: [(18, .ascii("WGS-84\u{0}"))], expected: london),
        PositionRow(
            name: "other datum",
            more: [(18, .ascii("TOKYO\u{0}"))],
            expected: london,
            warnings: ["map_datum"]
        ),
        PositionRow(
            name: "doubles",
            latitude: .double([51, 30, 26]),
            expected: london,
            warnings: ["nonstandard_type"]
        ),
        PositionRow(
            name: "endless double",
            latitude: .double([.infinity, 30, 26]),
            warnings: ["unreadable_position"]
        ),
        PositionRow(
            name: "text",
            latitude: .ascii("51,30,26\u{0}"),
            expected: london,
            warnings: ["nonstandard_type"]
        ),
        PositionRow(name: "words", latitude: .ascii("here\u{0}"), warnings: ["unreadable_position"]),
        PositionRow(name: "whole numbers", latitude: .long([51, 30, 26]), warnings: ["unreadable_position"]),
        PositionRow(
            name: "value beyond the end",
            latitude: .raw(type: 5, count: 3, word: 0x7FFF_FFFF),
            warnings: ["incomplete"]
        ),
        PositionRow(
            name: "count of 4 GiB",
            latitude: .raw(type: 5, count: 0xFFFF_FFFF, word: 8),
            warnings: ["incomplete"]
        ),
    ]

    @Test(arguments: rows) func follows(_ row: PositionRow) throws {
        let facts = try ImageReader.read(Sample.jpeg(Sample.exifSegment(row.exif)), limits: ImageLimits())
        #expect(facts.warnings.map(\.code) == row.warnings)
        guard let expected = row.expected else {
            #expect(facts.geotag == nil)
            return
        }
        let geotag = try #require(facts.geotag)
        #expect(abs(geotag.latitude - expected.0) < 1e-8 && abs(geotag.longitude - expected.1) < 1e-8)
        #expect(geotag.altitude == row.altitude)
        #expect(geotag.source == .exif)
        #expect(geotag.longitude != 0 || geotag.longitude.sign == .plus)
    }

    @Test func everyRemarkHasAMessage() {
        for row in Self.rows {
            let exif = ExifReader.read(ByteWindow(row.exif))
            for warning in PositionReader.read(exif: exif?.gps, xmp: nil).warnings {
                #expect(warning.message.hasSuffix("."))
            }
        }
    }
}
