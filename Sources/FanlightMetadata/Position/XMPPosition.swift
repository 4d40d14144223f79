// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Reads the position of an XMP packet.
///
/// Source: XMP part 2, section "EXIF schema", type GPSCoordinate.
enum XMPPosition {
    static func read(_ packet: XMPPacket, policy: PositionPolicy = PositionPolicy()) -> PositionReading {
        let value = { (name: String) in packet.text(XMPSpace.exif, name) }
        let fix = fix(value)
        guard let north = value("GPSLatitude"), let east = value("GPSLongitude") else {
            let isNone = value("GPSLatitude") == nil && value("GPSLongitude") == nil
            return isNone ? PositionReading(fix: fix) : .none(.incomplete, fix: fix)
        }
        guard let latitude = coordinate(north, reference: value("GPSLatitudeRef"), "N", "S"),
            let longitude = coordinate(east, reference: value("GPSLongitudeRef"), "E", "W")
        else { return .none(.unreadable, fix: fix) }
        let isBelow = value("GPSAltitudeRef") == "1" || value("GPSAltitudeRef") == "3"
        let metres = value("GPSAltitude").flatMap(PositionNumber.quotient).map { isBelow ? -abs($0) : $0 }
        var remarks: [PositionRemark] = []
        if value("GPSStatus")?.uppercased() == "V" { remarks.append(.statusVoid) }
        if let datum = fix.datum, !PositionReader.isWGS84(datum) { remarks.append(.otherDatum) }
        return PositionReader.finish(
            latitude: latitude,
            longitude: longitude,
            altitude: metres.flatMap { abs($0) <= 100_000 ? $0 : nil },
            source: .xmp,
            policy: policy,
            fix: fix,
            remarks: remarks
        )
    }

    /// `D,M,S` or `D,M.m` with a letter behind, or a bare signed decimal; a separate reference gives the letter.
    static func coordinate(
        _ text: String,
        reference: String?,
        _ positive: Character,
        _ negative: Character
    ) -> Double? {
        guard text.utf8.count <= 128 else { return nil }
        var body = text.uppercased().filter { !$0.isWhitespace }
        var letter = reference?.uppercased().first { !$0.isWhitespace }
        if let last = body.last, last.isLetter {
            letter = last
            body.removeLast()
        }
        let words = body.split(separator: ",", omittingEmptySubsequences: false).map {
            PositionNumber.number(String($0))
        }
        guard (1...3).contains(words.count), !words.contains(nil) else { return nil }
        let parts = words.compactMap { $0 } + [0, 0]
        let magnitude = abs(parts[0]) + abs(parts[1]) / 60 + abs(parts[2]) / 3600
        switch letter {
        case positive: return magnitude
        case negative: return -magnitude
        case nil: return words.count == 1 ? parts[0] : nil
        default: return nil
        }
    }

    private static func fix(_ value: (String) -> String?) -> PositionFix {
        var fix = PositionFix()
        fix.time = value("GPSTimeStamp").flatMap(Timestamp.instant)
        fix.direction = PositionReader.direction(value("GPSImgDirection").flatMap(PositionNumber.quotient))
        if fix.direction != nil {
            switch value("GPSImgDirectionRef")?.uppercased().first {
            case "T": fix.north = .geographic
            case "M": fix.north = .magnetic
            default: break
            }
        }
        fix.error = PositionReader.error(value("GPSHPositioningError").flatMap(PositionNumber.quotient))
        fix.datum = value("GPSMapDatum").map { String($0.prefix(64)) }
        return fix
    }
}
