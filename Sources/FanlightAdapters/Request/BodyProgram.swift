// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// One part of a multipart body, with templates in it.
struct PartProgram: Sendable {
    /// What a part holds.
    enum Content: Sendable {
        case text(Choice)
        case json(JSONTree)
        case picture(name: Template?)
    }

    /// Name of the form field; `nil` in a related body.
    var name: Choice?
    var content: Content
    var type: Choice?
    var when: Predicate?

    /// Every variable that is named.
    var variables: [Variable] {
        var all = (name?.variables ?? []) + (type?.variables ?? [])
        switch content {
        case .text(let text): all += text.variables
        case .json(let tree): all += tree.variables
        case .picture(let name): all += name?.variables ?? []
        }
        return all
    }
}

/// One stretch of a raw body.
enum PieceProgram: Sendable {
    case text(Choice)
    case picture
}

/// A body with templates in it.
enum BodyProgram: Sendable {
    case none
    case multipart([PartProgram])
    case related([PartProgram])
    case form([Named])
    case json(JSONTree)
    /// The picture alone.
    case picture
    case pieces([PieceProgram])

    /// Every variable that is named.
    var variables: [Variable] {
        switch self {
        case .none, .picture: return []
        case .multipart(let parts), .related(let parts): return parts.flatMap(\.variables)
        case .form(let fields): return fields.flatMap(\.value.variables)
        case .json(let tree): return tree.variables
        case .pieces(let pieces):
            return pieces.flatMap { piece -> [Variable] in
                guard case .text(let text) = piece else { return [] }
                return text.variables
            }
        }
    }

    /// True when the picture goes along.
    var sendsPicture: Bool {
        switch self {
        case .picture: return true
        case .multipart(let parts), .related(let parts):
            return parts.contains { if case .picture = $0.content { true } else { false } }
        case .pieces(let pieces): return pieces.contains { if case .picture = $0 { true } else { false } }
        default: return variables.contains(.file(.base64))
        }
    }

    /// Fills a draft's body.
    func fill(_ draft: inout RequestDraft, in scope: Scope) throws(DeliveryFailure) {
        let file = scope.context.rendition.file
        switch self {
        case .none: break
        case .form(let fields):
            draft.setType("application/x-www-form-urlencoded")
            draft.body = .form(try Named.rendered(fields, scope))
        case .multipart(let parts):
            var rendered: [HTTPRequest.Part] = []
            for part in parts { if let part = try Self.part(part, in: scope) { rendered.append(part) } }
            draft.body = .multipart(rendered)
        case .related(let parts): try relate(parts, &draft, in: scope)
        case .json(let tree):
            draft.setType("application/json")
            draft.body = .other(try Self.json(tree, in: scope))
        case .picture:
            draft.setType(scope.context.rendition.mediaType.mime)
            draft.body = .other(.file(file))
        case .pieces(let pieces):
            draft.setType(scope.context.rendition.mediaType.mime)
            var rendered: [HTTPRequest.Piece] = []
            for piece in pieces {
                switch piece {
                case .picture: rendered.append(.file(file))
                case .text(let text):
                    if let text = try text.text(in: scope) { rendered.append(.bytes(Array(text.utf8))) }
                }
            }
            draft.body = .other(.pieces(rendered))
        }
    }

    private static func part(_ part: PartProgram, in scope: Scope) throws(DeliveryFailure) -> HTTPRequest.Part? {
        guard part.when?.holds(in: scope, .nothing) ?? true else { return nil }
        let name = try part.name?.text(in: scope) ?? "file"
        let type = try part.type?.text(in: scope)
        switch part.content {
        case .text(let text):
            guard let value = try text.text(in: scope) else { return nil }
            return HTTPRequest.Part(name: name, contentType: type, content: .text(value))
        case .json(let tree):
            guard let value = try tree.value(in: scope) else { return nil }
            return HTTPRequest.Part(
                name: name,
                contentType: type ?? "application/json",
                content: .text(value.serialized())
            )
        case .picture(let fileName):
            let rendition = scope.context.rendition
            let shown = try fileName?.text(in: scope) ?? scope.value(of: .file(.name))?.shown ?? "picture"
            return HTTPRequest.Part(
                name: name,
                contentType: type ?? rendition.mediaType.mime,
                content: .file(rendition.file, name: RequestProgram.headerText(shown))
            )
        }
    }

    /// A body of parts without names, RFC 2387.
    private func relate(
        _ parts: [PartProgram],
        _ draft: inout RequestDraft,
        in scope: Scope
    ) throws(DeliveryFailure) {
        let boundary = "fanlight-" + scope.nonce
        var pieces: [HTTPRequest.Piece] = []
        for part in parts {
            guard let part = try Self.part(part, in: scope) else { continue }
            let type = RequestProgram.headerText(part.contentType ?? "text/plain; charset=utf-8")
            pieces.append(.bytes(Array("--\(boundary)\r\nContent-Type: \(type)\r\n\r\n".utf8)))
            switch part.content {
            case .text(let text): pieces.append(.bytes(Array(text.utf8)))
            case .file(let file, _): pieces.append(.file(file))
            }
            pieces.append(.bytes(Array("\r\n".utf8)))
        }
        pieces.append(.bytes(Array("--\(boundary)--\r\n".utf8)))
        draft.setType("multipart/related; boundary=" + boundary)
        draft.body = .other(.pieces(pieces))
    }

    /// JSON text; the picture in it is encoded while it is sent.
    private static func json(_ tree: JSONTree, in start: Scope) throws(DeliveryFailure) -> HTTPRequest.Body {
        guard tree.variables.contains(.file(.base64)) else {
            return .bytes(Array((try tree.value(in: start) ?? .null).serialized().utf8))
        }
        var scope = start
        let mark = "fanlight-picture-" + scope.nonce
        scope.pictureMark = mark
        let text = (try tree.value(in: scope) ?? .null).serialized()
        var pieces: [HTTPRequest.Piece] = []
        for (index, stretch) in Words.split(text, at: mark).enumerated() {
            if index > 0 { pieces.append(.base64(scope.context.rendition.file)) }
            pieces.append(.bytes(Array(stretch.utf8)))
        }
        return .pieces(pieces)
    }
}
