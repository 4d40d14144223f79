// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore
import Testing

/// A service with one mistake and the finding about it.
struct MistakeRow: Sendable, CustomTestStringConvertible {
    var text: String
    var place: String
    var message: String
    var testDescription: String { message }

    init(_ text: String, _ place: String, _ message: String) {
        self.text = text
        self.place = place
        self.message = message
    }
}

@Suite struct DiagnosticsTests {
    static let rows: [MistakeRow] = [
        .init(
            "h:\n  url: https://a.example/\n  feilds: {a: b}",
            "3:3",
            "unknown key 'feilds' in the service 'h'; did you mean 'fields'?"
        ),
        .init("h: {adapter: imgr}", "1:14", "unknown adapter 'imgr'; did you mean 'imgur'?"),
        .init(
            "h: {adapter: imgur}",
            "1:4",
            "the service 'h' needs 'client_id' (Client-ID of the registered application)"
        ),
        .init(
            "h: {adapter: imgur, clientid: x, client_id: y}",
            "1:21",
            "unknown key 'clientid' in the service 'h'; did you mean 'client_id'?"
        ),
        .init(
            "h:\n  adapter: imgur\n  client_id: \"${env:NAME\"",
            "3:14",
            "'${env:' is not closed with '}'"
        ),
        .init("h: {adapter: imgur, client_id: ''}", "1:32", "the service 'h' needs 'client_id' (Client-ID of the"),
        .init("h: {adapter: imgur, client_id: '${env:UNSET:-}'}", "1:32", "the service 'h' needs 'client_id'"),
        .init(
            "h: {url: 'https://a.example/', fields: {t: '${env:NOPE:-${env:OTHER}}'}}",
            "1:44",
            "a default after ':-' is plain text; references do not nest"
        ),
        .init("h: {adapter: local, folder: ''}", "1:29", "the folder of the service 'h' has no name"),
        .init("h: {adapter: local, folder: ' '}", "1:29", "the folder of the service 'h' has no name"),
        .init("h: {title: x}", "1:5", "unknown key 'title' in the service 'h'"),
        .init("h: {method: PUT}", "1:4", "the service 'h' needs 'url'"),
        .init(
            "h: {url: 'https://a.example/', fields: {t: '${titel}'}}",
            "1:44",
            "unknown variable 'titel'; did you mean 'title'?"
        ),
        .init("h: {url: 'https://a.example/', fields: {t: '${title|trunc:3}'}}", "1:44", "unknown filter 'trunc'"),
        .init(
            "h: {url: 'https://a.example/', fields: {t: '${title|uper}'}}",
            "1:44",
            "unknown filter 'uper'; did you mean 'upper'?"
        ),
        .init(
            "h: {url: 'https://a.example/', fields: {t: '${title|truncate}'}}",
            "1:44",
            "filter 'truncate' takes 1 to 2 argument(s), not 0"
        ),
        .init(
            "h: {url: 'https://a.example/', fields: {t: '${title|fixed:x}'}}",
            "1:44",
            "filter 'fixed' takes a whole number"
        ),
        .init("h: {url: 'https://a.example/', fields: {t: '${title'}}", "1:44", "'${' has no closing '}'"),
        .init(
            "h: {url: 'https://a.example/', link: heder}",
            "1:38",
            "'heder' is no extractor ($.path, /xpath, header, text, line, csv, regex, status, final_url) and no template; did you mean 'header'?"
        ),
        .init("h: {url: 'https://a.example/', link: '$.a['}", "1:38", "'$.a[' is not a JSON path"),
        .init("h: {url: 'https://a.example/', link: '//a['}", "1:38", "'//a[' is not an XPath expression"),
        .init("h: {url: 'https://a.example/', link: 'regex ('}", "1:38", "the regular expression is not valid"),
        .init(
            "h: {url: 'https://a.example/', error: {kinds: {1: auht}}}",
            "1:51",
            "unknown error kind 'auht'; did you mean 'auth'?"
        ),
        .init(
            "h: {url: 'https://a.example/', error: {kinds: {1: authentication}}}",
            "1:51",
            "unknown error kind 'authentication'; one of auth, quota, rate_limited"
        ),
        .init(
            "h: {url: 'https://a.example/', link: data.url}",
            "1:38",
            "'data.url' is no extractor ($.path, /xpath, header, text, line, csv, regex, status, final_url) and no template; did you mean '$.data.url'?"
        ),
        .init("h: {url: 'https://a.example/', ok: status = 200}", "1:36", "expected a test: status == 200"),
        .init("h: {url: 'https://a.example/', ok: $.ok = true}", "1:36", "expected a test: status == 200"),
        .init(
            "h: {url: 'https://a.example/', ok: status in 200..299}",
            "1:36",
            "a status is a number of three digits; several: status in 200,201"
        ),
        .init(
            "h: {url: 'https://a.example/', headers: {K: '${API_KEY}'}}",
            "1:45",
            "unknown variable 'API_KEY'; a variable of the environment is written ${env:API_KEY}"
        ),
        .init(
            "h: {url: 'https://a.example/', options: {o: {type: txt}}}",
            "1:52",
            "the type of an option is text, int, bool or url; did you mean 'text'?"
        ),
        .init(
            "h: {url: 'https://a.example/', auth: {type: beerer, token: x}}",
            "1:45",
            "unknown auth type 'beerer'; did you mean 'bearer'?"
        ),
        .init("h: {url: 'https://a.example/', auth: {type: bearer}}", "1:38", "auth of type bearer needs 'token'"),
        .init("h: {url: 'https://a.example/', enabled: maybe}", "1:41", "enabled is true, false or auto"),
        .init(
            "h: {url: 'https://a.example/', method: FETCH}",
            "1:40",
            "method is one of GET, HEAD, POST, PUT, PATCH, DELETE, MKCOL"
        ),
        .init("h: {url: 'https://a.example/', limits: {bytes: 5XB}}", "1:48", "expected"),
        .init("h: {url: 'https://a.example/', limits: {bytes: 0}}", "1:48", "expected a size of at least one byte"),
        .init(
            "h: {url: 'https://a.example/', limits: {formats: [jpeg, gfi]}}",
            "1:57",
            "unknown format 'gfi'; did you mean 'gif'?"
        ),
        .init("h: {url: 'https://a.example/', timeouts: {total: 5}}", "1:50", "expected a duration"),
        .init(
            "h: {url: 'https://a.example/', metadata: all}",
            "1:42",
            "metadata is one of strip, copyright, strip_gps, keep"
        ),
        .init(
            "h: {url: 'https://a.example/', raw: file, form: {a: b}}",
            "1:37",
            "a request has one body: 'form' and 'raw' exclude each other"
        ),
        .init(
            "h: {url: 'https://${title}/'}",
            "1:10",
            "the host of a URL may come from settings and replies only, not from 'title'"
        ),
        .init("h: {url: 'ftp://a.example/'}", "1:10", "expected an absolute http or https URL without credentials"),
        .init(
            "h: {url: 'https://a.example/', headers: {T: '${env:NOPE}'}}",
            "1:45",
            "the variable NOPE is not set; set it, give a default with ${env:NOPE:-…}, or say enabled: auto"
        ),
        .init(
            "h: {url: 'https://a.example/', headers: {T: '${file:/nope}'}}",
            "1:45",
            "the file '/nope' cannot be read, or is no regular file"
        ),
        .init(
            "h: {url: 'https://a.example/', headers: {T: 'Bearer ${file:/empty}'}}",
            "1:45",
            "the file '/empty' is empty; write the value into it"
        ),
        .init(
            "h: {url: 'https://a.example/', headers: {T: '${file:/binary}'}}",
            "1:45",
            "the file '/binary' holds NUL; it takes text"
        ),
        .init("h: {url: 'https://a.example/', headers: {'a b': x}}", "1:42", "'a b' is no header name"),
        .init(
            "h: {adapter: tweetphoto, username: a, password: b, api_key: c, tweet: maybe}",
            "1:71",
            "'tweet' takes bool"
        ),
    ]

