// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// A value with alternatives; the first whose test holds counts.
struct Choice: Sendable {
    /// One alternative.
    struct Alternative: Sendable {
        /// `nil` = always.
        var when: Predicate?
        /// The value.
        var template: Template
    }

    /// In order.
    var list: [Alternative]

    /// The value; `nil` when absent or when no alternative fits.
    func value(in scope: Scope) throws(DeliveryFailure) -> JSONValue? {
        let nothing = ReplyDocument(HTTPReply(status: 0, headers: [], body: [], finalURL: ""))
        for alternative in list where alternative.when?.holds(in: scope, nothing) ?? true {
            return try alternative.template.value(in: scope)
        }
        return nil
    }

    /// The characters of the value.
    func text(in scope: Scope) throws(DeliveryFailure) -> String? { try value(in: scope)?.shown }

    /// Every variable that is named in a value.
    var variables: [Variable] { list.flatMap(\.template.variables) }
}

/// A JSON body with templates in it.
indirect enum JSONTree: Sendable {
    /// One member of an object.
    struct Member: Sendable {
        var name: String
        var value: JSONTree
    }

    case constant(JSONValue)
    case value(Choice)
    case object([Member])
    case array([JSONTree])

    /// The value; absent members and items vanish.
    func value(in scope: Scope) throws(DeliveryFailure) -> JSONValue? {
        switch self {
        case .constant(let value): return value
        case .value(let choice): return try choice.value(in: scope)
        case .object(let members):
            var out: [JSONValue.Member] = []
            for member in members {
                if let value = try member.value.value(in: scope) { out.append(JSONValue.Member(member.name, value)) }
            }
            return .object(out)
        case .array(let items):
            var out: [JSONValue] = []
            for item in items {
                if let value = try item.value(in: scope) { out.append(value) }
            }
            return .array(out)
        }
    }

    /// Every variable that is named.
    var variables: [Variable] {
        switch self {
        case .constant: []
        case .value(let choice): choice.variables
        case .object(let members): members.flatMap(\.value.variables)
        case .array(let items): items.flatMap(\.variables)
        }
    }
}

/// How a service wants to be convinced.
enum Authorization: Sendable {
    case none
    case basic(username: Choice, password: Choice)
    case bearer(Choice)
    case header(name: String, Choice)
    case query(name: String, Choice)
    case form(name: String, Choice)
}

/// One request with templates in it.
struct RequestProgram: Sendable {
    typealias Named = (name: String, value: Choice)

    /// Kinds of body.
    enum Body: Sendable {
        case none
        case multipart(field: Choice, name: Template?, type: Template?)
        case fields
        case form([Named])
        case json(JSONTree)
        case raw
    }

    var method: String
    var url: Choice
    var query: [Named] = []
    var headers: [Named] = []
    var authorization = Authorization.none
    var fields: [Named] = []
    var body = Body.none
    var redirects = HTTPRequest.RedirectPolicy.refuse

    /// Every variable that the request names.
    var variables: [Variable] {
        var all = url.variables + (query + headers + fields).flatMap(\.value.variables)
        switch body {
        case .form(let form): all += form.flatMap(\.value.variables)
        case .json(let tree): all += tree.variables
        case .multipart(let field, let name, let type):
            all += field.variables + (name?.variables ?? []) + (type?.variables ?? [])
        default: break
        }
        return all
    }

    /// The request for one delivery.
    ///
    /// - Throws: A failure of kind `rejected` when the URL is not complete or a required value is absent.
    func request(in scope: Scope, timeouts: Timeouts) throws(DeliveryFailure) -> HTTPRequest {
        var form: [HTTPField] = []
        var queryFields: [HTTPField] = try Self.rendered(query, scope)
        var headerFields = try Self.rendered(headers, scope).map { HTTPField($0.name, Self.headerText($0.value)) }
        try authorize(scope, query: &queryFields, headers: &headerFields, form: &form)
        guard let base = try url.text(in: scope), LinkRules.isAbsolute(base), !base.contains(where: \.isWhitespace)
        else {
            throw DeliveryFailure(kind: .rejected, message: "the URL of \(scope.service) is not complete")
        }
        var request = HTTPRequest(
            method: method,
            url: Self.adding(queryFields, to: base),
            headers: headerFields,
            timeouts: timeouts,
            redirects: redirects
        )
        try fill(&request, form: form, in: scope)
        return request
    }

