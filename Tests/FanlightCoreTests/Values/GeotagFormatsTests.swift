// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@Suite struct GeotagFormatsTests {
    private static func place(_ latitude: Double, _ longitude: Double, _ altitude: Double? = nil) throws -> Geotag {
        try #require(Geotag(latitude: latitude, longitude: longitude, altitude: altitude, source: .client))
    }

    @Test(
        arguments: [
            (51.507_222_222_2, .latitude, 2, "51°30'26.00\"N"), (-0.1275, .longitude, 2, "0°07'39.00\"W"),
            (-33.859_905_6, .latitude, 2, "33°51'35.66\"S"), (51.999_999_999, .latitude, 2, "52°00'00.00\"N"),
            (0, .latitude, 0, "0°00'00\"N"), (-0.0, .longitude, 0, "0°00'00\"E"),
            // Rounded to zero it has no hemisphere of its own.
            (-0.000_000_1, .longitude, 2, "0°00'00.00\"E"), (-180, .longitude, 1, "180°00'00.0\"W"),
            (90, .latitude, 6, "90°00'00.000000\"N"),
        ] as [(Double, Geotag.Axis, Int, String)]
    )
    func degreesMinutesSeconds(_ degrees: Double, _ axis: Geotag.Axis, _ digits: Int, _ expected: String) {
        #expect(Geotag.dms(degrees, axis: axis, digits: digits) == expected)
    }

    @Test func outOfRangeIsNoText() throws {
        #expect(Geotag.dms(90.1, axis: .latitude) == nil)
        #expect(Geotag.dms(90.1, axis: .longitude) != nil)
        #expect(Geotag.dms(.nan, axis: .longitude) == nil)
        #expect(Geotag.dms(1, axis: .longitude, digits: 7) == nil)
        #expect(Geotag.dms(1, axis: .longitude, digits: -1) == nil)
        #expect(try Self.place(1, 2).iso6709(digits: 16) == nil)
    }

    @Test func bothCoordinates() throws {
        #expect(try Self.place(51.507_222_222, -0.1275).dms() == "51°30'26.00\"N 0°07'39.00\"W")
    }

    @Test(
        arguments: [
            (51.507_222_222_2, -0.1275, nil, "+51.5072222-000.1275000/"),
            (51.507_222_222_2, -0.1275, 12.3, "+51.5072222-000.1275000+12.300CRSWGS_84/"),
            (-3.5, 151.25, -430.5, "-03.5000000+151.2500000-430.500CRSWGS_84/"),
            (-0.000_000_001, 0, nil, "+00.0000000+000.0000000/"),
        ] as [(Double, Double, Double?, String)]
    )
    func standardText(_ latitude: Double, _ longitude: Double, _ altitude: Double?, _ expected: String) throws {
        #expect(try Self.place(latitude, longitude, altitude).iso6709() == expected)
    }

    @Test func roundingLeavesNoMoreDigits() throws {
        let place = try Self.place(51.507_222_222_2, -0.127_55, 12.3456)
        #expect(place.rounded(precision: 7) == (try Self.place(51.507_222_2, -0.127_55, 12.346)))
        #expect(place.rounded(precision: 2) == (try Self.place(51.51, -0.13, 12)))
        #expect(place.rounded(precision: 0) == (try Self.place(52, 0, 12)))
        #expect("\(place.rounded(precision: 0).longitude)" == "0.0")
        #expect(try Self.place(-89.999, 179.999).rounded(precision: 2) == (try Self.place(-90, 180)))
    }
}
