// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Reads JSON and URL-encoded bodies whose `image` is base64 text or a `data:` URL.
final class EncodedFormReader: UploadFormReader {
    enum Encoding { case json, urlEncoded }

    private let encoding: Encoding
    private let spool: any Spool
    private let limits: IntakeLimits
    private var body: [UInt8] = []

    init(_ encoding: Encoding, spool: any Spool, limits: IntakeLimits) {
        self.encoding = encoding
        self.spool = spool
        self.limits = limits
    }

    func receive(_ bytes: UnsafeRawBufferPointer) throws(Problem) {
        guard body.count + bytes.count <= limits.maxBody else { throw .bodyTooLarge(limits.maxBody) }
        // SAFETY: the bytes are copied within this call.
        unsafe body.append(contentsOf: bytes)
    }

    func finish() throws(Problem) -> UploadForm {
        guard !body.isEmpty else { throw Problem(.noPicture, "The body is empty. Send the picture as \"image\".") }
        var fields = encoding == .json ? try jsonFields() : Self.urlEncodedFields(body)
        body = []
        let texts = fields.filter { $0.name == "image" || $0.name == "image[]" }.map(\.value)
        fields.removeAll { $0.name == "image" || $0.name == "image[]" }
        guard !texts.isEmpty else { throw Problem(.noPicture, noImage, field: "image") }
        guard texts.count <= limits.maxPictures else {
            throw Problem(.malformed, "The body holds more than \(limits.maxPictures) pictures.", field: "image")
        }
        return UploadForm(pictures: try texts.map { text throws(Problem) in try picture(text) }, fields: fields)
    }

    /// What to do about a missing picture; curl's `--data-binary` says that its body is a form when it is a picture.
    private var noImage: String {
        let advice = "Send the picture as \"image\": base64 text or a data: URL"
        return encoding == .json ? advice + "." : advice + ", or its bytes with their type, for example image/jpeg."
    }

    private func picture(_ text: String) throws(Problem) -> SpooledFile {
        guard let bytes = Base64.decodePicture(text) else {
            throw Problem(.malformed, "\"image\" is neither base64 text nor a base64 data: URL.", field: "image")
        }
        guard !bytes.isEmpty else { throw Problem(.noPicture, "\"image\" is empty.", field: "image") }
        guard let writer = spool.create() else { throw .spoolFull }
        if limits.hashes { writer.beginHash() }
        // SAFETY: the array lives through the call.
        guard unsafe bytes.withUnsafeBytes({ unsafe writer.append($0) }), let file = writer.finish() else {
            throw .spoolFull
        }
        return file
    }

    private func jsonFields() throws(Problem) -> [HTTPField] {
        let value: JSONValue
        do {
            value = try JSONParser.parse(body)
        } catch {
            throw Problem(.malformed, "The body is not valid JSON: \(error).")
        }
        guard case .object(let members) = value else {
            throw Problem(.malformed, "The body must be a JSON object with \"image\".")
        }
        var fields: [HTTPField] = []
        for member in members { try Self.flatten(member.name, member.value, into: &fields) }
        return fields
    }

    /// Lists become repeated fields, objects dotted names: `{"option": {"a": {"b": 1}}}` is `option.a.b`.
    private static func flatten(_ name: String, _ value: JSONValue, into fields: inout [HTTPField]) throws(Problem) {
        switch value {
        case .null: return
        case .bool(let flag): fields.append(HTTPField(name, flag ? "true" : "false"))
        case .string(let text): fields.append(HTTPField(name, text))
        case .number(let text): fields.append(HTTPField(name, withoutExponent(text)))
        case .array(let items):
            for item in items { try flatten(name, item, into: &fields) }
        case .object(let members):
            for member in members { try flatten(name + "." + member.name, member.value, into: &fields) }
        }
    }

    /// Decimal notation for numbers such as `5e-05`, which is how JSON writers spell small coordinates.
    static func withoutExponent(_ text: String) -> String {
        guard text.contains(where: { $0 == "e" || $0 == "E" }), let value = Double(text), abs(value) < 1e9 else {
            return text
        }
        return DecimalText.rounded(value, digits: 9)
    }

    /// Splits `a=b&c=d`, `+` and percent escapes decoded.
    static func urlEncodedFields(_ bytes: [UInt8]) -> [HTTPField] {
        bytes.split(separator: UInt8(ascii: "&")).map { pair in
            let halves = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            // A plus sign of unescaped base64 must survive; the decoder takes blanks as plus signs again.
            return HTTPField(decode(halves[0]), halves.count > 1 ? decode(halves[1]) : "")
        }
    }

    private static func decode(_ bytes: ArraySlice<UInt8>) -> String {
        var result: [UInt8] = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            if byte == UInt8(ascii: "%"), index + 2 < bytes.endIndex,
                let high = Base64.hexValue(bytes[index + 1]), let low = Base64.hexValue(bytes[index + 2])
            {
                result.append(high << 4 | low)
                index += 3
            } else {
                result.append(byte == UInt8(ascii: "+") ? 32 : byte)
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

/// Base64 of RFC 4648, standard and URL alphabets, with or without padding, white space ignored.
enum Base64 {
    /// Decodes base64 text or a `data:...;base64,` URL; `nil` where it is neither.
    static func decodePicture(_ text: String) -> [UInt8]? {
        guard text.hasPrefix("data:") else { return decode(text.utf8) }
        guard let comma = text.firstIndex(of: ","), text[..<comma].lowercased().hasSuffix(";base64") else { return nil }
        return decode(text[text.index(after: comma)...].utf8)
    }

    static func decode(_ characters: some Sequence<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        var isPadded = false
        for character in characters {
            if character == 61 { isPadded = true; continue }
            if character == 10 || character == 13 || character == 9 { continue }
            guard !isPadded, let value = value(character) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 1
            if count == 4 {
                result.append(UInt8(truncatingIfNeeded: bits >> 16))
                result.append(UInt8(truncatingIfNeeded: bits >> 8))
                result.append(UInt8(truncatingIfNeeded: bits))
                bits = 0
                count = 0
            }
        }
        switch count {
        case 0: break
        case 2: result.append(UInt8(truncatingIfNeeded: bits >> 4))
        case 3:
            result.append(UInt8(truncatingIfNeeded: bits >> 10))
            result.append(UInt8(truncatingIfNeeded: bits >> 2))
        default: return nil
        }
        return result
    }

    private static func value(_ character: UInt8) -> UInt8? {
        switch character {
        case 65...90: character - 65
        case 97...122: character - 71
        case 48...57: character + 4
        case 43, 45, 32: 62  // a blank is a plus sign that a form decoder has eaten
        case 47, 95: 63
        default: nil
        }
    }

    static func hexValue(_ character: UInt8) -> UInt8? {
        switch character {
        case 48...57: character - 48
        case 65...70: character - 55
        case 97...102: character - 87
        default: nil
        }
    }
}
