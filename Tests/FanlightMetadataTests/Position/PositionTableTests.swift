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

    private func facts(_ row: PositionRow, _ policy: PositionPolicy = PositionPolicy()) throws -> ImageFacts {
        let jpeg = Sample.jpeg(Sample.exifSegment(row.exif))
        return try ImageReader.read(jpeg, limits: ImageLimits(), position: policy)
    }

    @Test func nullIslandMayBeAPlace() throws {
        let row = PositionRow(name: "", latitude: Self.zero, longitude: Self.zero)
        let facts = try facts(row, PositionPolicy(acceptsNullIsland: true))
        #expect(facts.geotag?.latitude == 0 && facts.geotag?.longitude == 0)
        #expect(facts.geotag?.longitude.sign == .plus && facts.warnings.isEmpty)
    }

    @Test func missingRefsMayBeNorthAndEast() throws {
        let policy = PositionPolicy(acceptsMissingRef: true)
        for (north, east) in [(nil, nil), (" \u{0}", "\u{0}\u{0}")] as [(String?, String?)] {
            let facts = try facts(PositionRow(name: "", latitudeRef: north, longitudeRef: east), policy)
            #expect(abs((facts.geotag?.latitude ?? 0) - Self.london.0) < 1e-8)
            #expect(abs((facts.geotag?.longitude ?? 0) - 0.1275) < 1e-8)
            #expect(facts.warnings.map(\.code) == ["assumed_ref"])
        }
        // Zeros that nobody filled in are no place however lenient one is.
        let empty = PositionRow(
            name: "",
            latitude: Self.zero,
            longitude: Self.zero,
            latitudeRef: " ",
            longitudeRef: nil
        )
        let lenient = PositionPolicy(acceptsNullIsland: true, acceptsMissingRef: true)
        #expect(try facts(empty, lenient).warnings.map(\.code) == ["no_fix"])
        let wrong = PositionRow(name: "", latitudeRef: "W\u{0}")
        #expect(try facts(wrong, lenient).warnings.map(\.code) == ["bad_ref"])
    }

    /// Hour, minute and second as rationals, the date, and the instant that they are.
    @Test(
        arguments: [
            ([(14, 1), (34, 1), (23_500, 1_000)], "2018:07:25", "2018-07-25T14:34:23.5Z"),
            ([(4, 1), (3, 1), (2, 1)], "2018:07:25", "2018-07-25T04:03:02Z"),
            ([(24, 1), (0, 1), (0, 1)], "2018:07:25", nil), ([(14, 1), (60, 1), (0, 1)], "2018:07:25", nil),
            ([(14, 1), (34, 1), (61, 1)], "2018:07:25", nil), ([(14, 0), (34, 1), (0, 1)], "2018:07:25", nil),
            ([(14, 1), (34, 1)], "2018:07:25", nil), ([(14, 1), (34, 1), (0, 1)], "2018:13:25", nil),
            ([(29, 2), (34, 1), (0, 1)], "2018:07:25", nil),
        ] as [([(Int, Int)], String, String?)]
    )
    func time(_ clock: [(Int, Int)], _ date: String, _ expected: String?) throws {
        let row = PositionRow(name: "", more: [(7, .rational(clock)), (29, .ascii(date + "\u{0}"))])
        let facts = try facts(row)
        #expect(facts.fix.time == expected)
        #expect(facts.geotag != nil && facts.warnings.isEmpty)
        #expect(try self.facts(PositionRow(name: "", more: [(7, .rational(clock))])).fix.time == nil)
    }

    @Test(
        arguments: [
            ((26_512, 100), "T\u{0}", 265.12, .geographic), ((26_512, 100), "m\u{0}", 265.12, .magnetic),
            ((360, 1), "T\u{0}", 0, .geographic), ((0, 1), nil, 0, nil), ((36_001, 100), "T\u{0}", nil, nil),
            ((1, 0), "T\u{0}", nil, nil), ((90, 1), "X\u{0}", 90, nil),
        ] as [((Int, Int), String?, Double?, PositionFix.North?)]
    )
    func direction(_ value: (Int, Int), _ reference: String?, _ expected: Double?, _ north: PositionFix.North?) throws {
        var row = PositionRow(name: "", more: [(17, .rational([value]))])
        if let reference { row.more.insert((16, .ascii(reference)), at: 0) }
        let fix = try facts(row).fix
        #expect(fix.direction == expected && fix.north == north)
    }

    @Test func errorAndDatum() throws {
        let row = PositionRow(name: "", more: [(18, .ascii("TOKYO\u{0}")), (31, .rational([(48, 10)]))])
        let facts = try facts(row)
        #expect(facts.fix.error == 4.8 && facts.fix.datum == "TOKYO")
        #expect(try self.facts(PositionRow(name: "", more: [(31, .rational([(48, 0)]))])).fix.error == nil)
    }

    /// The subject's place is not the picture's.
    @Test func destinationIsNoPosition() throws {
        let place: [(Int, TIFFSample.Value)] = [
            (19, .ascii("N\u{0}")), (20, .rational([(1, 1), (2, 1), (3, 1)])), (21, .ascii("E\u{0}")),
            (22, .rational([(1, 1), (2, 1), (3, 1)])),
        ]
        let row = PositionRow(name: "", latitude: nil, longitude: nil, latitudeRef: nil, longitudeRef: nil, more: place)
        let facts = try facts(row)
        #expect(facts.geotag == nil && facts.warnings.isEmpty)
    }
}
