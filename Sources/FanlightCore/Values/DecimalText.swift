// SPDX-License-Identifier: Apache-2.0

/// Decimal numbers as text, so that neither digits nor signs are lost on the way.
public enum DecimalText {
    /// Sign, digits before the point and digits after it of a JSON number; `nil` when the text is none.
    private static func split(_ text: String) -> (negative: Bool, whole: [UInt8], fraction: [UInt8])? {
        var rest = Substring(text)
        let negative = rest.hasPrefix("-")
        if negative || rest.hasPrefix("+") { rest = rest.dropFirst() }
        var exponent = 0
        if let mark = rest.firstIndex(where: { $0 == "e" || $0 == "E" }) {
            guard let value = Int(rest[rest.index(after: mark)...]), (-400...400).contains(value) else { return nil }
            exponent = value
            rest = rest[..<mark]
        }
        let pieces = rest.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        var whole = Array((pieces.first ?? "").utf8)
        var fraction = pieces.count > 1 ? Array(pieces[1].utf8) : []
        guard !(whole.isEmpty && fraction.isEmpty), (whole + fraction).allSatisfy({ $0 >= 48 && $0 <= 57 }) else {
            return nil
        }
        while exponent > 0 {
            whole.append(fraction.isEmpty ? 48 : fraction.removeFirst())
            exponent -= 1
        }
        while exponent < 0 {
            fraction.insert(whole.popLast() ?? 48, at: 0)
            exponent += 1
        }
        let digits = whole.drop { $0 == 48 }
        return (negative, digits.isEmpty ? [48] : Array(digits), fraction)
    }

    /// A `Double` without an exponent, shortest digits that read back as the same value.
    public static func plain(_ value: Double) -> String {
        guard value.isFinite, let (negative, whole, fraction) = split("\(value)") else { return "0" }
        var digits = fraction
        while digits.last == 48 { digits.removeLast() }
        let text =
            String(decoding: whole, as: UTF8.self)
            + (digits.isEmpty ? "" : "." + String(decoding: digits, as: UTF8.self))
        return negative && text != "0" ? "-" + text : text
    }

    /// The number with exactly that many digits after the point, halves away from zero; never `-0`.
    public static func fixed(_ text: String, digits: Int) -> String? {
        guard let (negative, whole, fraction) = split(text), (0...30).contains(digits) else { return nil }
        var kept = whole + fraction.prefix(digits)
        let missing = max(0, digits - fraction.count)
        kept += [UInt8](repeating: 48, count: missing)
        if fraction.count > digits, fraction[digits] >= 53 {
            var index = kept.count - 1
            while index >= 0 {
                if kept[index] < 57 { kept[index] += 1; break }
                kept[index] = 48
                index -= 1
            }
            if index < 0 { kept.insert(49, at: 0) }
        }
        let isZero = kept.allSatisfy { $0 == 48 }
        let head = String(decoding: kept.dropLast(digits), as: UTF8.self)
        let tail = digits == 0 ? "" : "." + String(decoding: kept.suffix(digits), as: UTF8.self)
        return (negative && !isZero ? "-" : "") + head + tail
    }

    /// The value with at most that many digits after the point and no zeros at the end; never `-0`.
    public static func rounded(_ value: Double, digits: Int) -> String {
        guard var text = fixed(plain(value), digits: digits) else { return "0" }
        guard text.contains(".") else { return text }
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text
    }
}
