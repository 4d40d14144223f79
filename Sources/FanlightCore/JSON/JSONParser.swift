// SPDX-License-Identifier: Apache-2.0

/// Why bytes are no JSON text.
///
/// Never holds any of the input.
public struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Kinds of faults.
    public enum Kind: String, Sendable {
        case unexpectedEnd = "the text ends too early"
        case unexpectedByte = "unexpected character"
        case badLiteral = "expected true, false or null"
        case badNumber = "malformed number"
        case badEscape = "malformed escape in a string"
        case controlCharacter = "bare control character in a string"
        case badEncoding = "not UTF-8"
        case tooDeep = "nested too deeply"
        case trailingBytes = "more text after the value"
    }
    /// The fault.
    public var kind: Kind
    /// Bytes from the start of the text.
    public var offset: Int

    /// Creates an error.
    public init(_ kind: Kind, at offset: Int) {
        self.kind = kind
        self.offset = offset
    }

    /// One sentence with the offset.
    public var description: String { "\(kind.rawValue) (byte \(offset))" }
}

/// Reads JSON as RFC 8259 writes it: nothing more is taken, order and digits stay.
///
/// A byte-order mark at the start is skipped (section 8.1 allows it). An escaped surrogate without its other half,
/// which the grammar allows, becomes U+FFFD. Members of one name are all kept; look-up finds the first.
public enum JSONParser {
    /// Arrays and objects inside each other that are read at most.
    ///
    /// For what the gateway wrote itself: values of replies, 64 deep at most, with something around them.
    public static let deepest = 512

    /// Reads one value that fills the whole text.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8.
    ///   - maxDepth: Arrays and objects inside each other, at most ``deepest`` whatever is asked for.
    /// - Throws: ``JSONError`` with the offset of the first fault.
    /// - Complexity: Linear in the bytes.
    public static func parse(_ bytes: [UInt8], maxDepth: Int = 64) throws(JSONError) -> JSONValue {
        var reader = JSONReader(bytes: bytes, maxDepth: min(maxDepth, deepest))
        return try reader.document()
    }
}

/// The state of one reading: recursive descent with a bounded depth.
struct JSONReader {
    let bytes: [UInt8]
    let maxDepth: Int
    var index = 0

    init(bytes: [UInt8], maxDepth: Int) {
        self.bytes = bytes
        self.maxDepth = maxDepth
    }

    mutating func document() throws(JSONError) -> JSONValue {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
        skipBlanks()
        let value = try value(depth: 0)
        skipBlanks()
        if index < bytes.count { throw JSONError(.trailingBytes, at: index) }
        return value
    }

    private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipBlanks() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    /// The error for what stands at the current place.
    private func unexpected() -> JSONError {
        JSONError(index < bytes.count ? .unexpectedByte : .unexpectedEnd, at: index)
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        switch current {
        case UInt8(ascii: "{"): return try object(depth: depth + 1)
        case UInt8(ascii: "["): return try array(depth: depth + 1)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case .some(UInt8(ascii: "0")...UInt8(ascii: "9")), UInt8(ascii: "-"): return try number()
        default: throw unexpected()
        }
    }

    private mutating func literal(_ word: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        let text = Array(word.description.utf8)
        guard bytes[index...].starts(with: text) else { throw JSONError(.badLiteral, at: index) }
        index += text.count
        return value
    }

