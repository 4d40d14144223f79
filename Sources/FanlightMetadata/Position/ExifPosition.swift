// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Reads the position of an EXIF GPS directory.
///
/// Degrees, minutes and seconds are summed as doubles without passing through text. A hemisphere letter is
/// required; a zero denominator is forgiven only where the numerator is zero too and no later component follows.
/// Source: Exif 3.0 section 4.6.7.
enum ExifPosition {
    private enum Tag {
        static let latitudeRef = 1, latitude = 2, longitudeRef = 3, longitude = 4
        static let altitudeRef = 5, altitude = 6, status = 9, datum = 18
    }

    static func read(_ directory: TIFFDirectory) -> PositionReading {
        let tags = [Tag.latitude, Tag.longitude].map { directory[$0] }
        guard let north = tags[0], let east = tags[1] else {
            return tags.contains { $0 != nil } ? .none(.incomplete) : PositionReading()
        }
        if isEmpty(north), isEmpty(east) { return .none(.noFix) }
        let latitude: ExifCoordinate
        let longitude: ExifCoordinate
        do {
            latitude = try ExifCoordinate(north)
            longitude = try ExifCoordinate(east)
        } catch {
            return .none(error)
        }
        let isZero = latitude.degrees == 0 && longitude.degrees == 0
        let signs: (Double, Double)
        do {
            signs = (
                try sign(directory[Tag.latitudeRef], "N", "S", latitude),
                try sign(directory[Tag.longitudeRef], "E", "W", longitude)
            )
        } catch {
            return .none(isZero && error == .missingRef ? .noFix : error)
        }
        var remarks = latitude.remarks + longitude.remarks.filter { !latitude.remarks.contains($0) }
        if directory[Tag.status]?.text?.uppercased() == "V" { remarks.append(.statusVoid) }
        if let datum = directory[Tag.datum]?.text, !isWGS84(datum) { remarks.append(.otherDatum) }
        return PositionReader.finish(
            latitude: signs.0 * latitude.degrees,
            longitude: signs.1 * longitude.degrees,
            altitude: altitude(directory),
            source: .exif,
            remarks: remarks
        )
    }

    /// True where every component is 0/0.
    private static func isEmpty(_ entry: TIFFEntry) -> Bool {
        guard entry.kind == .rational || entry.kind == .signedRational else { return false }
        return (0..<min(3, entry.count)).allSatisfy { index in
            entry.rational(index).map { $0.numerator == 0 && $0.denominator == 0 } ?? true
        }
    }

    /// 1 or -1 by the first letter; a signed number speaks for itself where the letter is missing.
    private static func sign(
        _ entry: TIFFEntry?,
        _ positive: Character,
        _ negative: Character,
        _ coordinate: ExifCoordinate
    ) throws(PositionRemark) -> Double {
        guard let letter = entry?.text?.uppercased().first else {
            if let own = coordinate.ownSign { return own }
            throw .missingRef
        }
        if letter == positive { return 1 }
        if letter == negative { return -1 }
        throw .badRef
    }

    /// Metres, negative for the references 1 and 3; `nil` where the number is not usable.
    private static func altitude(_ directory: TIFFDirectory) -> Double? {
        guard let value = directory[Tag.altitude]?.rational(0), value.denominator != 0 else { return nil }
        let metres = Double(value.numerator) / Double(value.denominator)
        guard abs(metres) <= 100_000 else { return nil }
        let reference = directory[Tag.altitudeRef]
        let number = reference?.integer() ?? reference?.text.flatMap { Int($0) } ?? 0
        return number == 1 || number == 3 ? -abs(metres) + 0 : metres
    }

    private static func isWGS84(_ datum: String) -> Bool {
        let letters = datum.uppercased().filter { $0.isLetter || $0.isNumber }
        return letters.isEmpty || letters.hasPrefix("WGS84")
    }
}
