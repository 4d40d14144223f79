// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// A request while it is built: signatures need its parts before they are joined.
struct RequestDraft {
    /// Body of a draft.
    enum Body {
        case none
        case form([HTTPField])
        case multipart([HTTPRequest.Part])
        /// Anything that signatures do not look into.
        case other(HTTPRequest.Body)
    }

    var method: String
    /// Without the parameters of `query`.
    var url: String
    var query: [HTTPField] = []
    var headers: [HTTPField] = []
    var body = Body.none

    /// Sets the Content-Type unless the adapter did.
    mutating func setType(_ type: String) {
        if !headers.contains(where: { $0.name.lowercased() == "content-type" }) {
            headers.append(HTTPField("Content-Type", type))
        }
    }

    /// Adds a field to the body; a request without a form gets one, a multipart form gets it before the picture.
    mutating func addField(_ name: String, _ value: String) {
        switch body {
        case .none: body = .form([HTTPField(name, value)])
        case .form(let fields): body = .form(fields + [HTTPField(name, value)])
        case .multipart(var parts):
            let place = parts.firstIndex { if case .file = $0.content { true } else { false } } ?? parts.count
            parts.insert(HTTPRequest.Part(name: name, content: .text(value)), at: place)
            body = .multipart(parts)
        case .other: query.append(HTTPField(name, value))
        }
    }

    /// Text fields of the body, in order.
    var texts: [HTTPField] {
        switch body {
        case .form(let fields): return fields
        case .multipart(let parts):
            return parts.compactMap { part in
                guard case .text(let text) = part.content else { return nil }
                return HTTPField(part.name, text)
            }
        default: return []
        }
    }

    /// The URL with its parameters.
    var fullURL: String { Self.adding(query, to: url) }

    /// The body as it is sent.
    var content: HTTPRequest.Body {
        switch body {
        case .none: .empty
        case .form(let fields): .bytes(Array(Self.encoded(fields).utf8))
        case .multipart(let parts): .multipart(parts)
        case .other(let body): body
        }
    }

    /// Pairs as a URL-encoded form has them.
    static func encoded(_ fields: [HTTPField]) -> String {
        fields.map { TextCoding.percentEncoded($0.name) + "=" + TextCoding.percentEncoded($0.value) }
            .joined(separator: "&")
    }

    private static func adding(_ fields: [HTTPField], to url: String) -> String {
        guard !fields.isEmpty else { return url }
        let pieces = url.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let base = String(pieces.first ?? "")
        let joint = base.contains("?") ? (base.hasSuffix("?") || base.hasSuffix("&") ? "" : "&") : "?"
        return base + joint + encoded(fields)
    }
}
