// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration

/// The longest that a text may be.
public struct TextLimit: Sendable, Equatable {
    /// How many units.
    public var count: Int
    /// What is counted.
    public var unit: TextUnit

    /// Creates a limit.
    public init(_ count: Int, _ unit: TextUnit) {
        self.count = count
        self.unit = unit
    }

    /// Reads `500`, `300 graphemes`, `280 utf16` or `1000 bytes`.
    static func read(_ text: String) throws(Expectation) -> TextLimit {
        let words = text.split(separator: " ")
        let unit = words.count == 1 ? TextUnit.characters : words.last.flatMap { TextUnit(word: String($0)) }
        guard (1...2).contains(words.count), let unit, let count = Int(words[0]), count > 0 else {
            throw Expectation("a number of characters, or one with its unit, such as 300 graphemes")
        }
        return TextLimit(count, unit)
    }
}

/// What a text limit counts.
public enum TextUnit: String, Sendable, CaseIterable {
    /// Code points of Unicode.
    case characters
    /// What people take for one character, such as a flag.
    case graphemes
    /// Code units of UTF-16.
    case utf16
    /// Bytes of UTF-8.
    case bytes

    private static let aliases = ["chars": "characters", "scalars": "characters"]

    /// Every word that is read as a unit.
    static let words = allCases.map(\.rawValue) + aliases.keys.sorted()

    /// Reads a unit; `chars` and `scalars` are `characters`.
    init?(word: String) { self.init(rawValue: Self.aliases[word] ?? word) }

    /// The longest beginning of whole graphemes that is not longer than `count`.
    func truncate(_ text: String, to count: Int) -> String {
        if self == .graphemes { return String(text.prefix(count)) }
        var used = 0
        var out = ""
        for character in text {
            switch self {
            case .graphemes: used += 1
            case .characters: used += character.unicodeScalars.count
            case .utf16: used += character.utf16.count
            case .bytes: used += character.utf8.count
            }
            if used > count { break }
            out.append(character)
        }
        return out
    }
}
