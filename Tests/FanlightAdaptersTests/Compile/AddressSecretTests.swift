// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@testable import FanlightAdapters

/// A URL with a value from outside, and what a service that says it back may show.
struct AddressRow: Sendable, CustomTestStringConvertible {
    var url: String
    var variables: [String: String] = [:]
    var files: [String: String] = [:]
    /// Text that no message may hold.
    var hidden: [String]
    /// Text of the reply that stays.
    var shown: [String] = ["host.example"]
    /// Links with it are refused.
    var refused: [String] = []
    var accepted: [String] = ["https://host.example/i/a.jpg", "https://cdn.host.example/a.jpg"]
    var testDescription: String { url }
}

@Suite struct AddressSecretTests {
    static let token = "tok-9f8e7d6c"

    static let rows: [AddressRow] = [
        .init(
            url: "https://host.example/webhooks/1/${file:tok}",
            files: ["tok": token],
            hidden: [token],
            shown: ["host.example/webhooks/1/"],
            refused: ["https://host.example/a?x=\(token)"]
        ),
        .init(
            url: "https://host.example/up?t=${env:TOK}&a=b",
            variables: ["TOK": "tok7"],
            hidden: ["tok7"],
            shown: ["host.example/up?t=", "a=b"],
            refused: ["https://host.example/a/tok7"]
        ),
        .init(
            url: "${env:URL}",
            variables: ["URL": "https://host.example/hooks/7/\(token)?thread=12&key=abcd5"],
            hidden: [token, "abcd5", "/hooks/7/"],
            refused: ["https://host.example/\(token)", "https://host.example/a?key=abcd5"]
        ),
        .init(
            url: "${file:u}",
            files: ["u": "https://host.example/wp-content/pictures"],
            hidden: ["wp-content/pictures", "https://host.example/wp-content"],
            accepted: ["https://host.example/wp-content/pictures/a.jpg", "https://host.example/b.jpg"]
        ),
        .init(url: "${env:URL}/up", variables: ["URL": "https://host.example"], hidden: [], shown: ["host.example/up"]),
        .init(
            url: "https://${env:HOST}/up/${env:TOK}",
            variables: ["HOST": "host.example", "TOK": "abc123"],
            hidden: ["abc123"],
            shown: ["host.example/up/"]
        ),
        .init(
            url: "https://host.example/v1/${env:CLOUD}/upload",
            variables: ["CLOUD": "meadows"],
            hidden: ["meadows"],
            accepted: ["https://host.example/meadows/a.jpg"]
        ),
    ]

