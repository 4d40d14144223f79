// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore
import Testing

/// Reads and decodes a text; findings as `line:column: message`.
func decode(
    _ text: String,
    references: References = .none
) -> (configuration: GatewayConfiguration?, findings: [String]) {
    var (root, diagnostics) = YAMLReader.read(Array(text.utf8), file: "config.yaml")
    let configuration = root.flatMap {
        GatewayConfiguration.decode($0, references: references, diagnostics: &diagnostics)
    }
    return (configuration, diagnostics.map { "\($0.position.line):\($0.position.column): \($0.message)" })
}

@Suite struct GatewayConfigurationTests {
    @Test(
        "A key that would be guessed, and a folder without a name, are refused",
        arguments: [
            ("state_key: ''", "server.state_key: expected at least 16 characters"),
            ("state_key: '${env:UNSET:-}'", "server.state_key: expected at least 16 characters"),
            ("state_key: fifteen-letters", "server.state_key: expected at least 16 characters"),
            ("state: ''", "server.state: expected text; this one is empty"),
        ]
    )
    func emptyTexts(server: String, words: String) {
        let references = References(variable: { _ in nil }, file: { _ in nil })
        let (decoded, findings) = decode(
            "server: {\(server)}\nservices: {a: {adapter: local}}\n",
            references: references
        )
        #expect(decoded == nil)
        #expect(findings.count == 1 && findings[0].hasSuffix(words), "\(findings)")
    }

    @Test("All that is wrong with the webhook is told in one run")
    func severalMistakes() {
        let (_, findings) = decode(
            "services: {a: {adapter: local}}\nnotify: {url: 'ftp://example.org/', secret: short}\n"
        )
        #expect(findings.count == 2, "\(findings)")
    }

