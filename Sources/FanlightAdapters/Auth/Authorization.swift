// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// How a service wants to be convinced.
enum Authorization: Sendable {
    case none
    case basic(username: Choice, password: Choice)
    case digest(DigestAuthentication)
    case bearer(Choice)
    case header(name: String, Choice)
    case query(name: String, Choice)
    case form(name: String, Choice)
    case oauth1(OAuth1)
    case echo(OAuthEcho)
    case aws(AWSSignature)
    case azure(AzureSharedKey)
    case signedParameters(SignedParameters)

    /// Every variable that is named.
    var variables: [Variable] {
        switch self {
        case .none: []
        case .basic(let username, let password): username.variables + password.variables
        case .digest(let digest): digest.username.variables + digest.password.variables
        case .bearer(let value), .header(_, let value), .query(_, let value), .form(_, let value): value.variables
        case .oauth1(let oauth): oauth.variables
        case .echo(let echo): echo.variables
        case .aws(let aws): aws.variables
        case .azure(let azure): azure.variables
        case .signedParameters(let signed): signed.secret.variables
        }
    }

    /// Puts credentials into the head.
    func addHeader(to draft: inout RequestDraft, in scope: Scope) throws(DeliveryFailure) {
        switch self {
        case .basic(let username, let password):
            let name = try username.text(in: scope)
            let word = try password.text(in: scope)
            // Where an account is optional, no account means no credentials.
            guard name != nil || word != nil else { return }
            let pair = (name ?? "") + ":" + (word ?? "")
            draft.headers.append(HTTPField("Authorization", "Basic " + TextCoding.base64(Array(pair.utf8))))
        case .bearer(let token):
            if let text = try token.text(in: scope) {
                draft.headers.append(HTTPField("Authorization", "Bearer " + RequestProgram.headerText(text)))
            }
        case .header(let name, let value):
            if let text = try value.text(in: scope) {
                draft.headers.append(HTTPField(name, RequestProgram.headerText(text)))
            }
        default: break
        }
    }

    /// Puts credentials, or a signature over the parts, into a draft whose body is filled.
    func addFields(to draft: inout RequestDraft, in scope: Scope) throws(DeliveryFailure) {
        switch self {
        case .query(let name, let value):
            if let text = try value.text(in: scope) { draft.query.append(HTTPField(name, text)) }
        case .form(let name, let value):
            if let text = try value.text(in: scope) { draft.addField(name, text) }
        case .oauth1(let oauth): try oauth.sign(&draft, in: scope)
        case .echo(let echo): try echo.sign(&draft, in: scope)
        case .signedParameters(let signed): try signed.sign(&draft, in: scope)
        default: break
        }
    }

    /// Signs a request whose bytes are known.
    func sign(_ request: inout HTTPRequest, in scope: Scope) throws(DeliveryFailure) {
        switch self {
        case .digest(let digest): try digest.sign(&request, in: scope)
        case .aws(let aws): try aws.sign(&request, in: scope)
        case .azure(let azure): try azure.sign(&request, in: scope)
        default: break
        }
    }

    /// A value that a signature cannot do without.
    static func needed(_ value: Choice, _ name: String, in scope: Scope) throws(DeliveryFailure) -> String {
        if let text = try value.text(in: scope), !text.isEmpty { return text }
        if scope.showsPlaceholders { return "${\(name)}" }
        throw DeliveryFailure(kind: .auth, message: "\(scope.service) needs \(name) for its signature")
    }
}
