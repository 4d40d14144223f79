// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Reads JSON as desktop programs write and people edit it.
///
/// Taken besides RFC 8259: UTF-16 with a byte-order mark, comments, trailing commas, single quotes, names without
/// quotes, line breaks in strings.
enum LenientJSON {
    /// Reads one value.
    ///
    /// - Throws: The first fault, with its byte in the cleaned text.
    static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
        var cleaner = Cleaner(text: Array(decoded(bytes).unicodeScalars))
        return try JSONParser.parse(Array(cleaner.cleaned().utf8), maxDepth: 64)
    }

    private static func decoded(_ bytes: [UInt8]) -> String {
        func wide(_ low: Int, _ high: Int) -> String {
            let units = stride(from: 2, to: bytes.count - 1, by: 2).map { index in
                UInt16(bytes[index + low]) | UInt16(bytes[index + high]) << 8
            }
            return String(decoding: units, as: UTF16.self)
        }
        if bytes.starts(with: [0xFF, 0xFE]) { return wide(0, 1) }
        if bytes.starts(with: [0xFE, 0xFF]) { return wide(1, 0) }
        return String(decoding: bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...], as: UTF8.self)
    }

    /// Writes strict JSON from lenient text; what is no JSON at all stays wrong.
    private struct Cleaner {
        let text: [Unicode.Scalar]
        var index = 0
        var out = String.UnicodeScalarView()

        init(text: [Unicode.Scalar]) { self.text = text }

        mutating func cleaned() -> String {
            while index < text.count {
                let scalar = text[index]
                switch scalar {
                case "\"", "'": string(scalar)
                case "/" where next == "/" || next == "*": comment()
                case ",": comma()
                case "a"..."z", "A"..."Z", "_", "$": word()
                default:
                    out.append(scalar)
                    index += 1
                }
            }
            return String(out)
        }

        private var next: Unicode.Scalar? { index + 1 < text.count ? text[index + 1] : nil }

        private mutating func string(_ quote: Unicode.Scalar) {
            out.append("\"")
            index += 1
            while index < text.count, text[index] != quote {
                let scalar = text[index]
                if scalar == "\\", let following = next {
                    // \' is no escape of JSON.
                    if following != "'" { out.append(scalar) }
                    out.append(following)
                    index += 2
                    continue
                }
                switch scalar {
                case "\"": out.append(contentsOf: "\\\"".unicodeScalars)
                case "\n": out.append(contentsOf: "\\n".unicodeScalars)
                case "\r": out.append(contentsOf: "\\r".unicodeScalars)
                case "\t": out.append(contentsOf: "\\t".unicodeScalars)
                default: out.append(scalar)
                }
                index += 1
            }
            out.append("\"")
            index += 1
        }

        private mutating func comment() {
            let isLine = next == "/"
            index += 2
            while index < text.count {
                if isLine, text[index] == "\n" { return }
                if !isLine, text[index] == "*", next == "/" {
                    index += 2
                    return
                }
                index += 1
            }
        }

        /// A comma that a closing bracket follows is left out.
        private mutating func comma() {
            index += 1
            var blanks = 0
            while index < text.count {
                if text[index].properties.isWhitespace {
                    index += 1
                    blanks += 1
                } else if text[index] == "/", next == "/" || next == "*" {
                    comment()
                } else {
                    break
                }
            }
            if index < text.count, text[index] != "}", text[index] != "]" { out.append(",") }
            if blanks > 0 { out.append(" ") }
        }

        /// true, false and null stay; other words are names without quotes.
        private mutating func word() {
            var letters = String.UnicodeScalarView()
            while index < text.count, Self.isPart(text[index]) {
                letters.append(text[index])
                index += 1
            }
            let word = String(letters)
            out.append(contentsOf: (["true", "false", "null"].contains(word) ? word : "\"\(word)\"").unicodeScalars)
        }

        private static func isPart(_ scalar: Unicode.Scalar) -> Bool {
            scalar == "_" || scalar == "$" || scalar == "-" || scalar.properties.isAlphabetic
                || ("0"..."9").contains(scalar)
        }
    }
}