    @Test(arguments: rows)
    func aMistakeIsFoundAtItsPlace(_ row: MistakeRow) {
        let (service, messages) = Fixtures.compile(row.text, files: ["/empty": "\n", "/binary": "a\u{0}b"])
        #expect(service == nil)
        #expect(messages.count == 1)
        #expect(messages.first?.hasPrefix("config.yaml:\(row.place): error: \(row.message)") ?? false, "\(messages)")
    }

    @Test func allMistakesAreReportedInOneRunWithoutSecrets() {
        let (_, messages) = Fixtures.compile(
            """
            h:
              adapter: tweetphoto
              username: ada
              password: hunter2-secret
              api_kye: key-secret
              limits: {edge: -1}
              page: regex (
            """
        )
        #expect(messages.count == 4)
        #expect(!messages.joined().contains("secret"))
    }

    static let several: [(text: String, messages: [String])] = [
        (
            "h: {url: 'http://x/${titel}', link: '$.a[', fields: {a: '${title|nofilter}', c: '${title'}}",
            [
                "1:10: error: unknown variable 'titel'; did you mean 'title'?",
                "1:57: error: unknown filter 'nofilter'",
                "1:81: error: '${' has no closing '}'", "1:37: error: '$.a[' is not a JSON path",
            ]
        ),
        (
            "h: {link: text, steps: [{url: '${ticket}', allow_hosts: [x.y], json: {a: '${none}'}, save: {t: 'regex ('}}]}",
            [
                "1:31: error: unknown variable 'ticket'", "1:74: error: unknown variable 'none'",
                "1:96: error: the regular expression is not valid",
            ]
        ),
        ("h: {url: '${file:/nope}'}", ["1:10: error: the file '/nope' cannot be read, or is no regular file"]),
        (
            "h: {url: '${file:/nope}/${env:NOPE}', delete: {url: '${file:/nope}'}}",
            [
                "1:10: error: the file '/nope' cannot be read, or is no regular file",
                "1:53: error: the file '/nope' cannot be read, or is no regular file",
                "1:10: error: the variable NOPE is not set",
            ]
        ),
        (
            "h: {url: 'https://a.example/', deadline: '${env:NOPE}', limits: {formats: ['${file:/nope}']}}",
            [
                "1:76: error: the file '/nope' cannot be read, or is no regular file",
                "1:42: error: the variable NOPE is not set",
            ]
        ),
        (
            "h: {url: 'https://a.example/', headers: {T: '${env:NOPE}${env:OTHER}${env:NOPE}'}}",
            ["1:45: error: the variable NOPE is not set", "1:45: error: the variable OTHER is not set"]
        ),
        (
            "h: {url: 'https://a.example/', fields: {t: '${titel|uper} ${message|trunc:3} ${descripton}'}}",
            [
                "1:44: error: unknown variable 'titel'", "1:44: error: unknown filter 'uper'",
                "1:44: error: unknown filter 'trunc'", "1:44: error: unknown variable 'descripton'",
            ]
        ),
    ]

