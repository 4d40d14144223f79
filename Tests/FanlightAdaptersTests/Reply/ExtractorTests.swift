// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightCore
import Testing

/// One extractor over one body; `nil` = nothing found.
struct ExtractorRow: Sendable, CustomTestStringConvertible {
    var source: String
    var body: String
    var expected: String?
    var testDescription: String { source }

    init(_ source: String, _ body: String, _ expected: String?) {
        self.source = source
        self.body = body
        self.expected = expected
    }
}

@Suite struct ExtractorTests {
    static let json = """
        {"a": {"b": [10, 20, {"c": "x"}]}, "big": 918756876419824312, "no": null, "empty": "", "yes": true, "a.b": "dot",
         "sizes": [{"k": "s", "u": "small"}, {"k": "l", "u": "large"}]}
        """
    static let xml = """
        <?xml version="1.0"?><r:rsp xmlns:r="urn:r" xmlns:q="urn:q" stat="ok" q:code="7"><r:mediaurl> http://a.example/1
        </r:mediaurl><b><![CDATA[x&y]]></b><empty/></r:rsp>
        """

    static let rows: [ExtractorRow] = [
        .init("$.a.b[0]", json, "10"), .init("$.a.b[-1].c", json, "x"), .init("$['a.b']", json, "dot"),
        .init("$.big", json, "918756876419824312"), .init("$.yes", json, "true"), .init("$.no", json, nil),
        .init("$.empty", json, nil), .init("$.missing.deep", json, nil), .init("$.a.b[9]", json, nil),
        .init("$.sizes[?(@.k=='l')].u", json, "large"), .init("$.sizes[?(@.k=='z')].u", json, nil),
        .init("$.sizes[*].u", json, "small"), .init("$.a", "not json", nil), .init("$.a", "{\"a\": ", nil),
        .init("/rsp/@stat", xml, "ok"), .init("//mediaurl", xml, "http://a.example/1"), .init("/rsp/@code", xml, "7"),
        .init("//b", xml, "x&y"), .init("//empty", xml, nil), .init("//missing", xml, nil), .init("//a", "<a>", nil),
        .init("//a", "<!DOCTYPE a [<!ENTITY e SYSTEM \"file:///etc/passwd\">]><a>&e;</a>", nil),
        .init("/rsp/err/@msg", "<rsp><err msg=\"a &amp; b\"/></rsp>", "a & b"),
        .init("text", "  words \n", "words"), .init("line 2", "one\r\ntwo\nthree", "two"), .init("line 9", "one", nil),
        .init("csv 2", "0,https://a.example/x,\"q,r\"", "https://a.example/x"), .init("csv 3", "0,1,\"q,r\"", "q,r"),
        .init("csv 2 line 2", "a,b\nc,d", "d"), .init("regex id=(\\d+)", "x id=42 y", "42"),
        .init("regex \\d+", "x 42 y", "42"), .init("regex (\\d+)x", "42", nil),
        .init("regex ^(a+)+$", String(repeating: "a", count: 4_000) + "b", nil), .init("status", "", "200"),
        .init("header X-Id", "", "from-header"), .init("final_url", "", "https://img.example.org/up"),
    ]

    @Test(arguments: rows)
    func anExtractorFindsItsValue(_ row: ExtractorRow) {
        let quoted = row.source.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
        let (service, messages) = Fixtures.compile(
            "host: {url: 'https://a.example/', ok: ['status == 200'], id: ['\(quoted)']}"
        )
        #expect(messages == [])
        let reply = Fixtures.reply(row.body, headers: [HTTPField("x-id", "from-header")])
        switch Fixtures.outcome(service, reply) {
        case .success(let links)?: #expect(links.remoteID == row.expected)
        case .failure(let failure)?:
            #expect(row.expected == nil)
            #expect(failure.kind == .badReply)
        case nil: Issue.record("no service")
        }
    }

    static let tests: [(String, Bool)] = [
        ("$.a == x", true), ("$.a == y", false), ("$.a != y", true), ("$.n == 5", true), ("$.t == true", true),
        ("$.a exists", true), ("$.z exists", false), ("$.z missing", true), ("$.z != x", true), ("$.z == x", false),
        ("$.n in 4, 5", true), ("$.n in 6", false), ("$.a =~ ^[x]$", true), ("$.a =~ ^y", false),
        ("status in 200,201", true), ("${v} == x", true), ("${v|upper} == \"X\"", true),
        ("${w|default:ok} == ok", true),
        ("$.l[?(@.k=='b')].v == 2", true), ("text =~ ^\\{", true), ("v == x", true), ("lat missing", true),
        ("$.f", false),
        ("$.t", true),
    ]

    @Test(arguments: tests)
    func aTestHoldsOrNot(_ row: (String, Bool)) {
        let body =
            "{\"a\": \"x\", \"n\": 5, \"t\": true, \"f\": false, \"l\": [{\"k\": \"a\", \"v\": 1}, {\"k\": \"b\", \"v\": 2}]}"
        let quoted = row.0.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
        let (service, messages) = Fixtures.compile(
            "host: {url: 'https://a.example/', save: {v: $.a, w: $.z}, ok: ['\(quoted)'], id: $.a}"
        )
        #expect(messages == [])
        let outcome = Fixtures.outcome(service, Fixtures.reply(body))
        #expect(((try? outcome?.get()) != nil) == row.1)
    }

    @Test func anyHoldsWhenOneDoes() {
        let text = "host: {url: 'https://a.example/', ok: {any: [$.a == 1, $.b == 1]}, id: $.i}"
        let (service, messages) = Fixtures.compile(text)
        #expect(messages == [])
        for (body, good) in [("{\"b\": 1, \"i\": 2}", true), ("{\"b\": 2, \"i\": 2}", false)] {
            let outcome = Fixtures.outcome(service, Fixtures.reply(body))
            #expect(((try? outcome?.get()) != nil) == good)
        }
    }
}
