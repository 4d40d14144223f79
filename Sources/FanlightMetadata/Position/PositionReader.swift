// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// A position with the remarks that belong to it.
struct PositionReading: Equatable {
    var geotag: Geotag?
    var warnings: [Warning] = []

    static func none(_ remark: PositionRemark) -> PositionReading { PositionReading(warnings: [remark.warning]) }
}

/// Chooses between the positions of EXIF and XMP.
enum PositionReader {
    /// EXIF counts where it is usable, else XMP; a difference of more than 0.0001 degrees is remarked.
    static func read(exif: TIFFDirectory?, xmp: PositionReading?) -> PositionReading {
        var result = exif.map(ExifPosition.read) ?? PositionReading()
        guard let other = xmp?.geotag else {
            if result.geotag == nil, result.warnings.isEmpty { result.warnings = xmp?.warnings ?? [] }
            return result
        }
        guard let own = result.geotag else { return PositionReading(geotag: other, warnings: xmp?.warnings ?? []) }
        if abs(own.latitude - other.latitude) > 0.0001 || abs(own.longitude - other.longitude) > 0.0001 {
            result.warnings.append(PositionRemark.conflict.warning)
        }
        return result
    }

    /// The last checks, equal for both sources: range, and exactly 0,0.
    static func finish(
        latitude: Double,
        longitude: Double,
        altitude: Double?,
        source: Geotag.Source,
        remarks: [PositionRemark]
    ) -> PositionReading {
        if latitude == 0, longitude == 0 { return .none(.nullIsland) }
        // Adding zero turns -0 into 0.
        guard
            let geotag = Geotag(
                latitude: latitude + 0,
                longitude: longitude + 0,
                altitude: altitude,
                source: source
            )
        else { return .none(.outOfRange) }
        return PositionReading(geotag: geotag, warnings: remarks.map(\.warning))
    }
}
