// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

/// What a field expects, as a phrase that completes "expected …".
///
/// Never holds the value itself.
public struct Expectation: Error, Sendable, Equatable, CustomStringConvertible {
    /// The phrase, for example `a duration such as 30s`.
    public var description: String

    /// Creates an expectation.
    public init(_ description: String) { self.description = description }
}

/// So many in each period.
public struct Rate: Sendable, Equatable {
    /// Events, at least 1.
    public var count: Int
    /// The period.
    public var period: Duration

    /// Creates a rate.
    public init(count: Int, period: Duration) {
        self.count = count
        self.period = period
    }
}

/// Where the gateway listens.
public struct ListenAddress: Sendable, Equatable {
    /// Name or address, without brackets.
    public var host: String
    /// Port; 0 lets the system choose.
    public var port: Int

    /// Creates an address.
    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }
}

/// Turns the text of a scalar into a value; every reader says what it expects.
public enum ValueReader {
    /// Reads `true` or `false`, nothing else.
    public static func boolean(_ text: String) throws(Expectation) -> Bool {
        switch text {
        case "true": return true
        case "false": return false
        default: throw Expectation("true or false")
        }
    }

    /// Reads a whole decimal number within a range.
    public static func integer(_ text: String, in range: ClosedRange<Int> = 0...Int.max) throws(Expectation) -> Int {
        guard let value = wholeNumber(text), range.contains(value) else {
            if range.upperBound == Int.max {
                if isNumber(text), !text.hasPrefix("-"), wholeNumber(text) == nil {
                    throw Expectation("a smaller whole number: at most \(Int.max)")
                }
                throw Expectation(
                    "a whole number" + (range.lowerBound == Int.min ? "" : " from \(range.lowerBound) on")
                )
            }
            throw Expectation("a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// Reads `500ms`, `30s`, `2m`, `1h`, `1d`, `1.5s`, or several in falling order as `1h30m`; `0` needs no unit.
    public static func duration(_ text: String) throws(Expectation) -> Duration {
        let expectation = Expectation("a duration with its unit, such as 500ms, 30s, 2m or 1h")
        if text == "0" { return .zero }
        // `nil` from where it is longer than any that can be kept.
        var total: Int? = 0
        var previous = Int.max
        var rest = Substring(text)
        repeat {
            guard let (thousandths, unit, after) = quantity(rest) else { throw expectation }
            let milliseconds: Int? =
                switch unit {
                case "ms": 1
                case "s": 1_000
                case "m": 60_000
                case "h": 3_600_000
                case "d": 86_400_000
                default: nil
                }
            guard let milliseconds, milliseconds < previous else { throw expectation }
            total = total.flatMap { product(thousandths, milliseconds, onto: $0) }
            previous = milliseconds
            rest = after
        } while !rest.isEmpty
        guard let total, total <= longest else {
            throw Expectation("a shorter duration: at most \(longest / 86_400_000_000)d")
        }
        return .microseconds(total)
    }

    /// Microseconds of the longest duration that is read.
    private static let longest = 1_000_000_000_000_000

    /// `nil` where it is too large for a number.
    private static func product(_ first: Int?, _ second: Int, onto base: Int = 0) -> Int? {
        guard let first else { return nil }
        let (product, overflow) = first.multipliedReportingOverflow(by: second)
        let (sum, sumOverflow) = base.addingReportingOverflow(product)
        return overflow || sumOverflow ? nil : sum
    }

    /// Reads `5MB` (decimal) or `10MiB` (binary) into bytes; `0` needs no unit.
    public static func byteSize(_ text: String) throws(Expectation) -> Int {
        let expectation = Expectation("a size with its unit, such as 500KB, 5MB or 10MiB")
        if text == "0" { return 0 }
        guard let (thousandths, unit, rest) = quantity(Substring(text)), rest.isEmpty else { throw expectation }
        let factor: Int? =
            switch unit.lowercased() {
            case "b": 1
            case "kb": 1_000
            case "mb": 1_000_000
            case "gb": 1_000_000_000
            case "kib": 1 << 10
            case "mib": 1 << 20
            case "gib": 1 << 30
            default: nil
            }
        guard let factor else { throw expectation }
        guard let size = product(thousandths, factor) else {
            throw Expectation("a smaller size: at most \(Int.max / 1_000_000_000_000)GB")
        }
        return size / 1_000
    }

    /// Reads a size of at least one byte: nothing fits into none.
    public static func someByteSize(_ text: String) throws(Expectation) -> Int {
        let size = try byteSize(text)
        guard size > 0 else { throw Expectation("a size of at least one byte, such as 500KB, 5MB or 10MiB") }
        return size
    }

    /// Reads `1250/day`, `10/s` or `500/15m`.
    public static func rate(_ text: String) throws(Expectation) -> Rate {
        let expectation = Expectation("a rate such as 10/second, 500/hour or 1250/day")
        let sides = text.split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2, let count = wholeNumber(String(sides[0])), count > 0 else { throw expectation }
        switch sides[1] {
        case "s", "second": return Rate(count: count, period: .seconds(1))
        case "m", "min", "minute": return Rate(count: count, period: .seconds(60))
        case "h", "hour": return Rate(count: count, period: .seconds(3_600))
        case "d", "day": return Rate(count: count, period: .seconds(86_400))
        case "week": return Rate(count: count, period: .seconds(604_800))
        case "month": return Rate(count: count, period: .seconds(2_592_000))
        default:
            guard let period = try? duration(String(sides[1])), period > .zero else { throw expectation }
            return Rate(count: count, period: period)
        }
    }

    /// Reads `12000000` or `100MP`.
    public static func pixelCount(_ text: String) throws(Expectation) -> Int {
        let expectation = Expectation("a number of pixels, such as 100MP or 12000000")
        if let value = wholeNumber(text), value > 0 { return value }
        guard let (thousandths, unit, rest) = quantity(Substring(text)), rest.isEmpty, unit.lowercased() == "mp" else {
            throw expectation
        }
        guard let pixels = product(thousandths, 1_000) else {
            throw Expectation("fewer pixels: at most \(Int.max / 1_000_000)MP")
        }
        guard pixels > 0 else { throw expectation }
        return pixels
    }

    /// Reads `white` or another name of a colour, or `#rrggbb`.
    public static func colour(_ text: String) throws(Expectation) -> GroundColour {
        if let colour = GroundColour(text) { return colour }
        throw Expectation(
            "a colour such as '#ffffff', or one of " + GroundColour.names.keys.sorted().joined(separator: ", ")
        )
    }

    /// Reads `127.0.0.1:8080`, `name:8080` or `[::1]:8080`; port 0 lets the system choose.
    public static func address(_ text: String) throws(Expectation) -> ListenAddress {
        let expectation = Expectation("an address and a port, such as 127.0.0.1:8080 or [::1]:8080")
        guard let colon = text.lastIndex(of: ":"), let port = wholeNumber(String(text[text.index(after: colon)...])),
            (0...65_535).contains(port)
        else { throw expectation }
        var host = text[..<colon]
        let isBracketed = host.first == "[" && host.last == "]"
        if isBracketed { host = host.dropFirst().dropLast() }
        let isPlain = host.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ".-_:%".contains($0)) }
        guard !host.isEmpty, isPlain, host.contains(":") == isBracketed else { throw expectation }
        return ListenAddress(host: String(host), port: port)
    }

    /// Reads an absolute http or https URL without query and fragment; slashes at its end are taken away.
    public static func baseURL(_ text: String) throws(Expectation) -> String {
        let expectation = Expectation("an http or https URL without query, such as https://fanlight.example.org")
        guard let scheme = ["http://", "https://"].first(where: { text.lowercased().hasPrefix($0) }) else {
            throw expectation
        }
        var rest = text.dropFirst(scheme.count)
        while rest.last == "/" { rest = rest.dropLast() }
        let host = rest.prefix { $0 != "/" }
        let isClean = rest.unicodeScalars.allSatisfy {
            $0.value > 0x20 && $0.value < 0x7F && !"?#\"<>@\\".unicodeScalars.contains($0)
        }
        guard !host.isEmpty, host.first != ":", isClean else { throw expectation }
        return scheme + rest
    }

    /// Digits, with an optional minus; no other form that Swift would take.
    private static func isNumber(_ text: some StringProtocol) -> Bool {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        return !digits.isEmpty && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    private static func wholeNumber(_ text: some StringProtocol) -> Int? { isNumber(text) ? Int(text) : nil }

    /// A number with at most three decimals and the letters behind it.
    ///
    /// - Returns: `thousandths` is `nil` for a number that is too large; all of it is where this is no quantity.
    private static func quantity(_ text: Substring) -> (thousandths: Int?, unit: String, rest: Substring)? {
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let after = text[number.endIndex...].drop { $0 == " " }
        let unit = after.prefix { $0.isASCII && $0.isLetter }
        let sides = number.split(separator: ".", omittingEmptySubsequences: false)
        guard !unit.isEmpty, (1...2).contains(sides.count), isNumber(sides[0]) else { return nil }
        var fraction = 0
        if sides.count == 2 {
            let digits = sides[1] + String(repeating: "0", count: max(0, 3 - sides[1].count))
            guard (1...3).contains(sides[1].count), let value = wholeNumber(digits) else { return nil }
            fraction = value
        }
        return (product(wholeNumber(sides[0]), 1_000, onto: fraction), String(unit), after[unit.endIndex...])
    }
}
