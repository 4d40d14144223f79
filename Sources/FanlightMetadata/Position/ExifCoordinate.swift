// SPDX-License-Identifier: Apache-2.0

/// One coordinate of an EXIF position, without its hemisphere.
struct ExifCoordinate {
    /// Magnitude in degrees.
    var degrees: Double
    /// The sign of the number itself, where its type has signs.
    var ownSign: Double?
    var remarks: [PositionRemark] = []

    init(_ entry: TIFFEntry) throws(PositionRemark) {
        let components: [Double]
        switch entry.kind {
        case .rational: components = try Self.rationals(entry)
        case .signedRational:
            components = try Self.rationals(entry)
            ownSign = components.contains { $0 < 0 } ? -1 : 1
        case .double:
            components = (0..<min(3, entry.count)).compactMap(entry.double)
            remarks.append(.nonstandardType)
            if let first = components.first, first < 0 { ownSign = -1 }
        case .ascii:
            components = try Self.numbers(entry.text ?? "")
            remarks.append(.nonstandardType)
            if let first = components.first, first < 0 { ownSign = -1 }
        default: throw .unreadable
        }
        guard !components.isEmpty, components.allSatisfy(\.isFinite) else { throw .unreadable }
        let parts = components.map(abs) + [0, 0]
        if parts[1] >= 60 { remarks.append(.minutesOverSixty) }
        degrees = parts[0] + parts[1] / 60 + parts[2] / 3600
    }

    /// Up to three quotients; 0/0 counts as 0 where only such follow and it is not the first.
    private static func rationals(_ entry: TIFFEntry) throws(PositionRemark) -> [Double] {
        var values: [Double] = []
        var isClosed = false
        for index in 0..<min(3, entry.count) {
            guard let value = entry.rational(index) else { throw .unreadable }
            if value.denominator == 0 {
                guard value.numerator == 0, index > 0 else { throw .zeroDenominator }
                isClosed = true
                values.append(0)
            } else {
                guard !isClosed || value.numerator == 0 else { throw .zeroDenominator }
                values.append(Double(value.numerator) / Double(value.denominator))
            }
        }
        return values
    }

    /// Up to three decimal numbers, or quotients of such, separated by commas, semicolons or blanks.
    private static func numbers(_ text: String) throws(PositionRemark) -> [Double] {
        let words = text.split { ",; ".contains($0) }
        guard (1...3).contains(words.count) else { throw .unreadable }
        var values: [Double] = []
        for word in words {
            guard let value = PositionNumber.quotient(String(word)) else { throw .unreadable }
            values.append(value)
        }
        return values
    }
}
