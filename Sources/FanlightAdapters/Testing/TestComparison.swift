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

    /// Compares a plan with `request:`, in which every part that goes out must be named.
    static func plan(_ expected: Node, _ service: CompiledService, _ context: DeliveryContext) -> [String] {
        let failures = unknownKeys(expected, AdapterTestFields.request.names)
        do {
            switch try service.plan(context) {
            case .store(let folder, let name):
                return failures + difference("folder", expected["store"]?["folder"]?.text, folder)
                    + difference("name", expected["store"]?["name"]?.text, name)
            case .exchange(let request): return failures + Self.request(expected, request, method: "POST")
            }
        } catch {
            return failures + difference("error", expected["error"]?.text, error.kind.rawValue)
        }
    }

    /// Compares a request with `request:` or `delete:`; `method` is expected where none is named.
    static func request(_ expected: Node, _ request: HTTPRequest, method: String) -> [String] {
        difference("method", expected["method"]?.text ?? method, request.method)
            + difference("url", expected["url"]?.text, request.url)
            + difference("headers", lines(expected["headers"]), lines(request.headers))
            + compare(expected, body: request.body)
    }

    private static func compare(_ expected: Node, body: HTTPRequest.Body) -> [String] {
        var fields: [HTTPField] = []
        var file = ""
        var text = ""
        var raw = ""
        switch body {
        case .empty: break
        case .bytes(let bytes): text = String(decoding: bytes, as: UTF8.self)
        case .file: raw = "file"
        case .pieces(let pieces): text = pieces.map(Self.shown).joined()
        case .multipart(let parts):
            for part in parts {
                switch part.content {
                case .text(let value): fields.append(HTTPField(part.name, value))
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

    static func shown(_ piece: HTTPRequest.Piece) -> String {
        switch piece {
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        case .file: "<file>"
        case .base64: "<file|base64>"
        }
    }

    /// Compares links with `result:`; what is not named must not be there.
    static func links(_ expected: Node, _ links: DeliveryLinks) -> [String] {
        var failures = unknownKeys(expected, AdapterTestFields.result.names)
        failures += difference("link", expected["link"]?.text ?? "", links.link ?? "")
        failures += difference("page", expected["page"]?.text ?? "", links.page ?? "")
        failures += difference("thumbnail", expected["thumbnail"]?.text ?? "", links.thumbnail ?? "")
        failures += difference("id", expected["id"]?.text ?? "", links.remoteID ?? "")
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

    private static func difference(_ what: String, _ expected: String?, _ got: String) -> [String] {
        expected == got ? [] : ["\(what): expected '\(expected ?? "nothing")', got '\(got)'"]
    }
}
