// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore

/// Keys of the `tests:` of an adapter.
enum AdapterTestFields {
    private static let texts = FieldType.shaped(.named(.one(.text)))

    /// One test.
    static let test = Section(
        "test of an adapter",
        [
            FieldSpec("name", .text, required: true, "What it shows"),
            FieldSpec("service", .shaped(.anything), "Settings and other keys, as under `services:`"),
            FieldSpec("options", texts, "Options of the upload"),
            FieldSpec("caption", .shaped(.keys(caption)), "What the client said"),
            FieldSpec("geotag", .shaped(.keys(geotag)), "Where the picture was taken"),
            FieldSpec("picture", .choice(MediaType.allCases.map(\.rawValue)), default: "jpeg", "Format of the picture"),
            FieldSpec(
                "session",
                texts,
                "Values of a session that is open already; without it the login is played, too"
            ),
            FieldSpec("now", .text, default: "1700000000", "Seconds since 1970"),
            FieldSpec("uuid", .text, default: "uuid", "The delivery's identifier"),
            FieldSpec("request", .shaped(.keys(request)), "What must go out; every part of it has to be named"),
            FieldSpec("reply", .shaped(.keys(reply)), "What the service answers"),
            FieldSpec(
                "exchanges",
                .shaped(.list(.keys(exchange))),
                "Several requests with their replies, in order, instead of request and reply"
            ),
            FieldSpec("result", .shaped(.keys(result)), "Links that must be read from it; the others must be absent"),
            FieldSpec("error", .shaped(.keys(failure)), "The failure that must be read from it"),
            FieldSpec(
                "delete",
                .shaped(.keys(request)),
                "The request that deletes the picture again; a DELETE if not said"
            ),
        ],
        "Items of `tests:`. Nothing is sent. The picture has the bytes `picture`, 640 by 480 pixels, and the name `picture.jpg`."
    )

    static let exchange = Section(
        "exchange of a test",
        [
            FieldSpec("request", .shaped(.keys(request)), "What must go out; absent = anything"),
            FieldSpec("reply", .shaped(.keys(reply)), "What the service answers; absent = 200 without a body"),
        ]
    )

    static let caption = Section(
        "caption of a test",
        [
            FieldSpec("title", .text, "Title"), FieldSpec("description", .text, "Description"),
            FieldSpec("message", .text, "Message"), FieldSpec("alt", .text, "Text for people who cannot see"),
            FieldSpec("tags", .shaped(.list(.one(.text))), "Tags"),
            FieldSpec("fields", texts, "Whatever else the client sent, by name"),
        ]
    )

    static let geotag = Section(
        "geotag of a test",
        [
            FieldSpec("latitude", .text, required: true, "Degrees, north positive"),
            FieldSpec("longitude", .text, required: true, "Degrees, east positive"),
            FieldSpec("altitude", .text, "Metres above the sea"),
        ]
    )

    static let request = Section(
        "request of a test",
        [
            FieldSpec("method", .text, default: "POST", "Method"),
            FieldSpec("url", .text, "The whole URL"),
            FieldSpec("headers", texts, "Header fields in order"),
            FieldSpec("fields", texts, "Text parts in order"),
            FieldSpec("file", .shaped(.keys(file)), "The picture's part"),
            FieldSpec("parts", .shaped(.list(.keys(part))), "All parts in order, instead of fields and file"),
            FieldSpec("body", .text, "The characters of any other body"),
            FieldSpec("raw", .choice(["file"]), "The word file: the body is the picture"),
            FieldSpec("store", .shaped(.keys(store)), "Where the picture is kept instead"),
            FieldSpec("error", .text, "Kind of the failure that forbids the request"),
        ]
    )

    static let file = Section(
        "file of a test",
        [
            FieldSpec("field", .text, required: true, "Form field"),
            FieldSpec("name", .text, default: "picture.jpg", "File name"),
            FieldSpec("type", .text, default: "image/jpeg", "Content-Type"),
        ]
    )

    static let part = Section(
        "part of a test",
        [
            FieldSpec("name", .text, "Form field"), FieldSpec("type", .text, "Content-Type"),
            FieldSpec("text", .text, "The text; absent = the picture"),
            FieldSpec("filename", .text, default: "picture.jpg", "File name of the picture"),
        ]
    )

    static let store = Section(
        "store of a test",
        [FieldSpec("folder", .text, "The folder"), FieldSpec("name", .text, "Name of the file in it")]
    )

    static let reply = Section(
        "reply of a test",
        [
            FieldSpec("status", .text, default: "200", "Status"), FieldSpec("headers", texts, "Header fields"),
            FieldSpec("body", .text, "The characters of the body"),
            FieldSpec("fails", .text, "Instead of a reply: dns, refused, tls, connectionLost, totalTimeout and so on"),
            FieldSpec("sent", .boolean, default: "true", "false where the whole request had not left"),
        ]
    )

    static let result = Section(
        "result of a test",
        [
            FieldSpec("link", .text, "The picture itself"), FieldSpec("page", .text, "A page that shows it"),
            FieldSpec("thumbnail", .text, "A small version"), FieldSpec("id", .text, "The service's name for it"),
            FieldSpec("delete_url", .text, "A page where a person can delete it"),
            FieldSpec("expires_at", .text, "When the link ends"),
            FieldSpec("visibility", .text, "public, private or expiring"),
            FieldSpec("links", texts, "Further links, by name"),
            FieldSpec("deletable", .boolean, default: "false", "true where it can be deleted"),
            FieldSpec("captures", texts, "Values of `save`, by name"),
        ]
    )

    static let failure = Section(
        "error of a test",
        [
            FieldSpec("kind", .text, required: true, "Kind of the failure"),
            FieldSpec("message", .text, "What the report says"),
            FieldSpec("retry", .text, default: "never", "never, retry, unknown, or `after 30s`"),
        ]
    )
}
