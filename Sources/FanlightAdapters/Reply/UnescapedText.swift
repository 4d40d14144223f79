// SPDX-License-Identifier: Apache-2.0

/// Text with its escapes and markup taken out, and where each byte of it was written.
///
/// Servers escape what they repeat in many ways, and some twice; a secret is looked for in what is meant.
struct UnescapedText {
    /// What is meant, UTF-8.
    private(set) var bytes: [UInt8]
    /// Where the writing of each byte begins and ends in the text as it came.
    private var places: [Range<Int>]

    /// The text as it came.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        places = bytes.indices.map { $0..<($0 + 1) }
    }

    /// Where in the text as it came these bytes are written.
    func place(of range: Range<Int>) -> Range<Int> {
        places[range.lowerBound].lowerBound..<places[range.upperBound - 1].upperBound
    }

    /// The text with one level of escapes taken out: of URLs, markup and JSON; tags, line breaks and signs that nobody sees go as
    /// well.
    ///
    /// - Returns: `nil` when there is none.
    func unescaped() -> UnescapedText? {
        guard bytes.contains(where: { Self.signs.contains($0) || $0 >= 0xC2 }) else { return nil }
        var out = UnescapedText([])
        var index = 0
        while index < bytes.count {
            let (meant, size) = Self.escape(bytes[index...]) ?? ([bytes[index]], 1)
            let place = place(of: index..<(index + size))
            out.bytes += meant
            out.places += meant.map { _ in place }
            index += size
        }
        return out.bytes.count == bytes.count ? nil : out
    }

    // MARK: Escapes

    private static let signs = Set("%&\\<\r\n".utf8)

    /// What is meant by the escape at the beginning, and its size; `nil` when there is none.
    private static func escape(_ rest: ArraySlice<UInt8>) -> (meant: [UInt8], size: Int)? {
        switch rest[rest.startIndex] {
        case UInt8(ascii: "%"): number(rest.dropFirst().prefix(2), radix: 16, digits: 2).map { ([UInt8($0)], 3) }
        case UInt8(ascii: "&"): entity(rest)
        case UInt8(ascii: "\\"): backslash(rest)
        case UInt8(ascii: "<"): tag(rest)
        case UInt8(ascii: "\r"), UInt8(ascii: "\n"): lineBreak(rest)
        case 0xC2, 0xE2, 0xEF: unseen(rest)
        default: nil
        }
    }

    private static func number(_ digits: ArraySlice<UInt8>, radix: Int, digits count: Int? = nil) -> UInt32? {
        guard !digits.isEmpty, digits.count <= 8, count == nil || digits.count == count,
            digits.allSatisfy({
                ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x66 && radix == 16 || (0x30...0x39).contains($0)
            })
        else { return nil }
        return UInt32(String(decoding: digits, as: UTF8.self), radix: radix)
    }

    private static func utf8(_ value: UInt32) -> [UInt8]? {
        Unicode.Scalar(value).map { Array(String(Character($0)).utf8) }
    }

    private static let entities = [
        "lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'", "nbsp": " ", "sol": "/", "plus": "+",
        "equals": "=",
    ]

    /// `&lt;`, `&#60;`, `&#x3c;`.
    private static func entity(_ rest: ArraySlice<UInt8>) -> ([UInt8], Int)? {
        guard let end = rest.prefix(12).firstIndex(of: UInt8(ascii: ";")) else { return nil }
        let name = rest[(rest.startIndex + 1)..<end]
        let size = end + 1 - rest.startIndex
        guard name.first == UInt8(ascii: "#") else {
            return entities[String(decoding: name, as: UTF8.self).lowercased()].map { (Array($0.utf8), size) }
        }
        let digits = name.dropFirst()
        let isHex = digits.first.map { $0 | 0x20 } == UInt8(ascii: "x")
        let value = isHex ? number(digits.dropFirst(), radix: 16) : number(digits, radix: 10)
        return value.flatMap(utf8).map { ($0, size) }
    }

    /// `\/`, `\"`, `\n`, `\u003c`, and two of these for one sign beyond the first 65,536.
    private static func backslash(_ rest: ArraySlice<UInt8>) -> ([UInt8], Int)? {
        guard rest.count >= 2 else { return nil }
        let sign = rest[rest.startIndex + 1]
        switch sign {
        case UInt8(ascii: "n"): return ([0x0A], 2)
        case UInt8(ascii: "r"): return ([0x0D], 2)
        case UInt8(ascii: "t"): return ([0x09], 2)
        case UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "\""), UInt8(ascii: "'"): return ([sign], 2)
        case UInt8(ascii: "u"):
            guard let high = number(rest.dropFirst(2).prefix(4), radix: 16, digits: 4) else { return nil }
            guard (0xD800..<0xDC00).contains(high), rest.count >= 12,
                rest[(rest.startIndex + 6)..<(rest.startIndex + 8)].elementsEqual("\\u".utf8),
                let low = number(rest.dropFirst(8).prefix(4), radix: 16, digits: 4), (0xDC00..<0xE000).contains(low)
            else { return utf8(high).map { ($0, 6) } }
            return utf8(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)).map { ($0, 12) }
        default: return nil
        }
    }

    /// `<b>`, `</b>`, `<br/>`, `<!-- -->`: nothing is meant.
    private static func tag(_ rest: ArraySlice<UInt8>) -> ([UInt8], Int)? {
        guard rest.count >= 3, let first = rest.dropFirst().first,
            first == UInt8(ascii: "/") || first == UInt8(ascii: "!") || (0x61...0x7A).contains(first | 0x20),
            let end = rest.prefix(200).firstIndex(of: UInt8(ascii: ">"))
        else { return nil }
        return ([], end + 1 - rest.startIndex)
    }

    /// Where a long line was wrapped, with the blanks that begin the next one.
    private static func lineBreak(_ rest: ArraySlice<UInt8>) -> ([UInt8], Int)? {
        ([], rest.prefix { [0x0D, 0x0A, 0x20, 0x09].contains($0) }.count)
    }

    /// Soft hyphens, signs without width and byte order marks.
    private static func unseen(_ rest: ArraySlice<UInt8>) -> ([UInt8], Int)? {
        let three = Array(rest.prefix(3))
        if three.starts(with: [0xC2, 0xAD]) { return ([], 2) }
        guard three.count == 3 else { return nil }
        let isUnseen =
            three[0] == 0xE2 && three[1] == 0x80 && (0x8B...0x8F).contains(three[2])
            || three == [0xE2, 0x81, 0xA0] || three == [0xEF, 0xBB, 0xBF]
        return isUnseen ? ([], 3) : nil
    }
}
