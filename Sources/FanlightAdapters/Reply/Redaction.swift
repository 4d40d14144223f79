// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Takes secrets out of text that people will see; looks for all of them in one pass.
struct Redaction: Sendable {
    /// Longest first, so that no form is cut by a shorter one inside it.
    private var needles: [Needle] = []
    /// Indices of needles by their first byte.
    private var places = [[Int]](repeating: [], count: 256)

    /// One writing of a secret.
    private struct Needle: Hashable {
        var bytes: [UInt8]
        /// True where it does not count as a part of a longer word.
        var isWord: Bool
    }

    /// Looks for these values in every form in which a service could say them back; shorter ones than four characters
    /// are no secrets.
    ///
    /// - Parameter literals: Values that are looked for as they are only.
    init(secrets: [String], literals: [String] = []) {
        add(secrets: secrets, literals: literals, words: [])
    }

    /// The same, looking for more.
    ///
    /// - Parameter words: Values that are found only where no letter or digit stands beside them.
    func adding(secrets: [String], literals: [String] = [], words: [String] = []) -> Redaction {
        guard !secrets.isEmpty || !literals.isEmpty || !words.isEmpty else { return self }
        var wider = self
        wider.add(secrets: secrets, literals: literals, words: words)
        return wider
    }

    /// Bytes that the longest writing of a secret may have.
    var longest: Int { (needles.first?.bytes.count ?? 0) * 6 }

    /// True when a secret is in the text.
    func finds(in text: String) -> Bool { !places(in: Array(text.utf8)).isEmpty }

    /// The text with every secret replaced by three stars.
    func cleaned(_ text: String) -> String {
        let bytes = Array(text.utf8)
        let places = places(in: bytes)
        guard !places.isEmpty else { return text }
        var out: [UInt8] = []
        var index = 0
        for place in places {
            out += bytes[index..<place.lowerBound] + Array("***".utf8)
            index = place.upperBound
        }
        return String(decoding: out + bytes[index...], as: UTF8.self)
    }

    /// Escapes inside escapes that are looked into.
    private static let levels = 3

    /// Where secrets are written, in order, apart from each other.
    private func places(in bytes: [UInt8]) -> [Range<Int>] {
        guard !needles.isEmpty else { return [] }
        var found: [Range<Int>] = []
        var text = UnescapedText(bytes)
        for _ in 0...Self.levels {
            found += matches(in: text.bytes).map(text.place)
            guard let next = text.unescaped() else { break }
            text = next
        }
        return found.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { apart, place in
            if let last = apart.last, place.lowerBound < last.upperBound {
                apart[apart.count - 1] = last.lowerBound..<max(last.upperBound, place.upperBound)
            } else {
                apart.append(place)
            }
        }
    }

