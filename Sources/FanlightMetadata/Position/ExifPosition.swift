// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Reads the position of an EXIF GPS directory.
///
/// Degrees, minutes and seconds are summed as doubles without passing through text. A hemisphere letter is
/// required; a zero denominator is forgiven only where the numerator is zero too and no later component follows.
/// The place of the subject (GPSDest) is never the picture's.
/// Source: Exif 3.0 section 4.6.7.
enum ExifPosition {
    private enum Tag {
        static let latitudeRef = 1, latitude = 2, longitudeRef = 3, longitude = 4
        static let altitudeRef = 5, altitude = 6, time = 7, status = 9
        static let directionRef = 16, direction = 17, datum = 18, date = 29, error = 31
    }

    static func read(_ directory: TIFFDirectory, policy: PositionPolicy = PositionPolicy()) -> PositionReading {
        let fix = fix(directory)
        let tags = [Tag.latitude, Tag.longitude].map { directory[$0] }
        guard let north = tags[0], let east = tags[1] else {
            return tags.contains { $0 != nil } ? .none(.incomplete, fix: fix) : PositionReading(fix: fix)
        }
        if isEmpty(north), isEmpty(east) { return .none(.noFix, fix: fix) }
        do throws(PositionRemark) {
            return try position(directory, north, east, policy: policy, fix: fix)
        } catch {
            return .none(error, fix: fix)
        }
    }

    private static func position(
        _ directory: TIFFDirectory,
        _ north: TIFFEntry,
        _ east: TIFFEntry,
        policy: PositionPolicy,
        fix: PositionFix
    ) throws(PositionRemark) -> PositionReading {
        let latitude = try ExifCoordinate(north)
        let longitude = try ExifCoordinate(east)
        var remarks = latitude.remarks + longitude.remarks.filter { !latitude.remarks.contains($0) }
        var signs: [Double] = []
        for (tag, letters, coordinate) in [
            (Tag.latitudeRef, "NS", latitude), (Tag.longitudeRef, "EW", longitude),
        ] {
            if let sign = try sign(directory[tag], letters, coordinate) {
                signs.append(sign)
                continue
            }
            if latitude.degrees == 0, longitude.degrees == 0 { throw .noFix }
            guard policy.acceptsMissingRef else { throw .missingRef }
            if !remarks.contains(.assumedRef) { remarks.append(.assumedRef) }
            signs.append(1)
        }
        if directory[Tag.status]?.text?.uppercased() == "V" { remarks.append(.statusVoid) }
        if let datum = fix.datum, !PositionReader.isWGS84(datum) { remarks.append(.otherDatum) }
        return PositionReader.finish(
            latitude: signs[0] * latitude.degrees,
            longitude: signs[1] * longitude.degrees,
            altitude: altitude(directory),
            source: .exif,
            policy: policy,
            fix: fix,
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

    /// 1 or -1 by the first letter; a signed number speaks for itself where the letter is missing, else `nil`.
    private static func sign(
        _ entry: TIFFEntry?,
        _ letters: String,
        _ coordinate: ExifCoordinate
    ) throws(PositionRemark) -> Double? {
        guard let letter = entry?.text?.uppercased().first else { return coordinate.ownSign }
        if letter == letters.first { return 1 }
        if letter == letters.last { return -1 }
        throw .badRef
    }

    /// Metres, negative for the references 1 and 3; `nil` where the number is not usable.
    private static func altitude(_ directory: TIFFDirectory) -> Double? {
        guard let metres = quotient(directory[Tag.altitude]), abs(metres) <= 100_000 else { return nil }
        let reference = directory[Tag.altitudeRef]
        let number = reference?.integer() ?? reference?.text.flatMap { Int($0) } ?? 0
        return number == 1 || number == 3 ? -abs(metres) + 0 : metres
    }

    private static func fix(_ directory: TIFFDirectory) -> PositionFix {
        var fix = PositionFix()
        fix.time = time(directory)
        fix.direction = PositionReader.direction(quotient(directory[Tag.direction]))
        if fix.direction != nil {
            switch directory[Tag.directionRef]?.text?.uppercased().first {
            case "T": fix.north = .geographic
            case "M": fix.north = .magnetic
            default: break
            }
        }
        fix.error = PositionReader.error(quotient(directory[Tag.error]))
        fix.datum = directory[Tag.datum]?.text
        return fix
    }

    /// The instant in UTC; `nil` unless date and time are both given and valid.
    private static func time(_ directory: TIFFDirectory) -> String? {
        guard let date = directory[Tag.date]?.text, let clock = directory[Tag.time] else { return nil }
        let parts = (0..<3).compactMap { quotient(clock, $0) }
        guard parts.count == 3, let time = Timestamp.clock(hour: parts[0], minute: parts[1], second: parts[2]),
            let day = Timestamp.day(date)
        else { return nil }
        return "\(day)T\(time)Z"
    }

    private static func quotient(_ entry: TIFFEntry?, _ index: Int = 0) -> Double? {
        guard let value = entry?.rational(index), value.denominator != 0 else { return nil }
        return Double(value.numerator) / Double(value.denominator)
    }
}