    /// One mistake each, with what follows from it.
    static let once: [MistakeRow] = [
        .init("h: {adapter: [x], url: 'http://h/x', file: f, link: $.u}", "1:14", "adapter is a name"),
        .init("h: {adapter: {x: y}}", "1:14", "adapter is a name"),
        .init("h: {adapter: local, folder: [x]}", "1:29", "expected text"),
        .init("h: {adapter: local, folder: {x: y}}", "1:29", "expected text"),
        .init("h: {url: [a]}", "1:11", "an alternative is a mapping of when, value"),
        .init("h: {url: [a, {value: 'https://a.example/'}]}", "1:11", "an alternative is a mapping of when, value"),
        .init(use("raw: [text, file]"), "1:38", "an item of raw is the word file, or a mapping with 'text'"),
        .init(use("parts: [x]"), "1:40", "part is a mapping of"),
        .init(use("parts: [{name: [x], text: a}]"), "1:48", "an alternative is a mapping of"),
        .init(use("file: {field: {a: b}}"), "1:46", "expected text"),
        .init(use("recover: [x]"), "1:42", "recover is a mapping of"),
        .init(use("recover: [{when: a b}]"), "1:49", "expected a test"),
        .init(use("retry_after: {from: no}"), "1:52", "'no' is no extractor"),
        .init(use("auth: [x]"), "1:38", "auth needs 'type'"),
        .init(use("auth: {type: [x]}"), "1:45", "expected text"),
        .init(use("auth: {type: ~, token: x}"), "1:38", "auth needs 'type'"),
        .init(use("auth: {type: session, login: x}"), "1:61", "step is a mapping of"),
        .init(use("delete: x"), "1:40", "delete is a mapping of"),
        .init(use("delete: {url: [x]}"), "1:47", "an alternative is a mapping of"),
        .init(use("discover: x"), "1:42", "discover is a mapping of"),
        .init(use("link: [{value: [x]}]"), "1:47", "expected an extractor or a template"),
        .init("h: {store: x}", "1:12", "store is a mapping of"),
        .init("h: {store: {folder: [x], name: y}}", "1:21", "expected text"),
        .init("h: {steps: [x]}", "1:13", "step is a mapping of"),
        .init("h: {steps: [{id: [x], url: 'https://a.example/'}]}", "1:18", "the id of a step is a text"),
        .init(step("poll: x"), "1:47", "poll is a mapping of"),
        .init(step("poll: {until: a b}"), "1:55", "expected a test"),
        .init(step("restart: x"), "1:50", "restart is a mapping of"),
        .init(step("restart: {at: [x], when: $.a}"), "1:55", "expected text"),
        .init(step("restart: {at: step1, when: a b}"), "1:68", "expected a test"),
    ]

