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

    /// One part of a multipart body.
    static let part = Section(
        "part",
        [
            FieldSpec("name", .shaped(choice), "Form field; parts of `related` have none"),
            FieldSpec("text", .shaped(choice), "Text; the part is not sent where it is absent"),
            FieldSpec("json", .shaped(.anything), "JSON, of type application/json"),
            FieldSpec("file", .choice(["file"]), "The word file: the picture"),
            FieldSpec("filename", .shaped(.defined("template")), default: "${file.name}", "File name of the picture"),
            FieldSpec("type", .shaped(choice), "Content-Type of the part"),
            FieldSpec("when", .shaped(.defined("test")), "The part is left out unless this holds"),
        ],
        "Items of `parts:` and `related:`; each has one of text, json and file."
    )

    /// One stretch of a raw body.
    static let piece = Section("piece", [FieldSpec("text", .shaped(choice), required: true, "Text as it is")])

    /// A failure that counts as success.
    static let recover = Section(
        "recover",
        [
            FieldSpec("when", .shaped(.defined("test")), required: true, "Which failure"),
            FieldSpec(
                "as",
                .choice(["duplicate", "delivered"]),
                default: "delivered",
                "What `${recovered}` is afterwards"
            ),
            FieldSpec("save", sourcesByName, "Values that are kept, instead of the step's"),
            FieldSpec("link", sources, "The picture itself"), FieldSpec("page", sources, "A page that shows it"),
        ],
        "Such as a picture that is there already; the first rule whose test holds counts."
    )

    /// A request that is repeated.
    static let poll = Section(
        "poll",
        [
            FieldSpec("until", .shaped(.defined("test")), required: true, "The service has finished"),
            FieldSpec("pending", .shaped(.defined("test")), "It has not; absent = any status 200 to 299"),
            FieldSpec("fail", .shaped(.defined("test")), "It gave up"),
            FieldSpec(
                "every",
                .shaped(.either([.one(.duration), .keys(interval)])),
                default: "1s",
                "Time between two"
            ),
            FieldSpec(
                "grow",
                .formed(pattern: #"\+?[0-9.]+([eE][-+]?[0-9]+)?"#, least: 1),
                default: "1",
                "Factor by which that time grows, 1 to 10"
            ),
            FieldSpec("deadline", .duration, default: "60s", "Time for all of them together"),
        ]
    )

    /// A time that the reply may name.
    static let interval = Section(
        "interval",
        [
            FieldSpec("from", sources, required: true, "Where the number stands"),
            FieldSpec("unit", .choice(WaitRule.Unit.allCases.map(\.rawValue)), default: "seconds", "What it counts"),
            FieldSpec("default", .duration, default: "1s", "Where the reply does not say it"),
        ]
    )

    /// Going back.
    static let restart = Section(
        "restart",
        [
            FieldSpec("at", .text, required: true, "Id of the step to go back to"),
            FieldSpec("when", .shaped(.defined("test")), required: true, "After which failures"),
        ]
    )

    /// A request for limits.
    static let discover = Section(
        "discover",
        [
            FieldSpec("url", value, required: true, "Where the request goes"),
            FieldSpec("query", values, "Parameters that are added to the URL"),
            FieldSpec("headers", values, "Header fields"),
            FieldSpec("auth", .shaped(authorization), "Instead of the service's"),
            FieldSpec("cache", .duration, default: "24h", "How long the answer is used"),
            FieldSpec("limits", .shaped(.keys(discovered)), required: true, "Where the answer has them"),
        ]
    )

    /// Limits that a service tells.
    static let discovered = Section(
        "discovered limits",
        [
            FieldSpec("bytes", sources, "Bytes of the file"), FieldSpec("edge", sources, "Longer side in pixels"),
            FieldSpec("pixels", sources, "Width times height"), FieldSpec("frames", sources, "Frames of an animation"),
            FieldSpec("mime", sources, "Types that are taken, such as image/png"),
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
            FieldSpec(
                "unit",
                .choice(WaitRule.Unit.allCases.map(\.rawValue)),
                default: "seconds",
                "What it counts; unix, unix_ms and timestamp are points in time"
            ),
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
        request.filter { !["file", "parts", "related", "raw"].contains($0.name) } + [
            FieldSpec("allow_hosts", hosts, "Hosts that a URL out of a reply may have"),
            FieldSpec("ok", .shaped(.defined("test")), "When the picture counts as deleted, besides 404 and 410"),
            FieldSpec("error", .shaped(.keys(error)), "What a failure says, instead of the service's"),
        ]
    )

    /// What the service takes.
    static let limits = Section(
        "limits",
        [
            FieldSpec("bytes", .someBytes, "Bytes of the file"),
            FieldSpec("edge", .integer(1...Int.max), "Longer side in pixels"),
            FieldSpec("pixels", .pixelCount, "Width times height"),
            FieldSpec(
                "formats",
                .shaped(.either([.one(.choice(formatNames)), .list(.one(.choice(formatNames)))])),
                "Formats, best first"
            ),
            FieldSpec("frames", .integer(1...Int.max), "Frames of an animation"),
            FieldSpec("text", .shaped(.keys(texts)), "Longest texts; more is cut off"),
            FieldSpec("rate", .rate, "Deliveries in a period"),
            FieldSpec("concurrency", .integer(1...Int.max), "Deliveries at the same time"),
        ]
    )

    /// A number with or without its unit.
    private static let textLimit = FieldType.formed(
        pattern: #" *\+?0*[1-9][0-9]*( +(\#(TextUnit.words.joined(separator: "|"))))? *"#,
        least: 1
    )

    /// Longest texts.
    static let texts = Section(
        "text limits",
        ["title", "description", "message", "alt"].map { name in
            FieldSpec(name, textLimit, "Longest `\(name)`, such as 500, `300 graphemes`, `280 utf16`, `1000 bytes`")
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
