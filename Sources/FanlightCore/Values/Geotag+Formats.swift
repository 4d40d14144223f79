// SPDX-License-Identifier: Apache-2.0

extension Geotag {
    /// One of the two coordinates.
    public enum Axis: Sendable, Equatable {
        case latitude, longitude

        /// The hemisphere's letter; zero lies north and east.
        func letter(of degrees: Double) -> String {
            switch self {
            case .latitude: degrees < 0 ? "S" : "N"
            case .longitude: degrees < 0 ? "W" : "E"
            }
        }
    }

    /// Degrees, minutes and seconds with the hemisphere's letter behind, for example `51°30'26.00"N`.
    ///
    /// 60 seconds never appear: they carry into the minutes, and these into the degrees.
    ///
    /// - Parameters:
    ///   - degrees: Degrees, north and east positive.
    ///   - axis: Which letters to use.
    ///   - digits: Digits of the seconds after the point, 0 to 6; two are 30 cm.
    /// - Returns: `nil` where the number is not finite, is beyond 90 or 180, or the digits are out of range.
    public static func dms(_ degrees: Double, axis: Axis, digits: Int = 2) -> String? {
        guard degrees.isFinite, abs(degrees) <= (axis == .latitude ? 90 : 180), (0...6).contains(digits) else {
            return nil
        }
        let unit = (0..<digits).reduce(1) { value, _ in value * 10 }
        let total = Int((abs(degrees) * 3_600 * Double(unit)).rounded())
        let (minutes, rest) = (total / unit / 60, total % (60 * unit))
        let fraction = digits == 0 ? "" : "." + padded(rest % unit, digits)
        let letter = total == 0 ? axis.letter(of: 0) : axis.letter(of: degrees)
        return "\(minutes / 60)°\(padded(minutes % 60, 2))'\(padded(rest / unit, 2))\(fraction)\"\(letter)"
    }

    /// Both coordinates in degrees, minutes and seconds, for example `51°30'26.00"N 0°07'39.00"W`.
    ///
    /// - Parameter digits: Digits of the seconds after the point, 0 to 6.
    /// - Returns: `nil` where the digits are out of range.
    public func dms(digits: Int = 2) -> String? {
        guard let north = Self.dms(latitude, axis: .latitude, digits: digits),
            let east = Self.dms(longitude, axis: .longitude, digits: digits)
        else { return nil }
        return "\(north) \(east)"
    }

    /// The position as ISO 6709 annex H writes it, for example `+51.5072222-000.1275000/`.
    ///
    /// With an altitude the text names it in metres, and the reference system with it:
    /// `+51.5072222-000.1275000+12.300CRSWGS_84/`.
    ///
    /// - Parameter digits: Digits of the degrees after the point, 0 to 15.
    /// - Returns: `nil` where the digits are out of range.
    public func iso6709(digits: Int = 7) -> String? {
        guard (0...15).contains(digits), let north = Self.iso(latitude, whole: 2, digits: digits),
            let east = Self.iso(longitude, whole: 3, digits: digits)
        else { return nil }
        guard let altitude, let height = Self.iso(altitude, whole: 1, digits: 3) else { return "\(north)\(east)/" }
        return "\(north)\(east)\(height)CRSWGS_84/"
    }

    /// The same place with fewer digits; the altitude loses as many, so that it does not tell the place again.
    ///
    /// - Parameter precision: Digits of the degrees after the point, 0 to 15: 7 are one centimetre, 2 are one
    ///   kilometre. The altitude keeps four less, at least whole metres.
    public func rounded(precision: Int) -> Geotag {
        var result = self
        result.latitude = Self.rounded(latitude, digits: precision)
        result.longitude = Self.rounded(longitude, digits: precision)
        result.altitude = altitude.map { Self.rounded($0, digits: max(0, precision - 4)) }
        return result
    }

    /// Rounds in decimal, halves away from zero, so that the shortest text of the result has no more digits.
    private static func rounded(_ value: Double, digits: Int) -> Double {
        DecimalText.fixed(DecimalText.plain(value), digits: digits).flatMap(Double.init) ?? value
    }

    private static func iso(_ value: Double, whole: Int, digits: Int) -> String? {
        guard let text = DecimalText.fixed(DecimalText.plain(value), digits: digits) else { return nil }
        let isNegative = text.hasPrefix("-")
        let magnitude = isNegative ? String(text.dropFirst()) : text
        let length = magnitude.prefix { $0 != "." }.count
        return (isNegative ? "-" : "+") + String(repeating: "0", count: max(0, whole - length)) + magnitude
    }

    private static func padded(_ value: Int, _ width: Int) -> String {
        let text = "\(value)"
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}
