// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore
import Foundation
import Testing

@Suite struct SchemaTests {
    private static let adapterSchema = SchemaValidator(root: AdapterSchema.document())
    private static let fileSchema: SchemaValidator = {
        var writer = AdapterSchema.writer(.standard)
        return SchemaValidator(root: ConfigurationFields.schema(&writer))
    }()

    private static func value(_ text: String) throws -> JSONValue {
        JSONValue(try #require(YAMLReader.read(Array(text.utf8), file: "test.yaml").root))
    }

    @Test func theShippedConfigurationIsValid() throws {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("config.yaml")
        let text = try String(contentsOf: path, encoding: .utf8)
        #expect(Self.fileSchema.findings(try Self.value(text)) == [])
    }

    @Test(arguments: Catalogue.standard.names)
    func everyCatalogueEntryIsValid(_ name: String) throws {
        let node = try #require(Catalogue.standard[name])
        #expect(Self.adapterSchema.findings(JSONValue(node)) == [])
    }

    @Test(arguments: [
        "services: {a: {url: 'https://a.example/', file: f, link: $.url}}",
        "services: {a: {adapter: local, folder: ./album}}",
        "services: {a: {adapter: unknown-to-the-schema, anything: 1}}",
        "services: {a: {url: 'https://a.example/', limits: {bytes: 5MB, rate: 1250/day, frames: 1}}}",
        "services: {a: {url: 'https://a.example/', limits: {bytes: 0.5MB, rate: 10/s, pixels: 100MP}}}",
        "services: {a: {url: 'https://a.example/', deadline: '${env:DEADLINE}'}}",
        "services: {a: {url: 'https://a.example/', ok: [status == 200, {any: ['$.a == 1', '$.b exists']}]}}",
        "services: {a: {url: [{when: option.x, value: 'https://a.example/'}], options: {x: {type: bool}}}}",
        "routes: {default: [a, b], one: a, two: {services: [a], policy: first}, three: {policy: {quorum: 2}}}",
        "adapters: {x: {url: 'https://a.example/', settings: {k: {secret: true}}}}\nserver: {drain: 1m30s}",
    ])
    func whatTheProgramReadsIsValid(_ text: String) throws {
        #expect(Self.fileSchema.findings(try Self.value(text)) == [])
    }

    @Test(arguments: [
        ("servers: {}", "/servers"),
        ("server: {drain: 30}", "/server/drain"),
        ("image: {quality: 101}", "/image/quality"),
        ("image: {metadata: stripped}", "/image/metadata"),
        ("services: {a: {link: $.url, lnik: $.url}}", "/services/a/lnik"),
        ("services: {a: {adapter: local, floder: x}}", "/services/a/floder"),
        ("services: {a: {limits: {byte: 5MB}}}", "/services/a/limits/byte"),
        ("services: {a: {limits: {bytes: 5 potatoes}}}", "/services/a/limits/bytes"),
        ("services: {a: {limits: {bytes: 0}}}", "/services/a/limits/bytes"),
        ("services: {a: {limits: {bytes: 0.0MB}}}", "/services/a/limits/bytes"),
        ("services: {a: {limits: {pixels: 0}}}", "/services/a/limits/pixels"),
        ("services: {a: {limits: {rate: 0/day}}}", "/services/a/limits/rate"),
        ("services: {a: {auth: {type: bearrer}}}", "/services/a/auth"),
        ("services: {a: {error: {kinds: {1: nonsense}}}}", "/services/a/error/kinds/1"),
        ("services: [a]", "/services"),
    ])
    func whatTheProgramRefusesIsNotValid(_ text: String, _ place: String) throws {
        let findings = Self.fileSchema.findings(try Self.value(text))
        #expect(findings.contains { $0.hasPrefix(place + ":") }, "\(findings)")
    }

    @Test func aMistakeInAnAdapterFileIsFound() throws {
        let findings = Self.adapterSchema.findings(try Self.value("url: https://a.example/\nfields: [a]\nurls: x"))
        #expect(findings.count == 2)
    }

    @Test func settingsOfAnAdapterAreOffered() {
        let rules = Self.fileSchema.root["$defs"]?["service"]?["allOf"]?.array ?? []
        #expect(rules.count == Catalogue.standard.names.count + 1)
    }
}
