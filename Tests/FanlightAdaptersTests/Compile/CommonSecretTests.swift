// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@testable import FanlightAdapters

/// Secrets that are words of every second message, and secrets in fields that are called like something public.
@Suite("Secrets that are common words")
struct CommonSecretTests {
    /// Keys of a service in which the value stands for a credential.
    static let places = [
        "fields: {pw: '${env:V}'}", "headers: {X-Pw: '${file:v}'}", "json: {pw: '${env:V}'}",
        "auth: {type: bearer, token: '${env:V}'}", "auth: {type: basic, username: ada, password: '${file:v}'}",
        "fields: {pw: '${setting.pw}'}, settings: {pw: {secret: true}}, pw: '@'",
        "fields: {pw: '${setting.pw}'}, settings: {pw: {secret: true}}, pw: '${env:V}'",
        "fields: {pw: '${setting.pw}'}, settings: {pw: {type: text}}, pw: '${env:V}'",
        "fields: {pw: '${option.pw}'}, options: {pw: {type: text}}, pw: '${file:v}'",
    ]

    private static func service(_ keys: String, _ value: String, url: String = "https://host.example/up") throws
        -> CompiledService
    {
        let text = "host: {url: '\(url)', link: $.url, error: {message: text}, \(keys.replacing("@", with: value))}"
        let (service, messages) = Fixtures.compile(text, environment: ["V": value], files: ["v": value])
        #expect(messages == [])
        return try #require(service)
    }