    private func fill(_ request: inout HTTPRequest, form: [HTTPField], in scope: Scope) throws(DeliveryFailure) {
        let file = scope.context.rendition.file
        switch body {
        case .none:
            if !form.isEmpty { setForm(form, of: &request) }
        case .form(let list): setForm(try Self.rendered(list, scope) + form, of: &request)
        case .json(let tree):
            let value = try tree.value(in: scope) ?? .null
            setType("application/json", of: &request)
            request.body = .bytes(Array(value.serialized().utf8))
        case .raw:
            setType(scope.context.rendition.mediaType.mime, of: &request)
            request.body = .file(file)
        case .fields, .multipart:
            let texts = try Self.rendered(fields, scope) + form
            var parts = texts.map { HTTPRequest.Part(name: $0.name, content: .text($0.value)) }
            if case .multipart(let field, let name, let type) = body {
                let fieldName = try field.text(in: scope) ?? "file"
                let fileName = try name?.text(in: scope)
                let fileType = try type?.text(in: scope) ?? scope.context.rendition.mediaType.mime
                let fallback = scope.value(of: .file(.name))?.shown ?? "picture"
                parts.append(
                    HTTPRequest.Part(
                        name: fieldName,
                        contentType: fileType,
                        content: .file(file, name: Self.headerText(fileName ?? fallback))
                    )
                )
            }
            request.body = .multipart(parts)
        }
    }

    private func authorize(
        _ scope: Scope,
        query: inout [HTTPField],
        headers: inout [HTTPField],
        form: inout [HTTPField]
    ) throws(DeliveryFailure) {
        func add(_ value: Choice, _ name: String, to list: inout [HTTPField]) throws(DeliveryFailure) {
            if let text = try value.text(in: scope) { list.append(HTTPField(name, text)) }
        }
        switch authorization {
        case .none: break
        case .basic(let username, let password):
            let pair = (try username.text(in: scope) ?? "") + ":" + (try password.text(in: scope) ?? "")
            headers.append(HTTPField("Authorization", "Basic " + TextCoding.base64(Array(pair.utf8))))
        case .bearer(let token):
            if let text = try token.text(in: scope) {
                headers.append(HTTPField("Authorization", "Bearer " + Self.headerText(text)))
            }
        case .header(let name, let value):
            if let text = try value.text(in: scope) { headers.append(HTTPField(name, Self.headerText(text))) }
        case .query(let name, let value): try add(value, name, to: &query)
        case .form(let name, let value): try add(value, name, to: &form)
        }
    }

    private func setForm(_ form: [HTTPField], of request: inout HTTPRequest) {
        setType("application/x-www-form-urlencoded", of: &request)
        request.body = .bytes(Array(Self.encoded(form).utf8))
    }

    private func setType(_ type: String, of request: inout HTTPRequest) {
        if !request.headers.contains(where: { $0.name.lowercased() == "content-type" }) {
            request.headers.append(HTTPField("Content-Type", type))
        }
    }

    static func rendered(_ list: [Named], _ scope: Scope) throws(DeliveryFailure) -> [HTTPField] {
        var out: [HTTPField] = []
        for (name, value) in list {
            if let text = try value.text(in: scope) { out.append(HTTPField(name, text)) }
        }
        return out
    }

    private static func encoded(_ fields: [HTTPField]) -> String {
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

    /// A header value on one line: every control character becomes a blank.
    private static func headerText(_ text: String) -> String {
        var out = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { out.append(scalar.value < 0x20 || scalar.value == 0x7F ? " " : scalar) }
        return String(out)
    }
}