    private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
        if depth > maxDepth { throw JSONError(.tooDeep, at: index) }
        index += 1
        var items: [JSONValue] = []
        skipBlanks()
        if current == UInt8(ascii: "]") {
            index += 1
            return .array(items)
        }
        while true {
            skipBlanks()
            items.append(try value(depth: depth))
            if try endsList(with: UInt8(ascii: "]")) { return .array(items) }
        }
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
        if depth > maxDepth { throw JSONError(.tooDeep, at: index) }
        index += 1
        var members: [JSONValue.Member] = []
        skipBlanks()
        if current == UInt8(ascii: "}") {
            index += 1
            return .object(members)
        }
        while true {
            skipBlanks()
            guard current == UInt8(ascii: "\"") else { throw unexpected() }
            let name = try string()
            skipBlanks()
            guard current == UInt8(ascii: ":") else { throw unexpected() }
            index += 1
            skipBlanks()
            members.append(JSONValue.Member(name, try value(depth: depth)))
            if try endsList(with: UInt8(ascii: "}")) { return .object(members) }
        }
    }

    /// Steps over a comma (false) or over the closing bracket (true).
    private mutating func endsList(with bracket: UInt8) throws(JSONError) -> Bool {
        skipBlanks()
        guard let byte = current, byte == bracket || byte == UInt8(ascii: ",") else { throw unexpected() }
        index += 1
        return byte == bracket
    }

    private mutating func skipDigits() -> Bool {
        let start = index
        while let byte = current, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { index += 1 }
        return index > start
    }

    private mutating func number() throws(JSONError) -> JSONValue {
        let start = index
        if current == UInt8(ascii: "-") { index += 1 }
        if current == UInt8(ascii: "0") {
            index += 1
        } else if !skipDigits() {
            throw JSONError(.badNumber, at: index)
        }
        if current == UInt8(ascii: ".") {
            index += 1
            if !skipDigits() { throw JSONError(.badNumber, at: index) }
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            index += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { index += 1 }
            if !skipDigits() { throw JSONError(.badNumber, at: index) }
        }
        if let byte = current, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
            throw JSONError(.badNumber, at: index)
        }
        return .number(String(decoding: bytes[start..<index], as: UTF8.self))
    }

    private mutating func string() throws(JSONError) -> String {
        let opening = index
        index += 1
        var start = index
        var text: [UInt8] = []
        while let byte = current {
            switch byte {
            case UInt8(ascii: "\""):
                let rest = bytes[start..<index]
                index += 1
                let whole = text.isEmpty ? String(validating: rest, as: UTF8.self) : nil
                if let whole { return whole }
                text += rest
                guard let joined = String(validating: text, as: UTF8.self) else {
                    throw JSONError(.badEncoding, at: opening)
                }
                return joined
            case UInt8(ascii: "\\"):
                text += bytes[start..<index]
                text += Array(String(Character(try escape())).utf8)
                start = index
            case 0..<0x20: throw JSONError(.controlCharacter, at: index)
            default: index += 1
            }
        }
        throw JSONError(.unexpectedEnd, at: index)
    }

    /// Reads one escape, or two that form a surrogate pair.
    private mutating func escape() throws(JSONError) -> Unicode.Scalar {
        let start = index
        index += 1
        guard let letter = current else { throw JSONError(.unexpectedEnd, at: index) }
        index += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(letter)
        case UInt8(ascii: "b"): return "\u{08}"
        case UInt8(ascii: "f"): return "\u{0C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): break
        default: throw JSONError(.badEscape, at: start)
        }
        let unit = try hexUnit(from: start)
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard unit < 0xDC00, bytes[index...].starts(with: Array("\\u".utf8)) else { return "\u{FFFD}" }
        let second = index
        index += 2
        let low = try hexUnit(from: second)
        guard (0xDC00...0xDFFF).contains(low) else {
            index = second
            return "\u{FFFD}"
        }
        return Unicode.Scalar(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00)) ?? "\u{FFFD}"
    }

    private mutating func hexUnit(from start: Int) throws(JSONError) -> UInt32 {
        guard bytes.count - index >= 4 else { throw JSONError(.unexpectedEnd, at: bytes.count) }
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Character(Unicode.Scalar(bytes[index])).hexDigitValue, bytes[index] < 0x80 else {
                throw JSONError(.badEscape, at: start)
            }
            unit = unit << 4 | UInt32(digit)
            index += 1
        }
        return unit
    }
}