    private func matches(in bytes: [UInt8]) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var index = 0
        while index < bytes.count {
            let length = match(in: bytes, at: index)
            if length > 0 { found.append(index..<(index + length)) }
            index += max(1, length)
        }
        return found
    }

    /// Bytes of the secret that begins there; 0 = none does.
    private func match(in bytes: [UInt8], at index: Int) -> Int {
        for place in places[Int(bytes[index])] {
            let needle = needles[place]
            let end = index + needle.bytes.count
            guard end <= bytes.count, bytes[index..<end].elementsEqual(needle.bytes) else { continue }
            if !needle.isWord || Self.standsAlone(index..<end, in: bytes) { return end - index }
        }
        return 0
    }

    /// False inside a longer word.
    private static func standsAlone(_ range: Range<Int>, in bytes: [UInt8]) -> Bool {
        func last(_ bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
            let start = bytes.suffix(4).lastIndex { $0 & 0xC0 != 0x80 } ?? bytes.endIndex
            return String(decoding: bytes[start...], as: UTF8.self).unicodeScalars.first
        }
        func first(_ bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
            String(decoding: bytes.prefix(4), as: UTF8.self).unicodeScalars.first
        }
        func isInWord(_ scalar: Unicode.Scalar?) -> Bool {
            guard let scalar else { return false }
            // Later scripts, such as Thai and Chinese, put no blanks between words.
            let isLetter = scalar.value < 0xE00 || (0x1E00..<0x2000).contains(scalar.value)
            return scalar == "_" || ("0"..."9").contains(scalar) || isLetter && scalar.properties.isAlphabetic
        }
        let begins = isInWord(first(bytes[range])) && isInWord(last(bytes[..<range.lowerBound]))
        return !begins && !(isInWord(last(bytes[range])) && isInWord(first(bytes[range.upperBound...])))
    }

    private mutating func add(secrets: [String], literals: [String], words: [String]) {
        let told = secrets + secrets.flatMap(Self.pieces)
        let forms = told.filter { $0.utf8.count >= 4 }.flatMap(Self.forms) + literals.filter { $0.utf8.count >= 4 }
        let alone = words.filter { $0.utf8.count >= 4 }.flatMap(Self.forms)
        let more =
            forms.map { Needle(bytes: Array($0.utf8), isWord: false) }
            + alone.map { Needle(bytes: Array($0.utf8), isWord: true) }
        needles = Set(needles + more).sorted { $0.bytes.count > $1.bytes.count }
        places = [[Int]](repeating: [], count: 256)
        for (place, needle) in needles.enumerated() { places[Int(needle.bytes[0])].append(place) }
    }

    // MARK: Forms

    /// What is secret in a secret URL, the values of its query, else the long steps of its path; and the lines of a secret of
    /// several, such as a key in PEM.
    private static func pieces(of secret: String) -> [String] {
        let lines = secret.split(whereSeparator: \.isNewline).map(String.init)
        guard lines.count < 2 else { return lines.filter { $0.utf8.count >= 16 && !$0.hasPrefix("-----") } }
        guard let address = WebAddress(secret) else { return [] }
        let steps = address.path.split(separator: "/").map(String.init)
        let found = address.query == nil ? steps : address.pairs.map(\.value)
        return (found + found.map(TextCoding.percentDecoded)).filter { $0.utf8.count >= 16 }
    }

    /// The value as it is, as in URLs, forms, JSON, markup, base64 and hexadecimal digits.
    private static func forms(of secret: String) -> [String] {
        let percent = TextCoding.percentEncoded(secret)
        let json = String(JSONValue.string(secret).serialized().dropFirst().dropLast())
        let hex = TextCoding.hex(Array(secret.utf8))
        var forms = [secret, percent, json, hex, hex.uppercased()]
        forms += [lowerDigits(percent), Words.replacing("%20", with: "+", in: percent)]
        forms += [Words.replacing("/", with: "\\/", in: json), escaped(json), escaped(json, slashes: true)]
        forms += markup(secret) + markup(TextCoding.xml(secret)) + base64(secret)
        return forms.filter { $0.utf8.count >= 4 }
    }

    /// Percent-encoded text with hexadecimal digits in lower case.
    private static func lowerDigits(_ percent: String) -> String {
        var left = 0
        return String(
            percent.map { character in
                defer { left = character == "%" ? 2 : max(0, left - 1) }
                return left > 0 ? Character(character.lowercased()) : character
            }
        )
    }

    /// JSON's text with `\u` for what is not ASCII.
    private static func escaped(_ json: String, slashes: Bool = false) -> String {
        let units = json.utf16.map { unit -> String in
            if unit == 0x2F, slashes { return "\\/" }
            guard unit > 0x7E else { return String(UnicodeScalar(UInt8(unit))) }
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
        return units.joined()
    }

    /// Text inside markup, with the writings of quotation marks that servers use, and half of them only.
    private static func markup(_ text: String) -> [String] {
        let ampersands = Words.replacing("&", with: "&amp;", in: text)
        let angles = Words.replacing(">", with: "&gt;", in: Words.replacing("<", with: "&lt;", in: ampersands))
        let quotes = [
            ("&quot;", "'"), ("&quot;", "&apos;"), ("&quot;", "&#39;"), ("&quot;", "&#039;"), ("&#34;", "&#39;"),
        ]
        return [ampersands, angles]
            + quotes.map { double, single in
                Words.replacing("'", with: single, in: Words.replacing("\"", with: double, in: angles))
            }
    }

    /// Those letters of base64 that are the same wherever the value stands in what was encoded.
    private static func base64(_ secret: String) -> [String] {
        let bytes = Array(secret.utf8)
        return (0..<3).flatMap { shift -> [String] in
            let letters = TextCoding.base64([UInt8](repeating: 0, count: shift) + bytes)
            // Six bits a letter: what a neighbour's bits are part of falls away.
            let whole = letters.dropFirst(shift == 0 ? 0 : shift + 1).prefix { $0 != "=" }
            let isEven = (bytes.count + shift).isMultiple(of: 3)
            let core = String(isEven ? whole[...] : whole.dropLast())
            let urls = Words.replacing("/", with: "_", in: Words.replacing("+", with: "-", in: core))
            return core.utf8.count >= 8 ? [letters, core, urls].filter { shift == 0 || $0 != letters } : []
        }
    }
}
