// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore

extension Compilation {
    private static let methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]

    /// Compiles the request keys of a service.
    ///
    /// - Parameter sendsFile: Where no body is described, the picture goes as field `file` of a form.
    func request(_ node: Node, method defaultMethod: String, sendsFile: Bool) -> RequestProgram? {
        guard let urlNode = node["url"], !urlNode.isNull else { return nil }
        guard let url = choice(urlNode) else { return nil }
        checkHost(of: url, urlNode)
        var request = RequestProgram(method: method(node["method"], default: defaultMethod), url: url)
        secretly {
            request.query = choices(node["query"], in: "query")
            request.headers = choices(node["headers"], in: "headers")
            request.fields = choices(node["fields"], in: "fields")
            request.authorization = authorization(node["auth"])
            request.body = body(node, hasFields: !request.fields.isEmpty, sendsFile: sendsFile)
        }
        checkHeaderNames(node["headers"])
        if let redirects = node["redirects"], !redirects.isNull {
            switch text(redirects) {
            case "same_origin": request.redirects = .sameOrigin
            case "refuse": request.redirects = .refuse
            default: error(redirects, "redirects is refuse or same_origin")
            }
        }
        return request
    }

    private func method(_ node: Node?, default fallback: String) -> String {
        guard let node, !node.isNull, let text = text(node)?.uppercased() else { return fallback }
        if Self.methods.contains(text) { return text }
        error(node, "method is one of \(Self.methods.joined(separator: ", "))")
        return fallback
    }

    /// Secrets go to declared hosts only: nothing that a client or a reply gives may choose the host.
    private func checkHost(of url: Choice, _ node: Node) {
        for alternative in url.list {
            var prefix = ""
            for segment in alternative.template.segments {
                switch segment {
                case .literal(let text): prefix += text
                case .expression(let expression):
                    let isPath =
                        LinkRules.authority(of: prefix).map { authority in
                            prefix.count > authority.count + (prefix.lowercased().hasPrefix("https") ? 8 : 7)
                        } ?? false
                    if isPath { continue }
                    switch expression.variable {
                    case .setting, .plain(.publicURL): prefix += prefix.isEmpty ? "https://setting/" : "setting"
                    default:
                        error(node, "the host of a URL may come from settings only, not from '\(expression.source)'")
                    }
                }
            }
            if alternative.template.constant != nil, !prefix.isEmpty, !LinkRules.isAbsolute(prefix), unset.isEmpty {
                error(node, "expected an absolute http or https URL without credentials")
            }
        }
    }

    private func checkHeaderNames(_ node: Node?) {
        let signs = Set("!#$%&'*+-.^_`|~")
        for entry in node?.entries ?? [] {
            let isToken =
                !entry.key.isEmpty
                && entry.key.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || signs.contains($0)) }
            if !isToken { error(at: entry.position, "'\(entry.key)' is no header name") }
        }
    }

    private func authorization(_ node: Node?) -> Authorization {
        guard let node, !node.isNull else { return .none }
        guard let typeNode = node["type"] ?? (node.text == nil ? nil : node), let type = text(typeNode) else {
            error(node, "auth needs 'type'")
            return .none
        }
        guard let section = AdapterFields.authSection(type) else {
            let nearest = NearestName.of(type, among: AdapterFields.auth.map(\.type))
            error(typeNode, "unknown auth type '\(type)'" + Self.hint(nearest))
            return .none
        }
        if node["type"] != nil { checkKeys(of: node, section) }
        func value(_ key: String) -> Choice? {
            guard let found = node[key], !found.isNull else {
                error(node, "auth of type \(type) needs '\(key)'")
                return nil
            }
            return choice(found)
        }
        func name(_ fallback: String?) -> String? {
            if let found = node["name"], !found.isNull { return text(found) }
            if fallback == nil { error(node, "auth of type \(type) needs 'name'") }
            return fallback
        }
        switch type {
        case "basic":
            let kept = secrets
            guard let username = value("username") else { return .none }
            secrets = kept  // The name of an account is no secret; links often hold it.
            guard let password = value("password") else { return .none }
            return .basic(username: username, password: password)
        case "bearer": return value("token").map { .bearer($0) } ?? .none
        case "header":
            guard let name = name("Authorization"), let value = value("value") else { return .none }
            return .header(name: name, value)
        case "query":
            guard let name = name(nil), let value = value("value") else { return .none }
            return .query(name: name, value)
        case "form":
            guard let name = name(nil), let value = value("value") else { return .none }
            return .form(name: name, value)
        default: return .none
        }
    }

    private func body(_ node: Node, hasFields: Bool, sendsFile: Bool) -> RequestProgram.Body {
        let kinds = ["file", "form", "json", "raw"].filter { node[$0].map { !$0.isNull } ?? false }
        if kinds.count > 1, let second = node[kinds[1]] {
            error(second, "a request has one body: '\(kinds[0])' and '\(kinds[1])' exclude each other")
        }
        switch kinds.first {
        case "form": return .form(choices(node["form"], in: "form"))
        case "json": return node["json"].flatMap { jsonTree($0) }.map { .json($0) } ?? .none
        case "raw":
            if let raw = node["raw"], raw.text != "file" { error(raw, "raw takes the word file") }
            return .raw
        case "file": return node["file"].flatMap { file($0) } ?? .none
        default:
            if hasFields { return sendsFile ? Self.standardFile : .fields }
            return sendsFile ? Self.standardFile : .none
        }
    }

    private static let standardFile = RequestProgram.Body.multipart(
        field: Choice(list: [Choice.Alternative(when: nil, template: Template(segments: [.literal("file")]))]),
        name: nil,
        type: nil
    )

    private func file(_ node: Node) -> RequestProgram.Body? {
        guard case .mapping = node.content else {
            return choice(node).map { .multipart(field: $0, name: nil, type: nil) }
        }
        checkKeys(of: node, AdapterFields.file)
        guard let field = node["field"], let choice = choice(field) else {
            error(node, "file needs 'field'")
            return nil
        }
        return .multipart(
            field: choice,
            name: node["name"].flatMap { template($0) },
            type: node["type"].flatMap { template($0) }
        )
    }
}
