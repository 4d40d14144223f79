// SPDX-License-Identifier: Apache-2.0

/// One input that stands for several texts.
enum FuzzPieces {
    /// The texts between bytes 0xFF, which no UTF-8 holds; bytes that are none become U+FFFD.
    static func texts(_ bytes: [UInt8]) -> [String] { split(bytes).map { String(decoding: $0, as: UTF8.self) } }

    /// The bytes between bytes 0xFF.
    static func split(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        bytes.split(separator: 0xFF, maxSplits: 15, omittingEmptySubsequences: false)
    }

    /// True when the bytes of one text are in another, whatever characters they make together.
    static func contains(_ text: String, _ needle: String) -> Bool {
        let bytes = Array(text.utf8)
        let wanted = Array(needle.utf8)
        guard wanted.count <= bytes.count, let first = wanted.first else { return wanted.isEmpty }
        return (0...(bytes.count - wanted.count)).contains { index in
            bytes[index] == first && bytes[index..<(index + wanted.count)].elementsEqual(wanted)
        }
    }
}
