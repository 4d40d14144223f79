// SPDX-License-Identifier: Apache-2.0

/// Whether a delimiter stands at a place.
struct DelimiterMatch: Sendable {
    enum Kind: Sendable { case none, undecided, part, closing }

    /// Blanks that a delimiter line may have before its line feed (RFC 2046: transport padding).
    private static let maxPadding = 128

    let kind: Kind
    /// The place behind the delimiter line, or behind the closing dashes.
    let end: Int
    /// Whether the delimiter line ends with CR and LF; `nil` where its end is not seen.
    let endsWithCR: Bool?

    /// Compares the bytes at `start` with two dashes and the boundary, and looks at what follows.
    ///
    /// - Complexity: At most the boundary and the padding are read, so that repeating an undecided look costs little.
    init(_ delimiter: [UInt8], in bytes: [UInt8], at start: Int, isAtEnd: Bool) {
        let available = min(bytes.count - start, delimiter.count)
        for index in 0..<available where bytes[start + index] != delimiter[index] {
            self.init(.none, start)
            return
        }
        if available < delimiter.count {
            self.init(isAtEnd ? .none : .undecided, start)
            return
        }
        var index = start + delimiter.count
        let dash = UInt8(ascii: "-")
        if index + 1 < bytes.count, bytes[index] == dash {
            self.init(bytes[index + 1] == dash ? .closing : .none, index + 2)
            return
        }
        if index + 1 == bytes.count, bytes[index] == dash { index += 1 }
        let limit = index + Self.maxPadding
        while index < bytes.count, index < limit, [0x20, 0x09, 0x0D].contains(bytes[index]) { index += 1 }
        if index < bytes.count {
            let endsWithCR = bytes[(start + delimiter.count)..<index].contains(0x0D)
            self.init(bytes[index] == 0x0A ? .part : .none, index + 1, endsWithCR: endsWithCR)
        } else {
            self.init(isAtEnd ? .closing : .undecided, index)
        }
    }

    private init(_ kind: Kind, _ end: Int, endsWithCR: Bool? = nil) {
        self.kind = kind
        self.endsWithCR = endsWithCR
        self.end = end
    }
}
