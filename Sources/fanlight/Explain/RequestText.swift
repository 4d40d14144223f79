// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightCore

/// One step of a delivery as text, without secrets.
struct RequestText {
    /// Identifier of the step.
    let id: String
    /// Whether, and how often, it is done; `nil` = once, in any case.
    let note: String?
    private let deed: RehearsedStep.Deed
    private let clean: (String) -> String

    /// Longest text of a body that is shown.
    private static let limit = 2_000

    init(_ step: RehearsedStep, service: CompiledService, context: DeliveryContext) {
        id = step.id
        note = step.note
        deed = step.deed
        clean = { service.redacted($0, context) }
    }

    /// Lines for people.
    var lines: [String] {
        switch deed {
        case .store(let folder, let name): return ["kept as \(clean(folder))/\(clean(name))"]
        case .fail(let failure): return ["cannot be sent: \(clean(failure.message))"]
        case .send(let request):
            let head = ["\(request.method) \(clean(request.url))"]
            return head + request.headers.map { "\($0.name): \(value(of: $0))" } + body(request.body)
        }
    }

    /// The value of a header; of credentials only their kind.
    private func value(of header: HTTPField) -> String {
        guard ["authorization", "proxy-authorization", "cookie"].contains(header.name.lowercased()) else {
            return clean(header.value)
        }
        let words = header.value.split(separator: " ", maxSplits: 1)
        return words.count == 2 ? "\(words[0]) ***" : "***"
    }

    private func body(_ body: HTTPRequest.Body) -> [String] {
        switch body {
        case .empty: return ["no body"]
        case .bytes(let bytes): return ["", shown(String(decoding: bytes, as: UTF8.self))]
        case .file(let file): return ["", "<the picture, \(file.size) bytes>"]
        case .pieces(let pieces):
            return ["", pieces.map(text).joined()]
        case .multipart(let parts):
            return ["multipart/form-data:"]
                + parts.map { part in
                    switch part.content {
                    case .text(let text): "  \(part.name) = \(shown(text))"
                    case .file(let file, let name):
                        "  \(part.name) = <the picture, \(file.size) bytes> as \(name), \(part.contentType ?? "no type")"
                    }
                }
        }
    }

    private func text(_ piece: HTTPRequest.Piece) -> String {
        switch piece {
        case .bytes(let bytes): shown(String(decoding: bytes, as: UTF8.self))
        case .file(let file): "<the picture, \(file.size) bytes>"
        case .base64(let file): "<the picture in base64, \(HTTPRequest.Piece.base64(file).size) bytes>"
        }
    }

    private func shown(_ text: String) -> String {
        let cleaned = clean(text)
        return cleaned.count <= Self.limit ? cleaned : cleaned.prefix(Self.limit) + "… (\(cleaned.count) characters)"
    }

    /// The step for programs.
    var json: JSONValue {
        var members: [JSONValue.Member] = [.init("id", .string(id)), .init("note", .optional(note))]
        switch deed {
        case .store(let folder, let name):
            members.append(.init("store", .string(clean(folder) + "/" + clean(name))))
        case .fail(let failure): members.append(.init("error", .string(clean(failure.message))))
        case .send(let request):
            members += [
                .init("method", .string(request.method)), .init("url", .string(clean(request.url))),
                .init("headers", .object(request.headers.map { .init($0.name, .string(value(of: $0))) })),
                .init("body", .array(body(request.body).filter { !$0.isEmpty }.map { .string($0) })),
            ]
        }
        return .object(members)
    }
}
