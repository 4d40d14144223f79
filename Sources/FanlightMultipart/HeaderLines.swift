// SPDX-License-Identifier: Apache-2.0

/// The header lines of one part, unfolded.
struct HeaderLines: Sendable {
    /// Bytes of all lines with their ends.
    private(set) var size = 0
    private var lines: [[UInt8]] = []

    /// True before the first line.
    var isEmpty: Bool { size == 0 }

    /// Takes a line without its end; one that starts with a blank continues the line before it.
    mutating func append(_ line: ArraySlice<UInt8>, size lineSize: Int) {
        size += lineSize
        let isContinuation = line.first == 0x20 || line.first == 0x09
        if isContinuation, let last = lines.indices.last {
            lines[last] += line
        } else {
            lines.append(Array(line))
        }
    }

    /// Reads the fields that matter; lines without a colon and unknown fields are ignored, the first of a name wins.
    func partHead() -> PartHead {
        var disposition: [UInt8]?
        var contentType: String?
        var transferEncoding: String?
        for line in lines {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
            let value = line[(colon + 1)...]
            switch HeaderText.decode(HeaderText.trim(line[..<colon])).lowercased() {
            case "content-disposition": disposition = disposition ?? Array(value)
            case "content-type": contentType = contentType ?? HeaderText.decode(HeaderText.trim(value))
            case "content-transfer-encoding":
                transferEncoding = transferEncoding ?? HeaderText.decode(HeaderText.trim(value)).lowercased()
            default: continue
            }
        }
        let parameters = HeaderParameters(disposition ?? [])
        return PartHead(
            name: parameters["name"].map(HeaderText.decode) ?? "",
            filename: parameters["filename*"].flatMap(HeaderText.decodeExtended)
                ?? parameters["filename"].map(HeaderText.decode),
            contentType: contentType.flatMap { $0.isEmpty ? nil : $0 },
            transferEncoding: transferEncoding
        )
    }
}

/// Characters of header fields.
enum HeaderText {
    /// Takes away blanks at both ends.
    static func trim(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var slice = bytes.drop(while: isBlank)
        while let last = slice.last, isBlank(last) { slice = slice.dropLast() }
        return slice
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

    /// UTF-8 where the bytes are that, otherwise Latin-1.
    static func decode(_ bytes: some Collection<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var text = ""
        for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
        return text
    }

    /// RFC 5987: `UTF-8''%e2%82%ac.jpg`; `nil` when malformed or in another charset than UTF-8 and ISO-8859-1.
    static func decodeExtended(_ bytes: [UInt8]) -> String? {
        let sides = bytes.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard sides.count == 3 else { return nil }
        var octets: [UInt8] = []
        var rest = sides[2]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                octets.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(hexDigit), let low = rest.popFirst().flatMap(hexDigit) else {
                return nil
            }
            octets.append(high << 4 | low)
        }
        switch decode(sides[0]).lowercased() {
        case "utf-8", "utf8", "": return String(validating: octets, as: UTF8.self)
        case "iso-8859-1":
            return String(String.UnicodeScalarView(octets.map { Unicode.Scalar($0) }))
        default: return nil
        }
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        guard byte < 0x80 else { return nil }
        return Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
    }
}
