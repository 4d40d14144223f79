// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// A position with the remarks that belong to it.
struct PositionReading: Equatable {
    var geotag: Geotag?
    var fix = PositionFix()
    var warnings: [Warning] = []

    static func none(_ remark: PositionRemark, fix: PositionFix = PositionFix()) -> PositionReading {
        PositionReading(fix: fix, warnings: [remark.warning])
    }
}

/// Chooses between the positions of EXIF and XMP.
enum PositionReader {
    /// EXIF counts where it is usable, else XMP; a difference of more than 0.0001 degrees is remarked.
    static func read(
        exif: TIFFDirectory?,
        xmp: PositionReading?,
        policy: PositionPolicy = PositionPolicy()
    ) -> PositionReading {
        var result = exif.map { ExifPosition.read($0, policy: policy) } ?? PositionReading()
        guard let xmp else { return result }
        guard let other = xmp.geotag else {
            if result.geotag == nil, result.warnings.isEmpty { result.warnings = xmp.warnings }
            return result
        }
        guard let own = result.geotag else { return xmp }
        if abs(own.latitude - other.latitude) > 0.0001 || distance(own.longitude, other.longitude) > 0.0001 {
            result.warnings.append(PositionRemark.conflict.warning)
        }
        return result
    }

    /// Degrees between two longitudes; 180 east and 180 west are one.
    private static func distance(_ a: Double, _ b: Double) -> Double {
        let degrees = abs(a - b)
        return min(degrees, 360 - degrees)
    }

    /// The last checks, equal for both sources: range, and exactly 0,0.
    static func finish(
        latitude: Double,
        longitude: Double,
        altitude: Double?,
        source: Geotag.Source,
        policy: PositionPolicy,
        fix: PositionFix,
        remarks: [PositionRemark]
    ) -> PositionReading {
        if latitude == 0, longitude == 0, !policy.acceptsNullIsland { return .none(.nullIsland, fix: fix) }
        // Adding zero turns -0 into 0.
        guard
            let geotag = Geotag(
                latitude: latitude + 0,
                longitude: longitude + 0,
                altitude: altitude,
                source: source
            )
        else { return .none(.outOfRange, fix: fix) }
        return PositionReading(geotag: geotag, fix: fix, warnings: remarks.map(\.warning))
    }

    /// 0..<360; a full turn is none, anything beyond is no direction.
    static func direction(_ degrees: Double?) -> Double? {
        guard let degrees, degrees.isFinite, degrees >= 0, degrees <= 360 else { return nil }
        return degrees == 360 ? 0 : degrees
    }

    /// Metres; `nil` for what is no distance.
    static func error(_ metres: Double?) -> Double? {
        guard let metres, metres.isFinite, metres >= 0, metres <= 50_000_000 else { return nil }
        return metres
    }

    static func isWGS84(_ datum: String) -> Bool {
        let letters = datum.uppercased().filter { $0.isLetter || $0.isNumber }
        return letters.isEmpty || letters.hasPrefix("WGS84")
    }
}
