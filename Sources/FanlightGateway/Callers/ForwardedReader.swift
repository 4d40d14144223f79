// SPDX-License-Identifier: Apache-2.0

/// Reads one `Forwarded` field (RFC 7239, 4): elements between commas, pairs between semicolons, where neither stands
/// in a quoted string.
///
/// What a proxy quotes, for example the `Host` that it was sent, is the client's own text, so nothing within quotes may
/// look like an element. Blanks around the separators, and colons and brackets outside quotes, are taken.
struct ForwardedReader {
    private let bytes: [UInt8]
    private var place = 0

    private init(_ value: String) { bytes = Array(value.utf8) }

    /// The `for` of each element in order; empty where an element has none.
    ///
    /// Where the field cannot be read, one empty entry stands for all the rest: an open quotation may have swallowed
    /// what the proxies behind the client wrote.
    static func targets(_ value: String) -> [String] {
        var reader = ForwardedReader(value)
        var targets: [String] = []
        while true {
            switch reader.element() {
            case .unreadable: return targets + [""]
            case .target(let target): targets.append(target)
            case .absent: break
            }
            guard reader.take(",") else { return targets }
        }
    }

    private enum Element {
        /// There is nothing between two commas.
        case absent
        case unreadable
        case target(String)
    }

    /// Reads up to a comma or the end.
    private mutating func element() -> Element {
        var target: String?
        var isEmpty = true
        repeat {
            skipBlanks()
            guard let next, next != UInt8(ascii: ","), next != UInt8(ascii: ";") else { continue }
            isEmpty = false
            guard let name = word(), take("="), let value = value() else { return .unreadable }
            guard name.lowercased() == "for" else { continue }
            // Which of two would be meant nobody can tell.
            guard target == nil else { return .unreadable }
            target = value
        } while take(";")
        guard next == nil || next == UInt8(ascii: ",") else { return .unreadable }
        return isEmpty ? .absent : .target(target ?? "")
    }

    private mutating func value() -> String? {
        skipBlanks()
        let value = take("\"") ? quoted() : word()
        skipBlanks()
        return value
    }

    /// The rest of a quoted string; `nil` when it has no end.
    private mutating func quoted() -> String? {
        var text: [UInt8] = []
        while let byte = next {
            place += 1
            if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
            guard byte == UInt8(ascii: "\\") else {
                text.append(byte)
                continue
            }
            guard let escaped = next else { return nil }
            text.append(escaped)
            place += 1
        }
        return nil
    }

    /// A word without quotes, with the blanks behind it passed over; `nil` when there is none.
    private mutating func word() -> String? {
        let start = place
        while let byte = next, byte > 0x20, !Self.ends.contains(byte) { place += 1 }
        defer { skipBlanks() }
        return place == start ? nil : String(decoding: bytes[start..<place], as: UTF8.self)
    }

    private static let ends = Set(#",;="\"#.utf8)

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard let next, next == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    private mutating func skipBlanks() {
        while let next, next == 0x20 || next == 0x09 { place += 1 }
    }
}
