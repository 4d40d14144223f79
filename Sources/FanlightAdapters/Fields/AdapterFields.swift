// SPDX-License-Identifier: Apache-2.0

public import FanlightConfiguration
import FanlightCore

/// Every key of the adapter language, described once: checks, reference and schema all read these tables.
///
/// A key that is not here is refused; a new word of the language therefore begins here.
public enum AdapterFields {
    /// Keys of a service or catalogue entry that are about itself, not about its request.
    static let about: [FieldSpec] = [
        FieldSpec(
            "adapter",
            .text,
            default: "generic",
            "Catalogue entry that this one is based on; its keys are laid over that one's"
        ),
        FieldSpec("description", .text, "One sentence about it"),
        FieldSpec(
            "enabled",
            .choice(["true", "false", "auto"]),
            default: "true",
            "auto: off while a variable that it needs is unset"
        ),
        FieldSpec(
            "settings",
            .shaped(.named(.keys(setting))),
            "Values that operators give, by name; then `${setting.NAME}`"
        ),
        FieldSpec(
            "options",
            .shaped(.named(.keys(option))),
            "Values that one upload may override, by name; then `${option.NAME}`"
        ),
    ]

    /// Keys of one HTTP request.
    static let request: [FieldSpec] = [
        FieldSpec("url", value, "Where the request goes; what stands before the path comes from settings or replies"),
        FieldSpec(
            "method",
            .anyCase(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "MKCOL"]),
            "POST where not named; DELETE for deletions without a body"
        ),
        FieldSpec("query", values, "Parameters that are added to the URL"),
        FieldSpec("headers", values, "Header fields"),
        FieldSpec("auth", .shaped(authorization), "How the service is convinced; sent to declared hosts only"),
        FieldSpec(
            "file",
            .shaped(.either([choice, .keys(file.inheriting)])),
            "Form field of the picture; the body is then multipart/form-data"
        ),
        FieldSpec("fields", values, "Text parts of the multipart body, before the picture, in this order"),
        FieldSpec(
            "parts",
            .shaped(.list(.keys(part))),
            "Parts of a multipart/form-data body in this order, instead of file and fields"
        ),
        FieldSpec("related", .shaped(.list(.keys(part))), "Parts of a multipart/related body, in this order"),
        FieldSpec("form", values, "A URL-encoded body instead of a multipart one"),
        FieldSpec(
            "json",
            .shaped(.anything),
            "A JSON body; unquoted numbers, true, false and null are typed; `${file|base64}` is the picture"
        ),
        FieldSpec(
            "raw",
            .shaped(.either([.one(.choice(["file"])), .list(.either([.one(.choice(["file"])), .keys(piece)]))])),
            "The word file: the body is the picture itself; or a list of texts and file"
        ),
        FieldSpec(
            "redirects",
            .choice(["refuse", "same_origin"]),
            default: "refuse",
            "same_origin follows 307 and 308 to the same host"
        ),
    ]

    /// Keys about any reply.
    static let judging: [FieldSpec] = [
        FieldSpec("save", sourcesByName, "Values that are kept from the reply, by name; then `${NAME}`"),
        FieldSpec("ok", .shaped(.defined("test")), "When the reply is a success; absent = any status 200 to 299"),
        FieldSpec("error", .shaped(.keys(error)), "What a failure says"),
        FieldSpec("recover", .shaped(.list(.keys(recover))), "Failures that count as success"),
        FieldSpec("retry_after", .shaped(waiting), "How long the service wants to be left alone"),
        FieldSpec("rate_limit", .shaped(.keys(rateLimit)), "What the reply says about the rate"),
        FieldSpec(
            "retry_when",
            .shaped(.defined("test")),
            "Failures after which the request may be repeated; `network_error exists` = no complete reply came"
        ),
    ]

    /// Keys about the reply.
    static let reply: [FieldSpec] =
        judging + [
            FieldSpec("link", sources, "The picture itself; absent = looked for in the usual places"),
            FieldSpec("page", sources, "A page that shows it"),
            FieldSpec("thumbnail", sources, "A small version of it"),
            FieldSpec("id", sources, "The service's name for it"),
            FieldSpec("delete_url", sources, "A page where a person can delete it"),
            FieldSpec("expires_at", .shaped(waiting), "When the link ends; a unit of seconds counts from now"),
            FieldSpec("visibility", sources, "public, private or expiring"),
            FieldSpec("links", sourcesByName, "Further links, by name"),
        ]

    /// Who can see a delivered picture.
    static let visibilities = ["public", "private", "expiring"]

    /// Keys about what the service bears.
    static let bounds: [FieldSpec] = [
        FieldSpec(
            "store",
            .shaped(.keys(store.inheriting)),
            "Keeps the picture in a folder of the gateway instead of sending it"
        ),
        FieldSpec("base", value, "What URLs that begin with / are laid onto"),
        FieldSpec("hosts", hosts, "Further hosts that credentials may go to, such as *.example.org"),
        FieldSpec("steps", .shaped(.list(.keys(step))), "Several requests, one after another"),
        FieldSpec(
            "delete",
            .shaped(.keys(delete)),
            "The request that deletes a delivered picture; may use what was saved"
        ),
        FieldSpec("discover", .shaped(.keys(discover.inheriting)), "A request for the service's own limits"),
        FieldSpec("limits", .shaped(.keys(limits)), "What the service takes; the picture is prepared to fit"),
        FieldSpec("timeouts", .shaped(.keys(timeouts)), "Time limits of one attempt"),
        FieldSpec("deadline", .duration, default: "10m", "Time for all attempts together"),
        FieldSpec("retry", .shaped(.keys(retry)), "How often it is tried"),
        FieldSpec(
            "idempotent",
            .boolean,
            "true where a repeated request does no harm; GET, HEAD, PUT, DELETE and idempotency keys count so by themselves"
        ),
    ]

    /// Keys of a service that say how its pictures are made; absent = as under `image`.
    static let picture: [FieldSpec] = [
        FieldSpec("metadata", .choice(MetadataPolicy.allCases.map(\.rawValue)), "What stays in the file"),
        FieldSpec("quality", .integer(1...100), "JPEG and WebP quality where the picture is encoded again"),
        FieldSpec("format", .choice(["jpeg", "jpg", "png", "webp", "gif"]), "The one format to make"),
        FieldSpec("color", .choice(ColourPolicy.allCases.map(\.rawValue)), "Colours beyond sRGB"),
        FieldSpec("rotate", .choice(RotationPolicy.allCases.map(\.rawValue)), "How a sideways JPEG becomes upright"),
        FieldSpec("background", .colour, "What shows through transparency where the format has none"),
    ]

    /// Keys of a catalogue entry about where its facts come from.
    static let evidence: [FieldSpec] = [
        FieldSpec("sources", .shaped(.list(.keys(source))), "Where the facts come from"),
        FieldSpec("checked", .text, "Date of the last check"),
        FieldSpec("tier", .text, "How well it is known to work"),
        FieldSpec(
            "tests",
            .shaped(.list(.keys(AdapterTestFields.test))),
            "What goes out for an upload, and what a reply means"
        ),
    ]

    /// A service of config.yaml; its adapter's settings and options are plain keys beside these.
    public static let service = Section(
        "service",
        about + evidence + request + reply + bounds + delivery + picture,
        "Keys of a service under `services:`, and of an entry under `adapters:`. The settings and options that its adapter declares are plain keys beside them."
    )

    /// An adapter: a file of the catalogue, or an entry under `adapters:`.
    public static let adapter = Section(
        "adapter",
        about + evidence + request + reply + bounds + delivery + picture,
        "Keys of an adapter: a file of the catalogue or of `adapter_files:`, or an entry under `adapters:`."
    )

    /// Keys of one step.
    static let step = Section(
        "step",
        [
            FieldSpec("id", .text, "Name of the step; `${ID.status}` is the status of its reply later"),
            FieldSpec("when", .shaped(.defined("test")), "The step is left out unless this holds"),
            FieldSpec("optional", .boolean, default: "false", "true where its failure fails nothing"),
            FieldSpec("allow_hosts", hosts, "Hosts that a URL out of a reply may have"),
        ] + request + judging + [
            FieldSpec("attempts", .integer(1...20), default: "1", "Requests before the step counts as failed"),
            FieldSpec("backoff", .duration, default: "1s", "Wait before the second one; doubles each time"),
            FieldSpec("poll", .shaped(.keys(poll)), "Repeats the request until the service has finished"),
            FieldSpec("restart", .shaped(.keys(restart)), "Goes back to an earlier step after a failure"),
            FieldSpec("idempotent", .boolean, "true where a repeated request does no harm"),
        ],
        "Items of `steps:` and of `login:`. What a step saves, those after it can name. What it does not say about `ok`, `error`, `retry_after` and `rate_limit`, the service says."
    )

    /// One of several places.
    static let found = Section(
        "place",
        [
            FieldSpec("when", .shaped(.defined("test")), "The test that chooses it; absent = always"),
            FieldSpec("value", .shaped(.defined("extractor")), required: true, "Where the value stands"),
        ],
        "Items of a list of places that depend on a test."
    )

    /// A list of hosts.
    static let hosts = FieldType.shaped(.either([.one(.text), .list(.one(.text))]))

    /// Names of picture formats, as written.
    static let formatNames = MediaType.allCases.map(\.rawValue) + ["jpg", "tif", "heif"]

    /// Text with templates, or a list of alternatives.
    static let choice = Shape.either([.defined("template"), .list(.keys(alternative))])
    /// One value of a request.
    static let value = FieldType.shaped(choice)
    /// Values of a request by name.
    static let values = FieldType.shaped(.named(choice))
    /// Where a value of the reply is found.
    static let sourceShape = Shape.either([
        .defined("extractor"), .list(.either([.defined("extractor"), .keys(found)])),
    ])
    /// Where a value of the reply is found.
    static let sources = FieldType.shaped(sourceShape)
    /// Values of the reply by name.
    static let sourcesByName = FieldType.shaped(.named(sourceShape))
    /// A wait: an extractor, or one with its unit.
    static let waiting = Shape.either([sourceShape, .keys(wait)])
    /// The word of a kind whose values all come from settings, or one of the kinds.
    static let authorization = Shape.either([.one(.choice(plainAuth))] + auth.map { .keys($0.section.inheriting) })
    /// Kinds that need nothing beside their word.
    private static let plainAuth = auth.filter { kind in
        kind.section.fields.allSatisfy { !$0.isRequired || $0.name == "type" }
    }.map(\.type)
}