    private static func link(_ service: CompiledService, _ link: String) -> String? {
        (try? Fixtures.outcome(service, Fixtures.reply(#"{"url": "\#(link)"}"#))?.get())?.link
    }

    private static func message(_ service: CompiledService, _ text: String) -> String? {
        guard case .failure(let failure)? = Fixtures.outcome(service, Fixtures.reply(text, status: 400)) else {
            return nil
        }
        return failure.message
    }

    @Test(
        "Words and short numbers are masked in messages where they stand alone; links may hold them",
        arguments: places,
        ["hidden", "Public", "anonymous", "default", "2026"]
    )
    func common(_ keys: String, _ value: String) throws {
        let service = try Self.service(keys, value)
        let told = try #require(Self.message(service, "wrong \(value), x\(value) \(value)y _\(value) (\(value))"))
        #expect(told.hasSuffix("wrong ***, x\(value) \(value)y _\(value) (***)"))
        let link = "https://host.example/\(value)/a.jpg"
        #expect(Self.link(service, link) == link)
    }

    @Test("In a request that is only shown, words are masked inside others, too")
    func explained() throws {
        let service = try Self.service(Self.places[0], "hidden")
        #expect(service.redacted("x = xhiddeny hidden", Fixtures.context()) == "x = x***y ***")
    }

    @Test("Each line of a secret of several is masked")
    func lines() throws {
        let lines = ["-----BEGIN PRIVATE KEY-----", "MIIEvQIBADANBgkqhkiG9w0B", "AQEFAASCBKcwggSjAgEAAoIB", "AQC7"]
        var service = try Self.service(Self.places[0], "hidden")
        service.hide([lines.joined(separator: "\n")])
        let told = service.redacted("bad \(lines[1]) and \(lines[2]), \(lines[0])", Fixtures.context())
        #expect(told == "bad *** and ***, \(lines[0])")
    }

    @Test("Less than four characters are masked nowhere", arguments: places, ["off", "123", "pw1"])
    func short(_ keys: String, _ value: String) throws {
        let service = try Self.service(keys, value)
        #expect(try #require(Self.message(service, "wrong \(value)")).hasSuffix("wrong \(value)"))
    }

    @Test(
        "What comes from a file is masked in messages whatever its field is called; links may hold such names",
        arguments: [
            "fields: {bucket: '${file:v}'}", "query: {region: '${file:v}'}", "headers: {X-Project: '${file:v}'}",
            "auth: {type: basic, username: '${file:v}', password: 'x'}",
            "auth: {type: azure_sharedkey, account: '${file:v}', key: 'eA=='}",
            "fields: {n: '${setting.n}'}, settings: {n: {type: text}}, n: '${file:v}'",
        ],
        ["holiday-album", "eu-1", "4711", "default"]
    )
    func named(_ keys: String, _ value: String) throws {
        let service = try Self.service(keys, value)
        #expect(try #require(Self.message(service, "no '\(value)' here")).hasSuffix("no '***' here"))
        let link = "https://host.example/\(value)/a.jpg"
        #expect(Self.link(service, link) == link)
        let open = try Self.service(keys.replacing("${file:v}", with: "${env:V}"), value)
        let isNamed = !keys.contains("setting")
        #expect(try #require(Self.message(open, "no '\(value)'")).hasSuffix(isNamed ? "no '\(value)'" : "no '***'"))
        #expect(Self.link(open, link) == link)
    }

    @Test("Numbers, choices and links from a file are masked in messages, too")
    func typed() throws {
        let keys = """
            fields: {n: '${setting.n}'}, settings: {n: {type: int}}, n: '${file:v}', page: 'https://host.example/${file:v}'
            """
        let service = try Self.service(keys, "471100")
        #expect(try #require(Self.message(service, "no 471100, 4711001")).hasSuffix("no ***, 4711001"))
    }

    @Test(
        "An address keeps its rules: a file's parameter is masked whatever its name, a variable's not",
        arguments: ["https://host.example/up?bucket=${file:v}", "${file:url}"]
    )
    func addresses(_ url: String) throws {
        let text = "host: {url: '\(url)', file: file, link: $.url, error: {message: text}}"
        for value in ["holiday-album", "eu-1"] {
            let whole = "https://host.example/up?bucket=\(value)"
            for (kind, isFile) in [("file:", true), ("env:", false)] {
                let (compiled, messages) = Fixtures.compile(
                    text.replacing("{file:", with: "{" + kind),
                    environment: ["v": value, "url": whole],
                    files: ["v": value, "url": whole]
                )
                #expect(messages == [])
                let service = try #require(compiled)
                let told = try #require(Self.message(service, "host.example has no '\(value)'"))
                #expect(told.hasSuffix(isFile ? "host.example has no '***'" : "host.example has no '\(value)'"))
                let link = "https://host.example/\(value)/a.jpg"
                #expect(Self.link(service, link) == link)
            }
        }
    }

    @Test(
        "A name that tells a credential is no public one, whatever else is in it",
        arguments: ["user_token", "X-Account-Key", "login_pass", "userhash", "project_secret", "mail-password"]
    )
    func telling(_ name: String) throws {
        for place in ["fields: {\(name): '${env:V}'}", "headers: {\(name): '${env:V}'}"] {
            let service = try Self.service(place, "tok-9f8e7d6c")
            #expect(try #require(Self.message(service, "bad tok-9f8e7d6c")).hasSuffix("bad ***"))
            #expect(Self.link(service, "https://host.example/tok-9f8e7d6c.jpg") == nil)
        }
    }

    @Test(
        "A word stands alone in whatever writing, also between scripts that put no blanks",
        arguments: [
            ("hidden", "***"), ("\"hidden\"", "\"***\""), (#"a\nhidden\n"#, #"a\n***\n"#),
            ("%22hidden%22", "%22***%22"), ("&quot;hidden&quot;", "&quot;***&quot;"), (#"\u0068idden"#, "***"),
            ("密码hidden错误", "密码***错误"), ("“hidden”", "“***”"), ("hidden-hidden", "***-***"),
            ("pw=hidden&a=b", "pw=***&a=b"), ("aGlkZGVu", "***"),
            ("unhidden", "unhidden"), ("hiddenly", "hiddenly"), ("éhidden", "éhidden"), ("hiddenж", "hiddenж"),
            ("hidden2", "hidden2"), ("is_hidden", "is_hidden"), ("HIDDEN", "HIDDEN"), ("", ""),
        ]
    )
    func alone(text: String, shown: String) {
        let hidden = Redaction(secrets: []).adding(secrets: [], words: ["hidden"])
        #expect(hidden.cleaned(text) == shown)
    }

    @Test("What is a secret anywhere is found inside words although it is a word elsewhere")
    func both() {
        let hidden = Redaction(secrets: ["hidden"]).adding(secrets: [], words: ["hidden", "$a-b"])
        #expect(hidden.cleaned("unhidden c$a-b $a-bc") == "un*** c*** $a-bc")
    }

    @Test("Written values that are hidden later follow the same rule")
    func written() throws {
        var service = try Self.service("file: file", "-")
        service.hide(["public", "wr1tten-c0de", "12345"])
        let told = try #require(Self.message(service, "public republic wr1tten-c0de2 12345 123456"))
        #expect(told.hasSuffix("*** republic ***2 *** 123456"))
        #expect(Self.link(service, "https://host.example/public/12345.jpg") != nil)
        #expect(Self.link(service, "https://host.example/wr1tten-c0de.jpg") == nil)
    }
}
