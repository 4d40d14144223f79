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
    ]

    /// Keys of one kind; `nil` when there is no such kind.
    static func authSection(_ type: String) -> Section? { auth.first { $0.type == type }?.section }

    private static func kind(_ type: String, _ text: String, _ fields: [FieldSpec]) -> (type: String, section: Section)
    {
        let word = FieldSpec("type", .choice([type]), required: true, text)
        return (type, Section("auth of type \(type)", [word] + fields))
    }

    private static func nameAndValue(_ what: String) -> [FieldSpec] {
        [
            FieldSpec("name", .text, required: true, "Name of the \(what)"),
            FieldSpec("value", value, required: true, "What it holds"),
        ]
    }
}

extension AdapterFields {
    /// Sections that other sections lead to, in the order of the reference.
    static var parts: [Section] {
        [setting, option, alternative, file] + auth.map(\.section) + [
            error, wait, rateLimit, limits, texts, timeouts, retry, store, delete, source,
        ]
    }
}

extension AdapterTestFields {
    /// Sections of tests, in the order of the reference.
    static var parts: [Section] { [test, caption, geotag, request, file, store, reply, result, failure] }
}
