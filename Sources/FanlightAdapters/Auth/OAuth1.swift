// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Signatures of OAuth 1.0a.
///
/// Source: RFC 5849, section 3.
struct OAuth1: Sendable {
    /// How a signature is made.
    enum Method: String, Sendable, CaseIterable {
        case sha1 = "HMAC-SHA1", sha256 = "HMAC-SHA256", plain = "PLAINTEXT"
    }
    /// Where the signature travels.
    enum Place: String, Sendable, CaseIterable { case header, query, form }

    var consumerKey: Choice
    var consumerSecret: Choice
    var token: Choice
    var tokenSecret: Choice
    var method = Method.sha1
    var place = Place.header
    var realm: Choice?
    /// True where the text parts of a multipart form are signed, which the standard does not ask for.
    var signsTextFields = false

    var variables: [Variable] {
        [consumerKey, consumerSecret, token, tokenSecret].flatMap(\.variables) + (realm?.variables ?? [])
    }

    /// Signs a request and puts the result into its place.
    func sign(_ draft: inout RequestDraft, in scope: Scope) throws(DeliveryFailure) {
        var signed: [HTTPField] = []
        switch draft.body {
        case .form(let fields): signed = fields
        case .multipart where signsTextFields: signed = draft.texts
        default: break
        }
        let parameters = try parameters(draft.method, draft.fullURL, signed, in: scope)
        switch place {
        case .header:
            let realm = try realm?.text(in: scope)
            draft.headers.append(HTTPField("Authorization", Self.header(parameters, realm: realm)))
        case .query: draft.query += parameters
        case .form: for parameter in parameters { draft.addField(parameter.name, parameter.value) }
        }
    }

    /// Parameters of the protocol with the signature at the end.
    func parameters(
        _ verb: String,
        _ url: String,
        _ fields: [HTTPField],
        in scope: Scope
    ) throws(DeliveryFailure) -> [HTTPField] {
        var parameters = [
            HTTPField("oauth_consumer_key", try Authorization.needed(consumerKey, "consumer_key", in: scope))
        ]
        if let token = try token.text(in: scope) { parameters.append(HTTPField("oauth_token", token)) }
        parameters += [
            HTTPField("oauth_signature_method", method.rawValue),
            HTTPField("oauth_timestamp", String(scope.context.now)), HTTPField("oauth_nonce", scope.nonce),
            HTTPField("oauth_version", "1.0"),
        ]
        let key =
            TextCoding.percentEncoded(try consumerSecret.text(in: scope) ?? "") + "&"
            + TextCoding.percentEncoded(try tokenSecret.text(in: scope) ?? "")
        let text = Self.baseString(verb, url, parameters + fields)
        return parameters + [HTTPField("oauth_signature", signature(text, key: key))]
    }

    /// The signature over a base string.
    func signature(_ text: String, key: String) -> String {
        let bytes = Array(text.utf8)
        switch method {
        case .plain: return key
        case .sha1: return TextCoding.base64(Digests.hmac(.sha1, key: Array(key.utf8), bytes))
        case .sha256: return TextCoding.base64(Digests.hmac(.sha256, key: Array(key.utf8), bytes))
        }
    }

    /// Verb, URL and sorted parameters, RFC 5849 section 3.4.1.
    static func baseString(_ verb: String, _ url: String, _ fields: [HTTPField]) -> String {
        guard let address = WebAddress(url) else { return "" }
        let pairs = address.pairs.map { HTTPField($0.name, $0.value) } + fields
        let encoded = pairs.map { (TextCoding.percentEncoded($0.name), TextCoding.percentEncoded($0.value)) }
        let sorted = encoded.sorted { $0.0 == $1.0 ? ByteOrder.isLess($0.1, $1.1) : ByteOrder.isLess($0.0, $1.0) }
        let place = address.scheme + "://" + address.hostHeader + address.path
        let list = sorted.map { $0.0 + "=" + $0.1 }.joined(separator: "&")
        return [verb.uppercased(), place, list].map { TextCoding.percentEncoded($0) }.joined(separator: "&")
    }

    /// The value of an Authorization header, RFC 5849 section 3.5.1.
    static func header(_ parameters: [HTTPField], realm: String?) -> String {
        let pairs = parameters.map { $0.name + "=\"" + TextCoding.percentEncoded($0.value) + "\"" }
        let start = realm.map { ["realm=\"" + RequestProgram.headerText($0) + "\""] } ?? []
        return "OAuth " + (start + pairs).joined(separator: ", ")
    }
}

/// A signed request to a provider that the service repeats to learn who asks (OAuth Echo).
struct OAuthEcho: Sendable {
    var oauth: OAuth1
    /// URL that the service will ask; it is signed and never asked by us.
    var provider: Choice
    /// Form field that takes the signed URL; `nil` = two headers.
    var field: String?

    var variables: [Variable] { oauth.variables + provider.variables }

    /// Adds the signed request to a draft.
    func sign(_ draft: inout RequestDraft, in scope: Scope) throws(DeliveryFailure) {
        let url = try Authorization.needed(provider, "provider", in: scope)
        let parameters = try oauth.parameters("GET", url, [], in: scope)
        if let field {
            let joint = url.contains("?") ? "&" : "?"
            draft.addField(field, url + joint + RequestDraft.encoded(parameters))
            return
        }
        let header = OAuth1.header(parameters, realm: try oauth.realm?.text(in: scope))
        draft.headers += [
            HTTPField("X-Auth-Service-Provider", RequestProgram.headerText(url)),
            HTTPField("X-Verify-Credentials-Authorization", header),
        ]
    }
}

/// The order of bytes, which signatures sort by.
enum ByteOrder {
    /// True when the first text comes before the second.
    static func isLess(_ first: String, _ second: String) -> Bool {
        first.utf8.lexicographicallyPrecedes(second.utf8)
    }
}
