// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightCore
import Testing

/// One template and what it becomes; `nil` = the header is not sent.
struct TemplateRow: Sendable, CustomTestStringConvertible {
    var template: String
    var expected: String?
    var testDescription: String { template }

    init(_ template: String, _ expected: String?) {
        self.template = template
        self.expected = expected
    }
}

@Suite struct TemplateTests {
    static let caption = Caption(
        title: "  Ünï title ",
        description: "",
        message: "a/b c?d",
        alt: nil,
        tags: ["sea", "blue sky"],
        fields: [("mood", "calm")]
    )
    static let geotag = Geotag(latitude: -0.1275, longitude: 0.00001, altitude: -3.5, source: .exif)

    static let rows: [TemplateRow] = [
        .init("plain", "plain"), .init("${title}", "  Ünï title "), .init("${title|trim}", "Ünï title"),
        .init("${title|trim|upper}", "ÜNÏ TITLE"), .init("${title|trim|lower}", "ünï title"),
        .init("<${title|trim|truncate:3}>", "<Ünï>"), .init("${title|trim|truncate:3,bytes}", "Ün"),
        .init("${title|trim|ascii}", "_n_ title"), .init("${description}", nil), .init("${alt}", nil),
        .init("x ${alt} y", nil), .init("${alt|default:none}", "none"), .init("${alt|default:\"\"}", ""),
        .init("${message|urlencode}", "a%2Fb%20c%3Fd"), .init("${message|urlpath}", "a/b%20c%3Fd"),
        .init("${message|match:\"^(.+)/\"}", "a"), .init("${message|match:\"b.\"}", "b "),
        .init("${message|basename}", "b c"), .init("${message|replace:a,z}", "z/b c?d"),
        .init("${message|replace:\" \",\"|\"}", "a/b|c?d"), .init("${message|json}", "\"a/b c?d\""),
        .init("${message|base64}", "YS9iIGM/ZA=="), .init("${message|hex}", "612f6220633f64"),
        .init("${tags}", "sea,blue sky"), .init("${tags|join:\", \"}", "sea, blue sky"),
        .init("${tags|join:,}", "sea,blue sky"),
        .init("${tags|quote_spaces|join:\" \"}", "sea \"blue sky\""), .init("${tags|first}", "sea"),
        .init("${tags|last}", "blue sky"), .init("${tags|json}", "[\"sea\",\"blue sky\"]"),
        .init("${lat}", "-0.1275"), .init("${lat|fixed:6}", "-0.127500"), .init("${lon}", "0.00001"),
        .init("${lon|fixed:6}", "0.000010"), .init("${lon|fixed:2}", "0.00"), .init("${altitude|fixed:0}", "-4"),
        .init("${taken_at|iso}", "2018-07-25T14:34:23+02:00"), .init("${taken_at|unix}", "1532522063"),
        .init("${taken_at|date:yyyy/MM/dd}", "2018/07/25"), .init("${now}", "2023-11-14T22:13:20Z"),
        .init("${now|date:\"dd.MM.yyyy HH:mm\"}", "14.11.2023 22:13"), .init("${uuid}", "uuid-1"),
        .init("${idempotency_key}", "key-1"), .init("${upload_id}", "upload-1"),
        .init("${server.public_url}/x", "http://gateway.test/x"), .init("${field.mood}", "calm"),
        .init("${field.other}", nil), .init("${option.album|default:main}", "main"), .init("${option.public|int}", "1"),
        .init("${setting.token|bool}", "true"), .init("${file.name}", "picture.jpg"), .init("${file.stem}", "picture"),
        .init("${file.ext}", "jpg"), .init("${file.mime}", "image/jpeg"), .init("${file.size}", "7"),
        .init("${file.width}x${file.height}", "640x480"), .init("${file.md5}", "5456fc54c74a297ce994998c2873b370"),
        .init("${message|md5}", "a11076655521d2782039e42e880ccda6"), .init("$${title}", "${title}"),
        .init("${service}", "host"),
        .init(
            "${message|hmac_sha256:setting.token}",
            "35a935d0127a30567c502820fa1dfe0d2331d3c35ab6ee45ef5e07ba3f6c971b"
        ), .init("${message|sha256:base64}", "I/u9ZbNTbq+aNBCdMV0sb7iEHj9fT8Pynj6v/P/c9mo="),
        .init("${message|sha1}", "7a44712169b78ed014726f0ee684cefa7d9022ec"),
    ]

    static let service = """
        host:
          url: https://img.example.org/
          settings: {token: {type: text, secret: true}}
          token: secret-token
          options: {album: {type: text}, public: {type: bool, default: true}}
          headers:
            X: '
        """

    @Test(arguments: rows)
    func aTemplateBecomesItsValue(_ row: TemplateRow) {
        let quoted = row.template.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
        let (service, messages) = Fixtures.compile(Self.service + quoted + "'")
        #expect(messages == [])
        let context = Fixtures.context(caption: Self.caption, geotag: Self.geotag)
        let request = Fixtures.request(service, context)
        #expect(request != nil)
        #expect(request?.headers.first { $0.name == "X" }?.value == row.expected)
    }

    @Test func aRequiredValueRefusesBeforeSending() throws {
        let (service, _) = Fixtures.compile("host: {url: 'https://a.example/', fields: {t: '${title!}'}}")
        var run = DeliveryRun(service: try #require(service), context: Fixtures.context())
        guard case .finished(let result) = run.handle(.start, now: 0) else {
            Issue.record("something was sent")
            return
        }
        #expect(result == .failure(DeliveryFailure(kind: .rejected, message: "host needs title")))
    }

    @Test func positionIsSentAsAPairEvenWhenZero() {
        let (service, _) = Fixtures.compile("host: {url: 'https://a.example/', query: {a: '${lat}', o: '${lon}'}}")
        let zero = Geotag(latitude: 0, longitude: 0, source: .client)
        #expect(Fixtures.request(service, Fixtures.context(geotag: zero))?.url == "https://a.example/?a=0&o=0")
        #expect(Fixtures.request(service)?.url == "https://a.example/")
    }

    @Test func aHeaderValueStaysOnOneLine() {
        let (service, _) = Fixtures.compile("host: {url: 'https://a.example/', headers: {X: '${title}'}}")
        let context = Fixtures.context(caption: Caption(title: "a\r\nEvil: yes"))
        #expect(Fixtures.request(service, context)?.headers == [HTTPField("X", "a  Evil: yes")])
    }

    @Test func textsAreCutToTheServicesLimit() {
        let (service, _) = Fixtures.compile(
            "host: {url: 'https://a.example/', limits: {text: {title: 3}}, headers: {X: '${title}'}}"
        )
        let context = Fixtures.context(caption: Caption(title: "abcdef"))
        #expect(Fixtures.request(service, context)?.headers == [HTTPField("X", "abc")])
    }
}
