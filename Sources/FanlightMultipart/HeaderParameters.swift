// SPDX-License-Identifier: Apache-2.0

/// The parameters behind a header value: `value; name=text; name="quoted text"`.
struct HeaderParameters {
    /// What stands before the first semicolon, trimmed.
    let value: [UInt8]
    private var parameters: [(name: String, value: [UInt8])] = []

    /// Reads all parameters; what is malformed is skipped.
    init(_ bytes: [UInt8]) {
        var rest = bytes[...]
        let first = rest.prefix { $0 != UInt8(ascii: ";") }
        value = Array(HeaderText.trim(first))
        rest = rest[first.endIndex...]
        while rest.popFirst() != nil {
            let name = rest.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "=") }
            rest = rest[name.endIndex...]
            guard rest.first == UInt8(ascii: "=") else { continue }
            rest = rest.dropFirst().drop(while: HeaderText.isBlank)
            let text = rest.first == UInt8(ascii: "\"") ? Self.quoted(&rest) : Self.token(&rest)
            parameters.append((HeaderText.decode(HeaderText.trim(name)).lowercased(), text))
        }
    }

    /// The first parameter of that name (lower case).
    subscript(name: String) -> [UInt8]? { parameters.first { $0.name == name }?.value }

    /// Up to the semicolon, trimmed; liberal in that blanks may stand inside.
    private static func token(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        let text = rest.prefix { $0 != UInt8(ascii: ";") }
        rest = rest[text.endIndex...]
        return Array(HeaderText.trim(text))
    }

    /// A quoted text; the rest is left at the next semicolon.
    ///
    /// A backslash escapes a quote and a backslash only, so that the paths that old browsers send stay whole.
    private static func quoted(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        rest = rest.dropFirst()
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\"), let next = rest.first, next == byte || next == UInt8(ascii: "\"") {
                text.append(next)
                rest = rest.dropFirst()
            } else {
                text.append(byte)
            }
        }
        rest = rest.drop { $0 != UInt8(ascii: ";") }
        return text
    }
}

/// The boundary of a Content-Type.
public enum BoundaryParameter {
    /// Returns the boundary parameter of a multipart type (RFC 2045 section 5.1, RFC 2046 section 5.1.1).
    ///
    /// - Parameter contentType: Value of the header field, for example `multipart/form-data; boundary="a b"`.
    /// - Returns: 1 to 70 bytes without quotes and trailing blanks; `nil` for another type, and for a boundary that
    ///   is missing, empty, too long or holds control characters.
    public static func parse(_ contentType: String) -> [UInt8]? {
        let parameters = HeaderParameters(Array(contentType.utf8))
        guard HeaderText.decode(parameters.value).lowercased().hasPrefix("multipart/"),
            var boundary = parameters["boundary"]
        else { return nil }
        while boundary.last == 0x20 { boundary.removeLast() }
        guard (1...70).contains(boundary.count), boundary.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        return boundary
    }
}
