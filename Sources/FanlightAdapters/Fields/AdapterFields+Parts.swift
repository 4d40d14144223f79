// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore

extension AdapterFields {
    private static let valueTypes = ["text", "int", "bool", "url"]

    /// Declaration of a setting.
    static let setting = Section(
        "setting",
        [
            FieldSpec("type", .choice(valueTypes), default: "text", "What it takes"),
            FieldSpec("secret", .boolean, default: "false", "true where nobody may see it"),
            FieldSpec("required", .boolean, default: "false", "true where the service cannot work without it"),
            FieldSpec("default", .text, "Its value where none is given"),
            FieldSpec("description", .text, "One sentence for operators"),
            FieldSpec("values", .shaped(.list(.one(.text))), "The only values that it takes"),
        ]
    )

    /// Declaration of an option.
    static let option = Section(
        "option",
        [
            FieldSpec("type", .choice(valueTypes), default: "text", "What it takes"),
            FieldSpec("default", .shaped(.defined("template")), "Its value where an upload gives none"),
            FieldSpec("description", .text, "One sentence for clients"),
            FieldSpec("values", .shaped(.list(.one(.text))), "The only values that it takes"),
        ]
    )

    /// A fact of a catalogue entry.
    static let source = Section(
        "source",
        [
            FieldSpec("fact", .text, required: true, "What is known"),
            FieldSpec("from", .text, "Page, program or file that says so"),
            FieldSpec("date", .text, required: true, "Day on which it was read"),
        ]
    )

    /// One of several values.
    static let alternative = Section(
        "alternative",
        [
            FieldSpec("when", .shaped(.defined("test")), "The test that chooses it; absent = always"),
            FieldSpec("value", .shaped(.defined("template")), required: true, "The value"),
        ],
        "Items of a list of alternatives; the first whose test holds counts."
    )

    /// The picture's part of a form.
    static let file = Section(
        "file",
        [
            FieldSpec("field", .shaped(choice), required: true, "Form field"),
            FieldSpec("name", .shaped(.defined("template")), "File name"),
            FieldSpec("type", .shaped(.defined("template")), "Content-Type of the part"),
        ]
    )

    /// What a failure says.
    static let error = Section(
        "error",
        [
            FieldSpec("message", sources, "The service's own words"),
            FieldSpec("code", sources, "The service's own code"),
            FieldSpec(
                "kinds",
                .shaped(.named(.one(.choice(ErrorKind.allCases.map(\.rawValue))))),
                "Kind of failure by code, status, or `~` and a pattern for the message"
            ),
        ]
    )

    /// A wait with its unit.
    static let wait = Section(
        "wait",
        [
            FieldSpec("from", sources, required: true, "Where the number stands"),
            FieldSpec("unit", .choice(["seconds", "milliseconds", "minutes"]), default: "seconds", "What it counts"),
        ]
    )

    /// What a reply says about the rate.
    static let rateLimit = Section(
        "rate_limit",
        [
            FieldSpec("remaining", sources, "Requests that are left"),
            FieldSpec("reset", .shaped(waiting), "When there are more"),
        ]
    )

    /// A folder of the gateway.
    static let store = Section(
        "store",
        [
            FieldSpec("folder", .shaped(.defined("template")), required: true, "The folder; from settings only"),
            FieldSpec("name", .shaped(.defined("template")), required: true, "Name of the file in it"),
        ]
    )

    /// The request that deletes.
    static let delete = Section(
        "delete",
        request + [FieldSpec("ok", .shaped(.defined("test")), "When the picture counts as deleted")]
    )

    /// What the service takes.
    static let limits = Section(
        "limits",
        [
            FieldSpec("bytes", .byteSize, "Bytes of the file"),
            FieldSpec("edge", .integer(1...Int.max), "Longer side in pixels"),
            FieldSpec("pixels", .pixelCount, "Width times height"),
            FieldSpec(
                "formats",
                .shaped(.either([.one(.choice(formatNames)), .list(.one(.choice(formatNames)))])),
                "Formats, best first"
            ),
            FieldSpec("frames", .integer(1...Int.max), "Frames of an animation"),
            FieldSpec("text", .shaped(.keys(texts)), "Longest texts, in characters"),
            FieldSpec("rate", .rate, "Deliveries in a period"),
            FieldSpec("concurrency", .integer(1...Int.max), "Deliveries at the same time"),
        ]
    )

    /// Longest texts.
    static let texts = Section(
        "text limits",
        ["title", "description", "message", "alt"].map { name in
            FieldSpec(name, .integer(1...Int.max), "Longest `\(name)`; more is cut off")
        }
    )

    /// Time limits of one attempt.
    static let timeouts = Section(
        "timeouts",
        [
            FieldSpec("connect", .duration, default: "10s", "Until the connection stands"),
            FieldSpec("stall", .duration, default: "30s", "Without a byte in either direction"),
            FieldSpec("total", .duration, default: "2m", "The whole attempt"),
        ]
    )

    /// How often it is tried.
    static let retry = Section(
        "retry",
        [FieldSpec("attempts", .integer(1...20), default: "4", "Most attempts of one delivery")]
    )
}
