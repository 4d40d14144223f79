// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Refuses what would be read as something else on the wire.
enum RequestCheck {
    /// Why the request cannot be sent, or `nil`.
    static func problem(with request: HTTPRequest) -> TransportError? {
        guard WebURL(request.url) != nil else { return bad("The URL is not an http or https URL with a host.") }
        guard isToken(request.method) else { return bad("The method is not a token.") }
        for field in request.headers where !isToken(field.name) || !isLine(field.value) {
            return bad("A header is malformed.")
        }
        if request.method == "HEAD" {
            guard case .empty = request.body else { return bad("A HEAD request has no body.") }
        }
        guard case .multipart(let parts) = request.body else { return nil }
        guard !parts.isEmpty else { return bad("The form has no parts.") }
        let types = parts.compactMap(\.contentType)
        return types.allSatisfy(isLine) ? nil : bad("The type of a part is malformed.")
    }

    private static func bad(_ message: String) -> TransportError {
        TransportError(.badURL, message: message, requestFullySent: false)
    }

    /// RFC 9110, section 5.6.2.
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    private static func isLine(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }
    }
}
