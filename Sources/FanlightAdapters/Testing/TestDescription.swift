// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Requests and links as `tests:` writes them; the opposite of a comparison.
extension TestComparison {
    /// A request as the members of `request:`.
    static func description(of request: HTTPRequest) -> [JSONValue.Member] {
        let picture = AdapterTestRunner.sampleContext.content ?? []
        var members: [JSONValue.Member] = []
        if request.method != "POST" { members.append(.init("method", .string(request.method))) }
        members.append(.init("url", .string(request.url)))
        if !request.headers.isEmpty { members.append(.init("headers", object(request.headers))) }
        switch request.body {
        case .empty: break
        case .bytes(let bytes): members.append(.init("body", .string(String(decoding: bytes, as: UTF8.self))))
        case .file: members.append(.init("raw", "file"))
        case .pieces(let pieces): members.append(.init("body", .string(pieces.map { shown($0, picture) }.joined())))
        case .multipart(let parts):
            var texts: [HTTPField] = []
            var file: JSONValue?
            for part in parts {
                switch part.content {
                case .text(let text): texts.append(HTTPField(part.name, text))
                case .file: file = .object([.init("field", .string(part.name))])
                }
            }
            if !texts.isEmpty { members.append(.init("fields", object(texts))) }
            if let file { members.append(.init("file", file)) }
        }
        return members
    }

    /// Links as the members of `result:`.
    static func description(of links: DeliveryLinks) -> [JSONValue.Member] {
        let pairs = [
            ("link", links.link), ("page", links.page), ("thumbnail", links.thumbnail), ("id", links.remoteID),
        ]
        return pairs.compactMap { name, value in value.map { .init(name, .string($0)) } }
    }

    private static func object(_ fields: [HTTPField]) -> JSONValue {
        .object(fields.map { .init($0.name, .string($0.value)) })
    }
}