    @Test func givesDefaults() throws {
        let (decoded, findings) = decode("services:\n  a:\n    adapter: local\n")
        let configuration = try #require(decoded)
        #expect(findings.isEmpty)
        #expect(
            configuration.server
                == ServerSettings(
                    listen: ListenAddress(host: "127.0.0.1", port: 8080),
                    publicURL: nil,
                    state: "./state",
                    maxBody: 32_000_000,
                    answerWithin: .seconds(60),
                    drain: .seconds(30),
                    clientTimeout: .seconds(60),
                    clientKeys: []
                )
        )
        #expect(
            configuration.image == ImageSettings(maxEdge: 2048, metadata: .strip, quality: 85, limits: ImageLimits())
        )
        #expect(configuration.server == ServerSettings() && configuration.image == ImageSettings())
        #expect(configuration.routes == [Route(name: "default", services: ["a"])])
        #expect(configuration.adapterFiles == nil && configuration.adapters.isEmpty)
    }

    @Test func readsWhatServicesAreToldOfThePlace() throws {
        let defaults = try #require(decode("services: {a: {adapter: local}}").configuration)
        #expect(defaults.geotag == GeotagConfiguration())
        let text = """
            geotag: {forward: false, precision: 2, null_island: accept, missing_ref: accept}
            services: {a: {adapter: local}}
            """
        let (decoded, findings) = decode(text)
        #expect(findings.isEmpty)
        let policy = PositionPolicy(acceptsNullIsland: true, acceptsMissingRef: true)
        #expect(
            decoded?.geotag == GeotagConfiguration(isForwarded: false, precision: 2, position: policy)
        )
        let broken = decode("geotag: {precision: 16, null_island: no, forwards: true}")
        #expect(broken.configuration == nil && broken.findings.count >= 3)
    }

    @Test func readsEverything() throws {
        let text = """
            server:
              listen: "[::1]:9000"
              public_url: https://fanlight.example.org/base/
              state: /var/lib/fanlight
              max_body: 10MiB
              answer_within: 1m30s
              drain: 5s
              client_timeout: 500ms
              client_keys: [one-0123456789ab, two-0123456789ab]
            image:
              max_edge: 0
              metadata: strip_gps
              quality: 90
              max_pixels: 50MP
              max_frames: 10
              max_total_pixels: 123456
            adapter_files: ./adapters
            adapters:
              mine: {send: x}
            services:
              b: {adapter: mine}
              a: {adapter: local, folder: ./album}
              c: {url: http://x/}
            routes:
              backup: {services: [a, b], policy: first}
              short: [c]
              one: b, c
              two: {policy: {quorum: 2}}
              three: {policy: "quorum: 3"}
              rest: {services: c, policy: any}
            """
        let (decoded, findings) = decode(text)
        #expect(findings.isEmpty, "\(findings)")
        let configuration = try #require(decoded)
        #expect(configuration.server.listen == ListenAddress(host: "::1", port: 9000))
        #expect(configuration.server.publicURL == "https://fanlight.example.org/base")
        #expect(configuration.server.maxBody == 10_485_760)
        #expect(configuration.server.answerWithin == .seconds(90))
        #expect(configuration.server.clientTimeout == .milliseconds(500))
        #expect(configuration.server.clientKeys.map(\.key?.value) == ["one-0123456789ab", "two-0123456789ab"])
        #expect(configuration.image.metadata == .stripGPS)
        #expect(configuration.image.maxEdge == 0)
        #expect(configuration.image.limits.maxPixels == 50_000_000)
        #expect(configuration.image.limits.maxTotalPixels == 123_456)
        #expect(configuration.adapterFiles == "./adapters")
        #expect(configuration.adapters.map(\.name) == ["mine"])
        #expect(configuration.services.map(\.name) == ["b", "a", "c"])
        #expect(configuration.services[1].node["folder"]?.text == "./album")
        let all = ["b", "a", "c"]
        #expect(
            configuration.routes == [
                Route(name: "backup", services: ["a", "b"], policy: .first), Route(name: "short", services: ["c"]),
                Route(name: "one", services: ["b", "c"]), Route(name: "two", services: all, policy: .quorum(2)),
                Route(name: "three", services: all, policy: .quorum(3)),
                Route(name: "rest", services: ["c"], policy: .any), Route(name: "default", services: all),
            ]
        )
        #expect(configuration.route("rest")?.policy == .any)
        #expect(configuration.route("none") == nil)
    }

    @Test(arguments: [
        ("[short-key]", 1), ("[a-key-of-16-bytes, x]", 1), ("'short, shorter'", 1), ("[{name: a, key: short}]", 1),
        ("[{name: a, key: a-key-of-16-byte}]", 0), ("a-key-of-16-byte", 0),
    ])
    func aKeyThatCanBeGuessedIsWarnedOf(keys: String, count: Int) {
        let (decoded, findings) = decode("server: {client_keys: \(keys)}\nservices: {a: {url: 'http://x/'}}\n")
        #expect(decoded != nil)
        #expect(findings.count == count && findings.allSatisfy { $0.contains("fewer than 16") }, "\(findings)")
    }

    @Test func reportsAllErrorsInOneRun() {
        let text = """
            sevices: {}
            listen: 127.0.0.1:80
            server:
              lisen: 127.0.0.1:80
              max_body: 5
              drain: soon
              state: [a]
              public_url: example.org
              client_keys: {a: b}
            image:
              metadata: stripp
              quality: 101
              quality: 5
              max_edge: *nothing
              colour: blue
            services:
              "a.b": {adapter: x}
              plain: text
              good: {adapter: local}
            routes:
              good: [good]
              r1: {services: [goood, good, good], policy: al}
              r2: {services: [], policy: {quorum: 2}}
              r3: {service: good}
              bad name: good
            """
        let (configuration, findings) = decode(text)
        #expect(configuration == nil)
        #expect(
            findings == [
                "13:3: key 'quality' is given twice; first in line 12",
                "14:13: no anchor '&nothing' stands before this alias",
                "1:1: unknown key 'sevices'; did you mean 'services'?",
                "2:1: unknown key 'listen'; it belongs under 'server'",
                "4:3: unknown key 'lisen' in server; did you mean 'listen'?",
                "5:13: server.max_body: expected a size with its unit, such as 500KB, 5MB or 10MiB",
                "6:10: server.drain: expected a duration with its unit, such as 500ms, 30s, 2m or 1h",
                "7:10: server.state: expected one value, not a list or a mapping",
                "8:15: server.public_url: expected an http or https URL without query, such as https://fanlight.example.org",
                "9:16: server.client_keys: expected a list of keys",
                "11:13: image.metadata: expected one of strip, copyright, strip_gps, keep; did you mean strip?",
                "12:12: image.quality: expected a whole number from 1 to 100",
                "15:3: unknown key 'colour' in image; did you mean 'color'?",
                "17:3: a service's name is made of letters, digits, '-' and '_', at most 64",
                "18:10: services.plain: expected a mapping of keys",
                "21:3: a service has the name 'good', too; a route needs another",
                "22:19: routes.r1: no service has the name 'goood'; did you mean 'good'?",
                "22:32: routes.r1: 'good' is named twice",
                "22:47: routes.r1.policy: expected all, any, first or {quorum: N}; did you mean 'all'?",
                "23:18: routes.r2: expected at least one service",
                "23:39: routes.r2.policy: expected a quorum from 1 to the number of services (0)",
                "24:8: unknown key 'service' in routes.r3; did you mean 'services'?",
                "25:3: a route's name is made of letters, digits, '-' and '_', at most 64",
            ]
        )
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var text: String
        var findings: [String]
        var isDecoded = false
        var testDescription: String { text }
    }

    static let rows: [Row] = [
        Row(text: "", findings: ["1:1: no services: uploads have nowhere to go"], isDecoded: true),
        Row(text: "server:\nimage: ~\nservices: {a: {x: 1}}\n", findings: [], isDecoded: true),
        Row(
            text: "services: {a: {x: 1}}\nserver:\n  client_timeout: 0s\n  max_body: 0\n",
            findings: [
                "3:19: server.client_timeout: expected 100ms or more",
                "4:13: server.max_body: expected a size of at least one byte, such as 500KB, 5MB or 10MiB",
            ]
        ),
        Row(text: "- a\n", findings: ["1:1: the file expected a mapping of keys, such as 'server: …'"]),
        Row(text: "server: 5\n", findings: ["1:9: server expected a mapping of keys, such as 'listen: …'"]),
        Row(
            text: "services:\n  - name: a\nroutes:\n  x: [a]\n",
            findings: ["2:3: services: expected one name a service, with its keys under it"]
        ),
        Row(
            text: "services: {a: {x: 1}}\nroutes: [a]\n",
            findings: ["2:9: routes: expected one name a route, with its services under it"]
        ),
        Row(
            text: "services: {a: {x: 1}}\nadapters: [x]\n",
            findings: ["2:11: adapters: expected one name an adapter, with its keys under it"]
        ),
        Row(
            text: "services: {a: {x: 1}}\nadapters: {a b: {}}\n",
            findings: ["2:12: an adapter's name is made of letters, digits, '-' and '_', at most 64"]
        ),
        Row(
            text: "services: {a: {x: 1}}\nnotify: x\n",
            findings: ["2:9: notify expected a mapping of keys, such as 'url: …'"]
        ),
        Row(
            text: "services: {a: {x: 1}}\nnotify: {url: ~, secret: sixteen-characters}\n",
            findings: ["2:9: notify: 'url' is missing"]
        ),
        Row(
            text: "services: {a: {x: 1}}\nserver:\n  answer_within: 99999999999d\n",
            findings: ["3:18: server.answer_within: expected a shorter duration: at most 11574d"]
        ),
        Row(
            text:
                "services: {a: {x: 1}}\nroutes:\n  d: {services: [a, {b: 1}]}\n  e: {policy: [all]}\n  f: {policy: quorum}\n  g: {policy: quorum 2}\n",
            findings: [
                "3:17: routes.d.services: expected a list of names",
                "4:15: routes.e.policy: expected all, any, first or {quorum: N}",
                "5:15: routes.f.policy: expected all, any, first or {quorum: N}",
                "6:15: routes.g.policy: expected a quorum from 1 to the number of services (1)",
            ]
        ),
    ]

    @Test(arguments: rows)
    func decodes(_ row: Row) {
        let (configuration, findings) = decode(row.text)
        #expect(findings == row.findings)
        #expect((configuration != nil) == row.isDecoded)
    }

    @Test(
        arguments: [
            ("127.0.0.1:8080", "127.0.0.1", 8080), ("localhost:0", "localhost", 0), ("[::]:80", "::", 80),
            ("0.0.0.0:65535", "0.0.0.0", 65_535),
        ]
    )
    func readsAddresses(_ text: String, _ host: String, _ port: Int) throws {
        #expect(try ValueReader.address(text) == ListenAddress(host: host, port: port))
    }

    @Test(arguments: [
        "", "8080", ":8080", "a:", "a:65536", "a:-1", "::1:80", "[a]:80", "a b:80", "[::1]80", "http://a:80",
    ])
    func refusesAddresses(_ text: String) {
        #expect(throws: Expectation.self) { try ValueReader.address(text) }
    }

    @Test(arguments: [
        "", "a", "ftp://a", "http://", "https:///x", "http://:80", "http://a?b", "http://a#b", "http://u@a",
        "http://a b", "http://é",
    ])
    func refusesURLs(_ text: String) {
        #expect(throws: Expectation.self) { try ValueReader.baseURL(text) }
    }

    @Test func everyDefaultCanBeReadAndEveryFieldIsInTheReference() throws {
        let reference = ConfigurationFields.reference()
        for field in (ConfigurationFields.sections + [ConfigurationFields.file, ConfigurationFields.route]).flatMap(
            \.fields
        ) {
            if let text = field.defaultText { _ = try field.read(text) }
            #expect(reference.contains("| `\(field.name)` |"))
        }
    }
}
