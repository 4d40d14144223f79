// SPDX-License-Identifier: Apache-2.0

/// Small operations on text that the standard library lacks.
///
/// Marks are looked for as bytes: those of strangers may stand before a combining mark, with which the standard library
/// takes them for one other character.
enum Words {
    /// Text without white space at both ends.
    static func trimmed(_ text: some StringProtocol) -> String {
        let head = text.drop { $0.isWhitespace }
        guard let end = head.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(head[...end])
    }

    /// Text with every occurrence replaced.
    static func replacing(_ needle: String, with other: String, in text: String) -> String {
        let wanted = Array(needle.utf8)
        let bytes = Array(text.utf8)
        let places = places(of: wanted, in: bytes)
        guard !places.isEmpty else { return text }
        var out: [UInt8] = []
        var start = 0
        for place in places {
            out += bytes[start..<place]
            out += other.utf8
            start = place + wanted.count
        }
        return String(decoding: out + bytes[start...], as: UTF8.self)
    }

    /// How many times ``replacing(_:with:in:)`` would replace.
    static func count(of needle: String, in text: String) -> Int {
        places(of: Array(needle.utf8), in: Array(text.utf8)).count
    }

    /// Where a text begins in another, without overlaps; nowhere for an empty one.
    private static func places(of wanted: [UInt8], in bytes: [UInt8]) -> [Int] {
        guard let first = wanted.first else { return [] }
        var places: [Int] = []
        var index = 0
        while index + wanted.count <= bytes.count {
            if bytes[index] == first, bytes[index..<(index + wanted.count)].elementsEqual(wanted) {
                places.append(index)
                index += wanted.count
            } else {
                index += 1
            }
        }
        return places
    }

    /// The pieces between occurrences of a text; an empty one splits nothing.
    static func split(_ text: String, at mark: String) -> [String] {
        let bytes = Array(text.utf8)
        let wanted = Array(mark.utf8)
        var pieces: [String] = []
        var start = 0
        for place in places(of: wanted, in: bytes) {
            pieces.append(String(decoding: bytes[start..<place], as: UTF8.self))
            start = place + wanted.count
        }
        return pieces + [String(decoding: bytes[start...], as: UTF8.self)]
    }

    /// What follows the last slash of a path or URL, without query and fragment.
    static func basename(_ text: String) -> String {
        let path = text.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        return path.split(separator: UInt8(ascii: "/")).last.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
