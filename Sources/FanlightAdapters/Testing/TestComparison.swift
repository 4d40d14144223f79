// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore

/// Compares what a test expects with what happened; one line a difference.
enum TestComparison {
    /// Keys that mean nothing here.
    static func unknownKeys(_ node: Node, _ valid: [String]) -> [String] {
        node.entries.filter { !valid.contains($0.key) }.map { entry in
            "line \(entry.position.line): unknown key '\(entry.key)'"
                + Compilation.hint(NearestName.of(entry.key, among: valid))
        }
    }

    /// Compares a place in a folder with `request: store`.
    static func store(_ expected: Node, _ folder: String, _ name: String) -> [String] {
        difference("folder", expected["store"]?["folder"]?.text, folder)
            + difference("name", expected["store"]?["name"]?.text, name)
    }

    /// Compares a request with `request:` or `delete:`; `method` is expected where none is named.
    ///
    /// Every part that goes out must be named.
    static func request(_ expected: Node, _ request: HTTPRequest, method: String, content: [UInt8]) -> [String] {
        difference("method", expected["method"]?.text ?? method, request.method)
            + difference("url", expected["url"]?.text, request.url)
            + difference("headers", lines(expected["headers"]), lines(request.headers))
            + compare(expected, body: request.body, content)
    }

    private static func compare(_ expected: Node, body: HTTPRequest.Body, _ content: [UInt8]) -> [String] {
        if let parts = expected["parts"], case .multipart(let sent) = body {
            return difference(
                "parts",
                parts.items.map(line).joined(separator: "\n"),
                sent.map(line).joined(separator: "\n")
            )
        }
        var fields: [HTTPField] = []
        var file = ""
        var text = ""
        var raw = ""
        switch body {
        case .empty: break
        case .bytes(let bytes): text = String(decoding: bytes, as: UTF8.self)
        case .file: raw = "file"
        case .pieces(let pieces): text = pieces.map { shown($0, content) }.joined()
        case .multipart(let parts):
            for part in parts {
                switch part.content {
                case .text(let value):
                    fields.append(HTTPField(part.name + (part.contentType.map { " (\($0))" } ?? ""), value))
                case .file(_, let name): file += "\(part.name): \(name) (\(part.contentType ?? "no type"))"
                }
            }
        }
        let wanted = expected["file"].map { node in
            let name = node["name"]?.text ?? "picture.jpg"
            return "\(node["field"]?.text ?? ""): \(name) (\(node["type"]?.text ?? "image/jpeg"))"
        }
        return difference("fields", lines(expected["fields"]), lines(fields))
            + difference("file", wanted ?? "", file) + difference("body", expected["body"]?.text ?? "", text)
            + difference("raw", expected["raw"]?.text ?? "", raw)
    }

    /// A stretch of a body as text; the picture in base64 as its digits where the picture is known.
    static func shown(_ piece: HTTPRequest.Piece, _ content: [UInt8] = []) -> String {
        switch piece {
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        case .file: "<file>"
        case .base64: content.isEmpty ? "<file|base64>" : TextCoding.base64(content)
        }
    }

    /// One part as it is expected: name, type, and text or file name.
    private static func line(_ node: Node) -> String {
        let name = node["name"]?.text ?? ""
        if let text = node["text"]?.text { return name + (node["type"]?.text.map { " (\($0))" } ?? "") + ": " + text }
        let type = node["type"]?.text ?? "image/jpeg"
        return "\(name) (\(type)): file \(node["filename"]?.text ?? "picture.jpg")"
    }

    private static func line(_ part: HTTPRequest.Part) -> String {
        let type = part.contentType.map { " (\($0))" } ?? ""
        switch part.content {
        case .text(let text): return part.name + type + ": " + text
        case .file(_, let name): return part.name + type + ": file " + name
        }
    }

    /// Compares links with `result:`; what is not named must not be there.
    static func links(_ expected: Node, _ links: DeliveryLinks) -> [String] {
        var failures = unknownKeys(expected, AdapterTestFields.result.names)
        failures += difference("link", expected["link"]?.text ?? "", links.link ?? "")
        failures += difference("page", expected["page"]?.text ?? "", links.page ?? "")
        failures += difference("thumbnail", expected["thumbnail"]?.text ?? "", links.thumbnail ?? "")
        failures += difference("id", expected["id"]?.text ?? "", links.remoteID ?? "")
        let extras = [
            ("delete_url", links.deleteURL), ("expires_at", links.expiresAt), ("visibility", links.visibility),
        ]
        for (name, value) in extras where expected[name] != nil {
            failures += difference(name, expected[name]?.text ?? "", value ?? "")
        }
        failures += difference("links", lines(expected["links"]), lines(links.more))
        failures += difference("deletable", expected["deletable"]?.text ?? "false", "\(links.deletable)")
        for entry in expected["captures"]?.entries ?? [] {
            failures += difference("captures." + entry.key, entry.value.text, links.captures[entry.key] ?? "")
        }
        return failures
    }

    /// Compares a failure with `error:`; the retry class is `never` unless named.
    static func failure(_ expected: Node, _ failure: DeliveryFailure) -> [String] {
        var failures = unknownKeys(expected, AdapterTestFields.failure.names)
        failures += difference("kind", expected["kind"]?.text, failure.kind.rawValue)
        if let message = expected["message"]?.text { failures += difference("message", message, failure.message) }
        return failures + difference("retry", expected["retry"]?.text ?? "never", name(of: failure.retry))
    }

    private static func name(of retry: RetryClass) -> String {
        switch retry {
        case .retry: "retry"
        case .retryAfter(let duration): "after \(duration.components.seconds)s"
        case .never: "never"
        case .unknownOutcome: "unknown"
        }
    }

    private static func lines(_ node: Node?) -> String {
        (node?.entries ?? []).map { "\($0.key): \($0.value.text ?? "")" }.joined(separator: "\n")
    }

    private static func lines(_ fields: [HTTPField]) -> String {
        fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    }

    static func difference(_ what: String, _ expected: String?, _ got: String) -> [String] {
        expected == got ? [] : ["\(what): expected '\(expected ?? "nothing")', got '\(got)'"]
    }
}
