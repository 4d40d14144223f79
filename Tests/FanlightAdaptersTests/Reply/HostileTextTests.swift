// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@testable import FanlightAdapters

/// Text of strangers in which Swift's characters are others than those of everybody who reads it after us, and text
/// that is long where nobody looks.
@Suite struct HostileTextTests {
    static let mark = "\u{301}"

    @Test("A host ends where clients of HTTP end it, whatever stands behind the slash")
    func hosts() throws {
        let address = try #require(WebAddress("HTTPS://other.example/\(Self.mark).files.example/put?\(Self.mark)a#b"))
        #expect(address.scheme == "https" && address.host == "other.example" && address.port == 443)
        #expect(address.path == "/\(Self.mark).files.example/put" && address.query == "\(Self.mark)a")
        #expect(HostPattern("*.files.example")?.matches(address) == false)
    }

    @Test(
        "No user, no password, no other port",
        arguments: [
            "https://ada:lovelace@\(mark)other.example/", "https://ada@\(mark)@other.example/",
            "https://other.example\\\(mark).files.example/", "https://other.example:+80/",
            "https://other.example:\u{661}/", "https://other.example:0/",
        ]
    )
    func refused(_ url: String) { #expect(WebAddress(url) == nil) }

    @Test(
        "A host that means this machine is private however it is written",
        arguments: [
            ("https://127.0.0.1./", true), ("https://localhost./", true), ("https://127%2e0.0.1/", true),
            ("https://１２７.0.0.1/", true), ("https://10。0。0。1/", true), ("https://1.2.3.4./", false),
            ("https://files.example./", false),
        ]
    )
    func privateHosts(url: String, isPrivate: Bool) throws {
        #expect(try #require(WebAddress(url)).isPrivate == isPrivate)
    }

    @Test("A message is bounded in code points, not in what people take for a character")
    func message() {
        let text = "a" + String(repeating: Self.mark, count: 1_000_000)
        #expect(Excerpt.of(text, hiding: Redaction(secrets: [])).unicodeScalars.count <= 200)
        #expect(Excerpt.of("words " + text, hiding: Redaction(secrets: [])) == "words…")
        let markup = Excerpt.of("a <\(Self.mark)b> c >\(Self.mark)", hiding: Redaction(secrets: []))
        #expect(!markup.unicodeScalars.contains { $0 == "<" || $0 == ">" })
    }

    @Test("The first half of a secret at the end of what is looked at is not told")
    func halfASecret() {
        let hidden = Redaction(secrets: ["planted-secret-4711"])
        let markup = String(repeating: "<b>", count: 6_650)
        for missing in 0..<19 {
            let blanks = String(repeating: " ", count: 20_000 - markup.count - 19 + missing)
            let told = Excerpt.of(markup + blanks + "planted-secret-4711 and more", hiding: hidden)
            #expect(!told.contains("plant"), "\(missing): \(told)")
        }
    }

    @Test("Of many nodes inside each other only the first is written out")
    func nodes() throws {
        let depth = 200
        let text = String(repeating: "<a>", count: depth) + "words" + String(repeating: "</a>", count: depth)
        let document = try #require(XMLReply(text))
        var looked = 0
        let found = document.first("//a") { text in
            looked += 1
            return !text.isEmpty
        }
        #expect(found == "words" && looked == 1)
        #expect(document.first("//b") == nil && document.first("count(//a)") == "200")
    }

    @Test("Text is replaced and split whatever stands behind it")
    func words() {
        #expect(Words.replacing("\"", with: "'", in: "a\"\(Self.mark)b\"") == "a'\(Self.mark)b'")
        #expect(Words.replacing("\n", with: " ", in: "a\r\nb") == "a\r b")
        #expect(Words.replacing("aa", with: "b", in: "aaaaa") == "bba")
        #expect(Words.replacing("", with: "x", in: "a") == "a")
        #expect(Words.split("a,\(Self.mark)b,,c", at: ",") == ["a", "\(Self.mark)b", "", "c"])
        #expect(Words.split("abc", at: "") == ["abc"] && Words.split("", at: ",") == [""])
        #expect(Words.basename("https://a.example/b/\(Self.mark)c?\(Self.mark)/d") == "\(Self.mark)c")
    }

    @Test(
        "Filters make no more of a text than they may",
        arguments: [
            "${tags|join:field.long}", "${title|replace:a,field.long}",
            "${title" + String(repeating: "|json", count: 60) + "}",
        ]
    )
    func growth(_ template: String) throws {
        let (service, messages) = Fixtures.compile("host: {url: 'https://a.example/', headers: {X: '\(template)'}}")
        #expect(messages == [])
        let caption = Caption(
            title: "\"" + String(repeating: "a", count: 20_000),
            tags: [String](repeating: "a", count: 20_000),
            fields: [("long", String(repeating: "b", count: 20_000))]
        )
        var run = DeliveryRun(service: try #require(service), context: Fixtures.context(caption: caption))
        guard case .finished(.failure(let failure)) = run.handle(.start, now: 1_700_000_000) else {
            Issue.record("a request is made of it")
            return
        }
        #expect(failure.kind == .rejected && failure.message.contains("4000000 bytes"))
    }

    @Test(
        "A secret that looks like markup, or is told in pieces, is not shown",
        arguments: [
            (#"pl4nted/S3cret+"va<l>ue."#, #"bad key pl4nted/S3cret+"va<l>ue. given"#),
            ("planted<secret", "bad key planted<secret given"),
            ("planted</b>secret", "bad key <b>planted</b>secret</b> given"),
            ("<planted-secret", "bad key <planted-secret given"),
            ("planted-secret", "bad key plant\r\n  ed-secret given"),
            ("planted-secret", #"bad key plant\ned-secret given"#),
            ("planted-secret", "bad key plan\u{200B}ted-\u{AD}secret given"),
            ("planted  secret", "bad key planted  secret given"),
            ("planted secret", "bad key planted\n\tsecret given"),
            ("planted secret", "bad key planted<br/>secret given"),
        ]
    )
    func secretsOfOddShape(secret: String, text: String) {
        let shown = Excerpt.of(text, hiding: Redaction(secrets: [secret]))
        #expect(shown == "bad key *** given")
    }

    @Test(
        "A secret is masked in every writing, and in writings of writings",
        arguments: [
            "aB3/xY9%2BzQ7kkPw2", "aB3%2fxY9%2BzQ7kkPw2", #"aB3/xY9\u002BzQ7kkPw2"#, #"aB3\/xY9\u002bzQ7kkPw2"#,
            "aB3&#47;xY9&#43;zQ7kkPw2", "aB3&#x2F;xY9&#x2b;zQ7kkPw2", "aB3&sol;xY9&plus;zQ7kkPw2",
            "aB3%252FxY9%252BzQ7kkPw2", #"aB3\\\/xY9+zQ7kkPw2"#, "aB3/xY9<br>+zQ7k<b>k</b>Pw2",
            "aB3/xY9&amp;#43;zQ7kkPw2",
            "aB3/xY9&#43;zQ7\u{200B}k<wbr/>kPw2", #"\u0061B3/xY9+zQ7kkPw\u0032"#, "%61B3/xY9+zQ7kkPw2",
        ]
    )
    func writings(_ written: String) {
        let hidden = Redaction(secrets: ["aB3/xY9+zQ7kkPw2"])
        #expect(hidden.cleaned("<p>key \(written), 100% & more</p>") == "<p>key ***, 100% & more</p>")
        #expect(hidden.finds(in: "https://host.example/" + written))
        #expect(Excerpt.of("bad key \(written) given", hiding: hidden) == "bad key *** given")
    }

    @Test("What only looks like an escape stays as it is")
    func noEscapes() {
        let hidden = Redaction(secrets: ["aB3/xY9+zQ7kkPw2"])
        for text in [
            "100% of %zz", "a & b &; &unknown; &#; &#x; &#99999999;", #"C:\files \u12 \ud800"#, "1 < 2 > 0", "<", "%",
            "&", "\\",
            "\u{C2}\u{E2}é", #"\uD83D\uDE00 \ud83dx"#, "aB3/xY9+zQ7kkPw", "B3/xY9+zQ7kkPw2",
        ] {
            #expect(hidden.cleaned(text) == text)
        }
        #expect(Redaction(secrets: ["sun😀set"]).cleaned(#"a sun\uD83D\uDE00set"#) == "a ***")
    }

    @Test(
        "An address whose host can be read in two ways is none",
        arguments: [
            "https://a:d]-0.host.example/x", "https://a:80]b.host.example/", "https://[::1]x.host.example/",
            "https://a]b/",
            "https://[[::1]]/", "https://[]/", "https://a:1:2/", "https://[a/",
        ]
    )
    func twoReadings(url: String) { #expect(WebAddress(url) == nil) }

    @Test("Addresses of IPv6 are read", arguments: ["https://[2001:db8::1]/x", "https://[2001:db8::1]:8443/x"])
    func bracketed(url: String) { #expect(WebAddress(url)?.host == "[2001:db8::1]") }
}
