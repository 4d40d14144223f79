// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Why a picture's position was not taken, or was taken with a doubt.
enum PositionRemark: String, Error {
    case nullIsland = "null_island"
    case noFix = "no_fix"
    case zeroDenominator = "zero_denominator"
    case missingRef = "missing_ref"
    case assumedRef = "assumed_ref"
    case badRef = "bad_ref"
    case outOfRange = "out_of_range"
    case incomplete
    case unreadable = "unreadable_position"
    case minutesOverSixty = "minutes_ge_60"
    case nonstandardType = "nonstandard_type"
    case statusVoid = "status_void"
    case otherDatum = "map_datum"
    case conflict = "geotag_conflict"

    var warning: Warning { Warning(code: rawValue, message: message) }

    private var message: String {
        switch self {
        case .nullIsland: "The picture's position is exactly 0,0, which is taken as no fix."
        case .noFix: "The picture's position holds no values."
        case .zeroDenominator: "The picture's position divides by zero."
        case .missingRef: "The picture's position does not say north or south, east or west."
        case .assumedRef:
            "The picture's position does not say north or south, east or west; north and east were taken."
        case .badRef: "The picture's position has a wrong hemisphere letter."
        case .outOfRange: "The picture's position is outside of the earth's range."
        case .incomplete: "The picture's position has only one coordinate."
        case .unreadable: "The picture's position is not readable."
        case .minutesOverSixty: "The picture's position has 60 or more minutes in a coordinate."
        case .nonstandardType: "The picture's position is not stored as rational numbers."
        case .statusVoid: "The picture's position is marked as void by the receiver."
        case .otherDatum: "The picture's position names another datum than WGS 84; it was not converted."
        case .conflict: "The picture's EXIF and XMP positions differ; EXIF was taken."
        }
    }
}
