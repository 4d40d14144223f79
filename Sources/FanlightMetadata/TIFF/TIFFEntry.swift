// SPDX-License-Identifier: Apache-2.0

/// One entry of a TIFF directory whose value lies inside the file.
struct TIFFEntry {
    /// Field types of TIFF 6.0 section 2.
    enum Kind: Int {
        case byte = 1, ascii, short, long, rational, signedByte, undefined, signedShort, signedLong, signedRational
        case float, double, directory

        var size: Int {
            switch self {
            case .byte, .ascii, .signedByte, .undefined: 1
            case .short, .signedShort: 2
            case .long, .signedLong, .float, .directory: 4
            case .rational, .signedRational, .double: 8
            }
        }
    }

    let kind: Kind
    let count: Int
    let value: ByteWindow
    let isLittle: Bool

    /// One unsigned integer; `nil` for other types and beyond the count.
    func integer(_ index: Int = 0) -> Int? {
        guard index >= 0, index < count else { return nil }
        switch kind {
        case .byte, .undefined: return value.uint8(index)
        case .short: return value.uint16(index * 2, little: isLittle)
        case .long, .directory: return value.uint32(index * 4, little: isLittle)
        default: return nil
        }
    }

    /// Numerator and denominator, with their signs where the type has signs.
    func rational(_ index: Int) -> (numerator: Int, denominator: Int)? {
        guard index >= 0, index < count, kind == .rational || kind == .signedRational,
            let numerator = value.uint32(index * 8, little: isLittle),
            let denominator = value.uint32(index * 8 + 4, little: isLittle)
        else { return nil }
        guard kind == .signedRational else { return (numerator, denominator) }
        return (Int(Int32(truncatingIfNeeded: numerator)), Int(Int32(truncatingIfNeeded: denominator)))
    }

    /// One floating point number of eight bytes.
    func double(_ index: Int) -> Double? {
        guard index >= 0, index < count, kind == .double, let first = value.uint32(index * 8, little: isLittle),
            let second = value.uint32(index * 8 + 4, little: isLittle)
        else { return nil }
        let high = UInt64(isLittle ? second : first)
        let low = UInt64(isLittle ? first : second)
        return Double(bitPattern: high << 32 | low)
    }

    /// Text up to the first NUL, control characters as spaces, trimmed; `nil` for other types and empty text.
    var text: String? {
        guard kind == .ascii else { return nil }
        let raw = value.head(1024).prefix { $0 != 0 }
        let latin = String(String.UnicodeScalarView(raw.map { Unicode.Scalar($0) }))
        let decoded = String(validating: raw, as: UTF8.self) ?? latin
        let clean = decoded.unicodeScalars.map { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) ? " " : $0 }
        let trimmed = clean.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
        return trimmed.isEmpty ? nil : String(String.UnicodeScalarView(trimmed))
    }
}
