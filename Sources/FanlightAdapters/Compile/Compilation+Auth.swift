// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore

extension Compilation {
    /// Reads `auth:` of a type that needs no login.
    ///
    /// - Parameter isOwn: True beside a step's own request, which cannot have a session of its own.
    func authorization(_ node: Node, isOwn: Bool = false) -> Authorization {
        guard let (type, section) = authType(node) else { return .none }
        guard type != "session", type != "oauth2" else {
            if isOwn { error(node, "auth of type \(type) belongs to the service, not to one request") }
            return .none
        }
        if node["type"] != nil { checkKeys(of: node, section, in: section.name) }
        let reader = AuthReader(compilation: self, node: node, type: type, section: section)
        return reader.authorization() ?? .none
    }

    /// The type of an auth with its keys; reports an unknown one.
    func authType(_ node: Node) -> (type: String, section: Section)? {
        guard let typeNode = node["type"] ?? (node.text == nil ? nil : node), !typeNode.isNull else {
            error(node, "auth needs 'type'")
            return nil
        }
        guard let type = text(typeNode) else { return nil }
        guard let section = AdapterFields.authSection(type) else {
            let nearest = NearestName.of(type, among: AdapterFields.auth.map(\.type))
            error(typeNode, "unknown auth type '\(type)'" + Self.hint(nearest))
            return nil
        }
        return (type, section)
    }
}

/// Reads the values of one `auth:`; what is missing and has a setting of the same name is that setting.
struct AuthReader {
    let compilation: Compilation
    let node: Node
    let type: String
    let section: Section

    /// A value that there must be.
    func value(_ key: String) -> Choice? {
        if let found = optional(key) { return found }
        let isDefaulted = section.fields.first { $0.name == key }?.defaultText == "${setting.\(key)}"
        let advice = isDefaulted ? ", or a setting of that name" : ""
        if node[key].map(\.isNull) ?? true { compilation.error(node, "auth of type \(type) needs '\(key)'\(advice)") }
        return nil
    }

    /// A value that may be absent.
    func optional(_ key: String) -> Choice? {
        if let found = node[key], !found.isNull {
            // The name of an account is no secret; links often hold it.
            let meaning = CredentialNames.arePublic(key) ? Compilation.OutsideMeaning.open : compilation.meaning
            return compilation.meaning(meaning) { compilation.choice(found) }
        }
        let isDefaulted = section.fields.first { $0.name == key }?.defaultText == "${setting.\(key)}"
        guard isDefaulted, compilation.names.settings.contains(key) else { return nil }
        return .always(.of(.setting(key)))
    }

    /// Plain text, else the field's default.
    func text(_ key: String) -> String? {
        if let found = node[key], !found.isNull { return compilation.text(found) }
        let standard = section.fields.first { $0.name == key }?.defaultText
        if standard == nil { compilation.error(node, "auth of type \(type) needs '\(key)'") }
        return standard
    }

    /// One of the words of a field, else its default.
    func word(_ key: String) -> String {
        let field = section.fields.first { $0.name == key }
        guard case .choice(let words)? = field?.type else { return "" }
        return compilation.word(node[key], among: words, key) ?? field?.defaultText ?? ""
    }

    func authorization() -> Authorization? {
        switch type {
        case "basic", "digest":
            guard let username = value("username"), let password = value("password") else { return nil }
            if type == "basic" { return .basic(username: username, password: password) }
            return .digest(DigestAuthentication(username: username, password: password))
        case "bearer": return value("token").map { .bearer($0) }
        case "header": return named { .header(name: $0, $1) }
        case "query": return named { .query(name: $0, $1) }
        case "form": return named { .form(name: $0, $1) }
        case "oauth1": return oauth1().map { .oauth1($0) }
        case "oauth1_echo":
            guard let oauth = oauth1(), let provider = value("provider") else { return nil }
            let field = node["field"].flatMap { compilation.text($0) }
            return .echo(OAuthEcho(oauth: oauth, provider: provider, field: field))
        case "aws_sigv4": return aws()
        case "azure_sharedkey":
            guard let account = value("account"), let key = value("key") else { return nil }
            return .azure(AzureSharedKey(account: account, key: key))
        case "signed_params": return signedParameters()
        default: return nil
        }
    }

    private func named(_ make: (String, Choice) -> Authorization) -> Authorization? {
        guard let name = text("name"), let value = value("value") else { return nil }
        return make(name, value)
    }

    private func oauth1() -> OAuth1? {
        guard let key = value("consumer_key"), let secret = value("consumer_secret") else { return nil }
        let nothing = Choice(list: [])
        var oauth = OAuth1(
            consumerKey: key,
            consumerSecret: secret,
            token: optional("token") ?? nothing,
            tokenSecret: optional("token_secret") ?? nothing
        )
        oauth.method = OAuth1.Method(rawValue: word("signature")) ?? .sha1
        oauth.realm = optional("realm")
        guard type == "oauth1" else { return oauth }
        oauth.place = OAuth1.Place(rawValue: word("place")) ?? .header
        oauth.signsTextFields = word("sign") == "text_fields"
        return oauth
    }

    private func aws() -> Authorization? {
        guard let service = text("service"), let region = value("region"), let access = value("access_key"),
            let secret = value("secret_key")
        else { return nil }
        return .aws(
            AWSSignature(
                service: service,
                region: region,
                accessKey: access,
                secretKey: secret,
                sessionToken: optional("session_token"),
                signsPayload: word("payload") == "signed",
                encodesPathTwice: word("path_encoding") == "twice"
            )
        )
    }

    private func signedParameters() -> Authorization? {
        guard let secret = value("secret") else { return nil }
        var signed = SignedParameters(secret: secret)
        signed.algorithm = DigestKind(rawValue: word("algorithm")) ?? .sha1
        signed.isPrefix = word("position") == "prefix"
        let excluded = node["exclude"].map { $0.items.isEmpty ? [$0] : $0.items } ?? []
        signed.excluded = Set(excluded.compactMap { compilation.text($0) })
        let escapes = compilation.mapping(node["escape"], "escape", of: "characters to what stands for them")
        signed.escapes = escapes.compactMap { entry in
            compilation.text(entry.value).map { (entry.key, $0) }
        }
        for key in ["joiner", "separator"] { compilation.checkText(node[key], "\(key) is a text") }
        signed.joiner = plain("joiner") ?? "="
        signed.separator = plain("separator") ?? "&"
        signed.field = text("into") ?? "signature"
        return .signedParameters(signed)
    }

    /// Text that may be empty.
    private func plain(_ key: String) -> String? {
        guard case .scalar(let text, _)? = node[key]?.content else { return nil }
        return text
    }
}
