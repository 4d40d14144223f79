// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore

extension Compilation {
    /// Reads `auth:` of the types that open a session, with the header in which it travels.
    ///
    /// The names that the login saves mean something as `session.NAME` from here on.
    func session(_ node: Node?, service: Node) -> (program: SessionProgram, use: Authorization)? {
        guard let node, !node.isNull, let type = node["type"]?.text, ["session", "oauth2"].contains(type),
            let section = AdapterFields.authSection(type)
        else { return nil }
        checkKeys(of: node, section, in: section.name)
        let reader = AuthReader(compilation: self, node: node, type: type, section: section)
        let outer = names
        guard var program = type == "oauth2" ? tokens(reader) : login(node, service) else {
            names = outer
            return nil
        }
        let saved = Set(program.steps.flatMap { $0.reply.save.map(\.name) })
        names = outer
        names.session = saved
        program.ttl = read(node["ttl"], ValueReader.duration) ?? program.ttl
        program.loginRate = read(node["login_rate"], ValueReader.rate)
        program.keepsCookies = read(node["cookies"], ValueReader.boolean) ?? false
        program.fingerprint = Self.scalars(of: node).joined(separator: "\n")
        if let renew = predicate(node["renew_when"]) { program.renewWhen = renew }
        let standard = type == "oauth2" ? template("Bearer ${session.access_token}", at: node.position) : nil
        let chosen = secretly { use(node["use"]) }
        return (program, chosen ?? standard.map { .header(name: "Authorization", .always($0)) } ?? .none)
    }

    /// Every scalar, so that a change of any of them shows.
    private static func scalars(of node: Node) -> [String] {
        switch node.content {
        case .scalar(let text, _): [text]
        case .sequence(let items): items.flatMap(scalars)
        case .mapping(let entries): entries.flatMap { [$0.key] + scalars(of: $0.value) }
        }
    }

    private static let unauthorized = Predicate.test(.extractor(.status), .equal("401"))

    private func login(_ node: Node, _ service: Node) -> SessionProgram? {
        guard let login = node["login"], !login.isNull else {
            error(node, "auth of type session needs 'login'")
            return nil
        }
        let nodes = login.items.isEmpty ? [login] : login.items
        names.captures = []
        names.session = []
        names.steps = []
        let defaults = RequestDefaults(url: service["url"], headers: service["headers"], method: "POST")
        // A refused login is explained as any other failure of the service.
        let explaining = Node(.mapping(service.entries.filter { $0.key == "error" }), at: service.position)
        let steps = secretly { self.steps(nodes, AdapterFields.step, defaults, service: explaining) }
        for key in ["poll", "restart", "retry_when", "recover"] {
            for found in nodes.compactMap({ $0[key] }) { error(found, "a login has no '\(key)'") }
        }
        return steps.isEmpty ? nil : SessionProgram(steps: steps, renewWhen: Self.unauthorized)
    }

    /// The header in which a session travels.
    private func use(_ node: Node?) -> Authorization? {
        guard let node, !node.isNull else { return nil }
        guard case .mapping = node.content else { return choice(node).map { .header(name: "Authorization", $0) } }
        checkKeys(of: node, AdapterFields.use)
        guard let value = node["value"].flatMap({ choice($0) }) else {
            error(node, "use needs 'value'")
            return nil
        }
        return .header(name: node["name"].flatMap { text($0) } ?? "Authorization", value)
    }

    /// The request for a token, RFC 6749.
    private func tokens(_ reader: AuthReader) -> SessionProgram? {
        let grant = reader.word("grant")
        let address = asAddress { reader.value("token_url") }
        guard let url = address, let urlNode = reader.node["token_url"] else { return nil }
        _ = destinations(of: url, urlNode)
        return secretly { () -> SessionProgram? in
            guard let client = reader.value("client_id") else { return nil }
            let secret = reader.optional("client_secret")
            var fields = [Named(name: "grant_type", value: .constant(grant))]
            names.session = ["refresh_token"]
            switch grant {
            case "refresh_token":
                guard let first = reader.value("refresh_token") else { return nil }
                fields.append(Named(name: "refresh_token", value: rotating(first)))
            case "password":
                guard let user = reader.value("username"), let word = reader.value("password") else { return nil }
                fields += [Named(name: "username", value: user), Named(name: "password", value: word)]
            default: break
            }
            if let scope = reader.optional("scope") { fields.append(Named(name: "scope", value: scope)) }
            var request = RequestProgram(method: "POST", url: url, base: base)
            if reader.word("client_auth") == "basic" {
                request.authorization = .basic(username: client, password: secret ?? .constant(""))
            } else {
                fields.append(Named(name: "client_id", value: client))
                if let secret { fields.append(Named(name: "client_secret", value: secret)) }
            }
            request.headers = [Named(name: "Accept", value: .constant("application/json"))]
            request.body = .form(fields + choices(reader.node["extra"], in: "extra"))
            var step = StepProgram(id: "token", isIdempotent: true, request: request)
            step.reply = Self.tokenReply
            var program = SessionProgram(steps: [step], renewWhen: Self.unauthorized)
            program.lifetime = "expires_in"
            program.lasting = ["refresh_token"]
            return program
        }
    }

    /// The newest refresh token: the one that the last renewal gave, else the operator's.
    private func rotating(_ first: Choice) -> Choice {
        let kept = Template.of(.session("refresh_token"))
        return Choice(
            list: [Choice.Alternative(when: .test(.template(kept), .exists), template: kept)] + first.list
        )
    }

    private static let tokenReply: ReplyProgram = {
        func sources(_ paths: String...) -> Sources {
            Sources(list: paths.compactMap { JSONPath($0) }.map { .extractor(.json($0)) })
        }
        var reply = ReplyProgram()
        reply.save = ["access_token", "refresh_token", "expires_in", "token_type"].map {
            SaveRule(name: $0, value: sources("$.\($0)"))
        }
        reply.ok = .test(.extractor(.json(JSONPath("$.access_token") ?? JSONPath())), .exists)
        reply.error.message = sources("$.error_description", "$.error.message", "$.message", "$.error")
        reply.error.code = sources("$.error")
        for code in ["invalid_grant", "invalid_client", "unauthorized_client", "invalid_scope", "access_denied"] {
            reply.error.kinds[code] = .auth
        }
        return reply
    }()
}
