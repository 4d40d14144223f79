// SPDX-License-Identifier: Apache-2.0

/// Plain decimal numbers in text: digits, one point, a sign; no exponent, no hexadecimal, no names.
enum PositionNumber {
    static func number(_ text: String) -> Double? {
        let characters = text.utf8
        guard !characters.isEmpty, characters.count <= 40, characters.contains(where: { (0x30...0x39).contains($0) }),
            characters.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E || $0 == 0x2B || $0 == 0x2D })
        else { return nil }
        return Double(text)
    }

    /// A decimal number or two with a slash between; `nil` where the second is zero.
    static func quotient(_ text: String) -> Double? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let first = parts.first, let value = number(String(first)) else { return nil }
        if parts.count == 1 { return value }
        guard parts.count == 2, let divisor = number(String(parts[1])), divisor != 0 else { return nil }
        return value / divisor
    }
}