    @Test(arguments: rows)
    func valuesInAddressesStayHidden(_ row: AddressRow) throws {
        let (compiled, messages) = Fixtures.compile(
            "host: {url: '\(row.url)', file: file, link: $.url, error: {message: text}}",
            environment: row.variables,
            files: row.files
        )
        #expect(messages == [])
        let service = try #require(compiled)
        let url = try #require(Fixtures.request(service)?.url)
        let percent = url.split(separator: "/").joined(separator: "%2F")
        for text in ["no picture at \(url)", "no \(url.dropFirst(21)) at host.example", "host.example: \(percent)"] {
            let outcome = Fixtures.outcome(service, Fixtures.reply(text, status: 400))
            guard case .failure(let failure)? = outcome else {
                Issue.record("no failure")
                continue
            }
            let explained = service.redacted(text, Fixtures.context())
            for word in row.hidden {
                #expect(!failure.message.contains(word), "\(failure.message)")
                #expect(!explained.contains(word), "\(explained)")
            }
        }
        let told = service.redacted("host.example: host.example\(url.dropFirst(20))", Fixtures.context())
        for word in row.shown { #expect(told.contains(word), "\(told)") }
        for link in row.refused { #expect(Self.link(service, link) == nil, "\(link)") }
        for link in row.accepted { #expect(Self.link(service, link) == link) }
    }

    private static func link(_ service: CompiledService, _ link: String) -> String? {
        let body = JSONValue.object([JSONValue.Member("url", .string(link))]).serialized()
        return (try? Fixtures.outcome(service, Fixtures.reply(body))?.get())?.link
    }

    static let places = [
        "{base: 'https://host.example/${file:t}/', url: /up, file: file, link: $.url}",
        "{steps: [{url: 'https://host.example/a/${file:t}', json: {}}], link: $.url}",
        "{url: 'https://host.example/up', file: file, link: $.url, delete: {url: 'https://host.example/x?k=${file:t}'}}",
        """
        {url: 'https://host.example/up', file: file, link: $.url,
         auth: {type: session, login: {url: 'https://host.example/in/${file:t}', save: {s: $.s}}, use: 'Bearer ${session.s}'}}
        """,
        """
        {url: 'https://host.example/up', file: file, link: $.url,
         auth: {type: session, login: {url: 'https://host.example/in', save: {s: $.s}}, use: '${file:t} ${session.s}'}}
        """,
    ]

    @Test("Every URL of a description counts", arguments: places)
    func everyPlaceCounts(_ description: String) throws {
        let (compiled, messages) = Fixtures.compile("host: \(description)", files: ["t": Self.token])
        #expect(messages == [])
        let service = try #require(compiled)
        #expect(service.redacted("<\(Self.token)>", Fixtures.context()) == "<***>")
    }

    @Test(
        "What a setting or an option gets from outside is kept from messages, secret or not, and not from links",
        arguments: ["settings", "options"],
        ["${env:V}", "${file:v}", "a ${env:V}"]
    )
    func settings(_ kind: String, value: String) throws {
        let token = "tok-9f8e7d6c"
        let name = kind == "settings" ? "setting.pw" : "option.pw"
        let adapter =
            "{url: 'https://host.example/up', fields: {x: '${\(name)}'}, link: $.url, \(kind): {pw: {type: text}}}"
        let inService = "host: \(adapter.dropLast()), pw: '\(value)'}"
        let asDefault = "host: " + adapter.replacing("{type: text}", with: "{type: text, default: '\(value)'}")
        for text in [inService, asDefault] {
            let (compiled, messages) = Fixtures.compile(text, environment: ["V": token], files: ["v": token])
            #expect(messages == [])
            let service = try #require(compiled)
            #expect(service.redacted("<\(token)>", Fixtures.context()) == "<***>")
            let link = "https://host.example/\(token).jpg"
            let links = service.links(
                ReplyDocument(Fixtures.reply(#"{"url": "\#(link)"}"#)),
                service.scope(Fixtures.context())
            )
            #expect(try links.get().link == link)
        }
    }

    @Test("Numbers and choices from variables stay readable; short texts are masked only where they stand alone")
    func words() throws {
        let text = """
            host:
              url: https://host.example/up
              fields: {b: '${setting.branch}', n: '${setting.size}', m: '${option.mode}'}
              link: $.url
              settings: {branch: {type: text}, size: {type: int}}
              options: {mode: {values: [quick, slow]}}
              branch: ${env:B}
              size: ${env:N}
              mode: ${env:M}
            """
        let environment = ["B": "main", "N": "1234567890", "M": "quick"]
        let (compiled, messages) = Fixtures.compile(text, environment: environment)
        #expect(messages == [])
        let told = try #require(compiled).redaction.cleaned("maintain domain quick 1234567890: main")
        #expect(told == "maintain domain quick 1234567890: ***")
    }

    @Test(
        "Links may hold words and years, and the names of buckets, from outside",
        arguments: [
            ("flag", "True"), ("mode", "oauth"), ("year", "2026"), ("bucket", "holiday-album"), ("region", "eu-1"),
        ]
    )
    func harmless(name: String, value: String) throws {
        let text = "host: {url: 'https://host.example/up', fields: {\(name): '${env:V}'}, link: $.url}"
        let (compiled, messages) = Fixtures.compile(text, environment: ["V": value])
        #expect(messages == [])
        let service = try #require(compiled)
        let link = "https://host.example/\(value)/p.jpg"
        let reply = ReplyDocument(Fixtures.reply(#"{"url": "\#(link)"}"#))
        #expect(try service.links(reply, service.scope(Fixtures.context())).get().link == link)
    }
}