    private static func use(_ keys: String) -> String { "h: {url: 'https://a.example/', \(keys)}" }

    private static func step(_ keys: String) -> String { "h: {steps: [{url: 'https://a.example/', \(keys)}]}" }

    @Test("One mistake is one finding, at its place", arguments: once)
    func oneMistakeIsOneFinding(_ row: MistakeRow) {
        let (service, messages) = Fixtures.compile(row.text)
        #expect(service == nil)
        #expect(messages.count == 1, "\(messages)")
        #expect(messages.first?.hasPrefix("config.yaml:\(row.place): error: \(row.message)") ?? false, "\(messages)")
    }

    @Test("Every mistake is reported once, and nothing that only follows from it", arguments: several)
    func mistakesAreReportedOnce(_ text: String, _ expected: [String]) {
        let (service, messages) = Fixtures.compile(text)
        #expect(service == nil)
        #expect(messages.count == expected.count, "\(messages)")
        for (message, start) in zip(messages, expected) {
            #expect(message.hasPrefix("config.yaml:\(start)"), "\(message)")
        }
    }

    @Test func automaticServicesAreOffWithAReason() {
        let text = "i: {adapter: imgur, enabled: auto, client_id: '${env:IMGUR_CLIENT_ID}'}"
        let (off, messages) = Fixtures.compile(text)
        #expect(messages == [])
        #expect(off?.enabled == false)
        #expect(off?.disabledReason == "IMGUR_CLIENT_ID is not set")
        let (on, _) = Fixtures.compile(text, environment: ["IMGUR_CLIENT_ID": "client-9"])
        #expect(on?.enabled == true)
        #expect(on?.secrets == ["client-9"])
    }

    @Test func valuesFromOutsideAreNoTemplates() {
        let (service, messages) = Fixtures.compile(
            "h: {url: 'https://a.example/', headers: {A: '${env:A}', B: '${file:/b}', C: '${env:C:-dflt}'}}",
            environment: ["A": "${title}"],
            files: ["/b": "line\n"]
        )
        #expect(messages == [])
        let headers = Fixtures.request(service, Fixtures.context(caption: Caption(title: "x")))?.headers
        #expect(headers == [HTTPField("A", "${title}"), HTTPField("B", "line"), HTTPField("C", "dflt")])
    }

    @Test func aServiceIsLaidOverItsAdapter() {
        let (service, messages) = Fixtures.compile(
            """
            h:
              adapter: tweetphoto
              username: ada
              password: lovelace
              api_key: key-1
              tweet: true
              url: https://photos.example.org/up
              fields: {username: ~, message: "x ${message|default:none}"}
              limits: {bytes: 1MB}
              metadata: keep
              timeouts: {total: 5s}
              retry: {attempts: 2}
            """
        )
        #expect(messages == [])
        let request = Fixtures.request(service)
        #expect(request?.url == "https://photos.example.org/up")
        guard case .multipart(let parts)? = request?.body else {
            Issue.record("no form")
            return
        }
        #expect(parts.map(\.name) == ["password", "api_key", "message", "media"])
        #expect(service?.constraints.formats == [.jpeg, .png, .gif])
        #expect(service?.constraints.maxBytes == 1_000_000)
        #expect(service?.constraints.applied(to: RenditionConstraints()).metadata == .keep)
        #expect(service?.constraints.applied(to: RenditionConstraints()).maxEdge == 2_048)
        #expect(service?.timeouts.total == .seconds(5))
        #expect(service?.attempts == 2)
        #expect(service?.options.first?.defaultValue == "true")
    }

    @Test func anAdapterBasedOnItselfIsRefused() {
        var catalogue = Catalogue.standard
        var diagnostics: [Diagnostic] = []
        let text = "a: {adapter: b}\nb: {adapter: a}"
        if let node = YAMLReader.read(Array(text.utf8), file: "a.yaml").root {
            catalogue.add(adapters: node, diagnostics: &diagnostics)
        }
        let (_, messages) = Fixtures.compile("h: {adapter: a}", catalogue: catalogue)
        #expect(messages == ["a.yaml:2:14: error: the adapter 'a' is based on itself"])
    }
}
