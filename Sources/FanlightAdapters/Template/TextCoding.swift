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
