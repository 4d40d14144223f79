// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Codings of text that several parts of a request and a reply share.
enum TextCoding {
    private static let hexDigits = Array("0123456789abcdef".utf8)
    private static let upperHexDigits = Array("0123456789ABCDEF".utf8)
    private static let base64Digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Lower-case hexadecimal digits.
    static func hex(_ bytes: [UInt8]) -> String {
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count * 2)
        for byte in bytes { out += [hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 15)]] }
        return String(decoding: out, as: UTF8.self)
    }

    /// Bytes of hexadecimal digits; `nil` for anything else.
    static func hexDecoded(_ text: String) -> [UInt8]? {
        let digits = text.lowercased().utf8.map { hexDigits.firstIndex(of: $0) }
        guard digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
        let values = digits.compactMap { $0 }.map { UInt8($0) }
        return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }

    /// Base64 with padding (RFC 4648 section 4).
    static func base64(_ bytes: [UInt8]) -> String {
        var out: [UInt8] = []
        out.reserveCapacity((bytes.count + 2) / 3 * 4)
        var index = 0
        while index < bytes.count {
            let left = bytes.count - index
            let first = UInt32(bytes[index]) << 16
            let second = left > 1 ? UInt32(bytes[index + 1]) << 8 : 0
            let group = first | second | (left > 2 ? UInt32(bytes[index + 2]) : 0)
            out.append(base64Digits[Int(group >> 18 & 63)])
            out.append(base64Digits[Int(group >> 12 & 63)])
            out.append(left > 1 ? base64Digits[Int(group >> 6 & 63)] : UInt8(ascii: "="))
            out.append(left > 2 ? base64Digits[Int(group & 63)] : UInt8(ascii: "="))
            index += 3
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// Bytes of base64 in either alphabet, with or without padding and line breaks; `nil` for anything else.
    static func base64Decoded(_ text: String) -> [UInt8]? {
        var out: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in text.utf8 where byte != UInt8(ascii: "=") && byte > 32 {
            let plain = byte == UInt8(ascii: "-") ? UInt8(ascii: "+") : (byte == UInt8(ascii: "_") ? 47 : byte)
            guard let value = base64Digits.firstIndex(of: plain) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            out.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        return count < 6 ? out : nil
    }

    /// A whole decimal number in base 58, as short links of photo services write it; `nil` for anything else.
    static func base58(_ text: String) -> String? {
        let alphabet = Array("123456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ")
        var number = text.utf8.map { Int($0) - 48 }
        guard !number.isEmpty, number.count <= 100, number.allSatisfy({ (0...9).contains($0) }) else { return nil }
        var out: [Character] = []
        repeat {
            var rest = 0
            for index in number.indices {
                let value = rest * 10 + number[index]
                number[index] = value / 58
                rest = value % 58
            }
            out.append(alphabet[rest])
            number = Array(number.drop { $0 == 0 })
        } while !number.isEmpty
        return String(out.reversed())
    }

    /// Text inside an XML element or attribute; characters that XML cannot hold vanish.
    static func xml(_ text: String) -> String {
        let names: [Unicode.Scalar: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&apos;"]
        var out = ""
        for scalar in text.unicodeScalars {
            if let name = names[scalar] {
                out += name
            } else if scalar.value >= 32 || scalar == "\n" || scalar == "\t" || scalar == "\r" {
                out.unicodeScalars.append(scalar)
            }
        }
        return out
    }

    /// JSON text in which every character beyond ASCII is a `\\u` sequence, as headers need it.
    static func escapedToASCII(_ json: String) -> String {
        var out = ""
        for unit in json.utf16 {
            if unit < 0x7F {
                out.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
            } else {
                let digits = String(unit, radix: 16)
                out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return out
    }

    /// Percent-encodes all but unreserved characters (RFC 3986 section 2.3) and `keeping`.
    static func percentEncoded(_ text: String, keeping: String = "") -> String {
        let kept = Set(keeping.utf8)
        var out: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) || kept.contains(byte) {
                out.append(byte)
            } else {
                out += [UInt8(ascii: "%"), upperHexDigits[Int(byte >> 4)], upperHexDigits[Int(byte & 15)]]
            }
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// Decodes percent sequences; what is none stays.
    static func percentDecoded(_ text: String) -> String {
        let bytes = Array(text.utf8)
        func digit(_ index: Int) -> UInt8? {
            guard index < bytes.count else { return nil }
            return hexDigits.firstIndex(of: bytes[index] | (bytes[index] < 64 ? 0 : 0x20)).map { UInt8($0) }
        }
        var out: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), let high = digit(index + 1), let low = digit(index + 2) {
                out.append(high << 4 | low)
                index += 3
            } else {
                out.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: out, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        (byte >= 48 && byte <= 57) || (byte >= 65 && byte <= 90) || (byte >= 97 && byte <= 122)
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "~")
    }
}

extension JSONValue {
    /// The characters that a field, a header or a URL shows; `nil` for null, absent and nothing.
    var shown: String? {
        switch self {
        case .null: nil
        case .bool(let value): value ? "true" : "false"
        case .number(let text): text
        case .string(let text): text
        case .array(let items):
            items.allSatisfy { $0.isScalar } ? items.compactMap(\.shown).joined(separator: ",") : serialized()
        case .object: serialized()
        }
    }

    /// True for everything but arrays and objects.
    var isScalar: Bool {
        switch self {
        case .array, .object: false
        default: true
        }
    }

    /// Bytes of all texts and numbers in it, and one more for each member.
    var size: Int {
        switch self {
        case .null, .bool: 1
        case .number(let text), .string(let text): text.utf8.count
        case .array(let items): items.reduce(0) { $0 + 1 + $1.size }
        case .object(let members): members.reduce(0) { $0 + 1 + $1.name.utf8.count + $1.value.size }
        }
    }

    /// True for null and for empty text, array or object: nothing that counts as a value.
    var isNothing: Bool {
        switch self {
        case .null: true
        case .string(let text): text.isEmpty
        case .array(let items): items.isEmpty
        case .object(let members): members.isEmpty
        default: false
        }
    }

    /// How a `when` reads it: false, 0, no value and the words for them are false.
    var isTruthy: Bool {
        guard !isNothing, let text = shown?.lowercased() else { return false }
        return !["false", "0", "no", "off"].contains(text)
    }
}
