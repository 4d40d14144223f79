// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration

extension AdapterFields {
    /// Ways to convince a service, by the word in `type`.
    static let auth: [(type: String, section: Section)] = [
        kind("none", "No credentials", []),
        kind(
            "basic",
            "HTTP Basic",
            [
                FieldSpec("username", value, required: true, "Name of the account"),
                FieldSpec("password", value, required: true, "Its password"),
            ]
        ),
        kind("bearer", "A bearer token", [FieldSpec("token", value, required: true, "The token")]),
        kind(
            "header",
            "A header of any name",
            [
                FieldSpec("name", .text, default: "Authorization", "Name of the header"),
                FieldSpec("value", value, required: true, "What it holds"),
            ]
        ),
        kind("query", "A parameter of the URL", nameAndValue("parameter")),
        kind("form", "A field of the body", nameAndValue("field")),
        kind(
            "digest",
            "HTTP Digest, RFC 7616",
            [
                FieldSpec("username", value, required: true, "Name of the account"),
                FieldSpec("password", value, required: true, "Its password"),
            ]
        ),
        kind("oauth1", "Signatures of OAuth 1.0a, RFC 5849", oauth1),
        kind("oauth1_echo", "A signed request to somebody else, which the service repeats to learn who asks", echo),
        kind("oauth2", "A token that is renewed, RFC 6749", oauth2),
        kind("session", "A login whose values the requests use", session),
        kind("aws_sigv4", "Signature version 4 of Amazon and of compatible stores", aws),
        kind(
            "azure_sharedkey",
            "Shared Key signatures of Azure Storage",
            [credential("account", "Storage account"), credential("key", "Its key in base64")]
        ),
        kind("signed_params", "A hash over the sorted fields and a secret", signed),
    ]

    private static func credential(_ name: String, _ text: String) -> FieldSpec {
        FieldSpec(name, value, default: "${setting.\(name)}", text)
    }

    private static let owner = [
        credential("consumer_key", "Key of the application"),
        credential("consumer_secret", "Secret of the application"), credential("token", "Token of the account"),
        credential("token_secret", "Secret of the account"),
    ]
    private static let signature = FieldSpec(
        "signature",
        .choice(OAuth1.Method.allCases.map(\.rawValue)),
        default: "HMAC-SHA1",
        "How it is signed"
    )

    private static let oauth1 =
        owner + [
            FieldSpec("place", .choice(OAuth1.Place.allCases.map(\.rawValue)), default: "header", "Where it is put"),
            FieldSpec(
                "sign",
                .choice(["form", "text_fields"]),
                default: "form",
                "Which fields are signed: those of a URL-encoded body, or also the text parts of a multipart one"
            ),
            FieldSpec("realm", value, "Realm of the header"), signature,
        ]

    private static let echo =
        owner + [
            FieldSpec("provider", value, required: true, "URL that the service will ask"),
            FieldSpec("realm", value, "Realm of the signature"),
            FieldSpec("field", .text, "Form field that takes the signed URL; absent = two headers"), signature,
        ]

    private static let renewal = FieldSpec(
        "renew_when",
        .shaped(.defined("test")),
        default: "status == 401",
        "Replies after which a new one is got and the request is repeated once"
    )

    private static let oauth2 = [
        FieldSpec("token_url", value, required: true, "Where tokens are got"),
        FieldSpec(
            "grant",
            .choice(["refresh_token", "client_credentials", "password"]),
            default: "refresh_token",
            "How they are got"
        ),
        credential("client_id", "Identifier of the application"),
        credential("client_secret", "Secret of the application"),
        credential("refresh_token", "First refresh token; newer ones are kept in the state folder"),
        credential("username", "Account, for the grant password"), credential("password", "Its password"),
        FieldSpec("scope", value, "Scope that is asked for"),
        FieldSpec("client_auth", .choice(["form", "basic"]), default: "form", "Where the client's secret travels"),
        FieldSpec("extra", values, "Further fields of the request"),
        FieldSpec("use", usage, default: "Bearer ${session.access_token}", "Header of every request"),
        FieldSpec("ttl", .duration, "How long a token is used where the reply does not say it"),
        FieldSpec("login_rate", .rate, "Requests for a token in a period"), renewal,
    ]

    private static let session = [
        FieldSpec(
            "login",
            .shaped(.either([.defined("step"), .list(.defined("step"))])),
            required: true,
            "Requests that open the session; what they save is `${session.NAME}` later"
        ),
        FieldSpec("use", usage, "Header of every request"),
        FieldSpec("cookies", .boolean, default: "false", "true where cookies of the login go along"),
        FieldSpec("ttl", .duration, "How long it is used; absent = until the service refuses it"),
        FieldSpec("login_rate", .rate, "Logins in a period"), renewal,
    ]

    private static let usage = FieldType.shaped(.either([choice, .keys(use)]))

    /// The header in which a session travels.
    static let use = Section(
        "use",
        [
            FieldSpec("name", .text, default: "Authorization", "Name of the header"),
            FieldSpec("value", value, required: true, "What it holds"),
        ]
    )

    private static let aws = [
        FieldSpec("service", .text, required: true, "Name of the service in the signature"),
        FieldSpec("region", value, default: "${setting.region}", "Region in the signature"),
        credential("access_key", "Access key"), credential("secret_key", "Secret key"),
        FieldSpec("session_token", value, "Token of temporary credentials"),
        FieldSpec(
            "payload",
            .choice(["signed", "unsigned"]),
            default: "signed",
            "Whether the hash of the body is part of the signature"
        ),
        FieldSpec(
            "path_encoding",
            .choice(["once", "twice"]),
            default: "once",
            "How the path is signed: object stores encode it once, Amazon's other services twice"
        ),
    ]

    private static let signed = [
        FieldSpec("algorithm", .choice(DigestKind.allCases.map(\.rawValue)), default: "sha1", "The hash"),
        FieldSpec("secret", value, default: "${setting.secret}", "The secret"),
        FieldSpec("position", .choice(["prefix", "suffix"]), default: "suffix", "Where the secret stands"),
        FieldSpec("exclude", .texts, "Fields that are not signed"),
        FieldSpec("escape", .shaped(.named(.one(.text))), "Characters of values, with what stands for them"),
        FieldSpec("joiner", .text, default: "=", "Between name and value"),
        FieldSpec("separator", .text, default: "&", "Between pairs"),
        FieldSpec("into", .text, default: "signature", "Field that takes the hash"),
    ]

    /// Keys of one kind; `nil` when there is no such kind.
    static func authSection(_ type: String) -> Section? { auth.first { $0.type == type }?.section }

    private static func kind(_ type: String, _ text: String, _ fields: [FieldSpec]) -> (type: String, section: Section)
    {
        let word = FieldSpec("type", .choice([type]), required: true, text)
        let places = FieldSpec("hosts", hosts, "Further hosts that the credentials may go to")
        return (type, Section("auth of type \(type)", [word] + fields + [places]))
    }

    private static func nameAndValue(_ what: String) -> [FieldSpec] {
        [
            FieldSpec("name", .text, required: true, "Name of the \(what)"),
            FieldSpec("value", value, required: true, "What it holds"),
        ]
    }
}
