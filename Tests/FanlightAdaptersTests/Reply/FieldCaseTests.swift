// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightCore
import Testing

/// A stored reply and what it must count as.
struct FieldCase: Sendable, CustomTestStringConvertible {
    var file: String
    var kind: ErrorKind?
    var retry: RetryClass = .never
    var link: String? = nil
    var testDescription: String { file }
}

/// Replies that real services gave; they lie beside the package and are read where they exist.
@Suite struct FieldCaseTests {
    static let cases: [FieldCase] = [
        .init(file: "fan-01/upstream-200-no-link.http", kind: .badReply),
        .init(file: "fan-01/upstream-200-null-link.http", kind: .badReply),
        .init(file: "fan-01/upstream-200-empty-link.http", kind: .badReply),
        .init(file: "fan-01/upstream-200-status-text.http", kind: .badReply),
        .init(file: "fan-01/upstream-200-false.http", kind: .rejected),
        .init(file: "fan-01/upstream-204.http", kind: .badReply),
        .init(file: "fan-04/upstream-200-challenge.http", kind: .badReply),
        .init(file: "fan-04/upstream-200-empty.http", kind: .badReply),
        .init(file: "fan-04/upstream-200-html-as-json.http", kind: .badReply),
        .init(file: "fan-04/upstream-200-json-as-html.http", kind: nil, link: "https://i.example/Ab3dEf9.jpg"),
        .init(file: "fan-04/upstream-200-json-bom.http", kind: nil, link: "https://i.example/Ab3dEf9.jpg"),
        .init(file: "fan-04/upstream-200-latin1.http", kind: nil, link: "https://i.example/caf%C3%A9.jpg"),
        .init(file: "fan-04/upstream-200-php-warning-then-json.http", kind: .badReply),
        .init(file: "fan-04/upstream-200-truncated-json.http", kind: .badReply),
        .init(file: "fan-04/upstream-400-html.http", kind: .rejected),
        .init(file: "fan-04/upstream-502-html.http", kind: .unavailable, retry: .unknownOutcome),
        .init(file: "fan-04/upstream-520-html.http", kind: .unavailable, retry: .unknownOutcome),
        .init(file: "fan-14/upstream-301-otherhost.http", kind: .redirect),
        .init(file: "fan-14/upstream-301-samehost.http", kind: .redirect),
        .init(file: "fan-14/upstream-302-file.http", kind: .redirect),
        .init(file: "fan-14/upstream-302-loop.http", kind: .redirect),
        .init(file: "fan-14/upstream-302-nolocation.http", kind: .redirect),
        .init(file: "fan-14/upstream-302-otherhost.http", kind: .redirect),
        .init(file: "fan-14/upstream-303-samehost.http", kind: .redirect),
        .init(file: "fan-14/upstream-307-otherhost.http", kind: .redirect),
        .init(file: "fan-14/upstream-308-samehost.http", kind: .redirect),
        .init(file: "fan-14/upstream-ok.http", kind: nil, link: "https://i.example/Ab3dEf9.jpg"),
    ]

    /// The same host described in two ways: with a link and a test, and with nothing but its URL.
    static let described = """
        host:
          url: http://127.0.0.1:9004/up
          ok: $.success == true
          error: {message: $.data.error}
          link: $.data.link
        """
    static let bare = "host: {url: 'http://127.0.0.1:9004/up'}"

    @Test(arguments: cases)
    func aStoredReplyIsJudgedRightly(_ row: FieldCase) {
        guard let folder = Fixtures.sharedFolder else { return }
        guard let reply = Fixtures.storedReply(folder + "/cases/" + row.file) else {
            Issue.record("cannot read \(row.file)")
            return
        }
        for text in [Self.described, Self.bare] {
            let (service, messages) = Fixtures.compile(text)
            #expect(messages == [])
            switch Fixtures.outcome(service, reply) {
            case .success(let links)?:
                #expect(row.kind == nil)
                #expect(links.link == row.link)
            case .failure(let failure)?:
                let saysNo = row.kind == .rejected && reply.status == 200 && text == Self.bare
                #expect(failure.kind == (saysNo ? .badReply : row.kind))
                #expect(failure.retry == row.retry)
                #expect(failure.httpStatus == reply.status)
                #expect(failure.message.count <= 240)
                #expect(!failure.message.contains("<"))
            case nil: Issue.record("no service")
            }
        }
    }

    @Test func aRedirectNamesItsHost() {
        let (service, _) = Fixtures.compile(Self.bare)
        let rows: [(String, String)] = [
            ("http://user:pw@127.0.0.2:9004/up", "127.0.0.2:9004"), ("/moved", "within img.example.org"),
            ("file:///etc/passwd", "another scheme (file)"), ("//other.example/x", "to other.example"),
        ]
        for (location, part) in rows {
            let reply = Fixtures.reply("", status: 302, headers: [HTTPField("Location", location)])
            guard case .failure(let failure)? = Fixtures.outcome(service, reply) else {
                Issue.record("no failure for \(location)")
                continue
            }
            #expect(failure.kind == .redirect)
            #expect(failure.message.contains(part))
            #expect(!failure.message.contains("pw"))
        }
    }
}
