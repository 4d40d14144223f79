// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore
import Testing

/// What the program reads, an editor must not underline; what it refuses, an editor should.
@Suite struct SchemaAgreementTests {
    /// A type of field, and texts that the schema lets through although they are refused: no pattern tells them apart.
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var type: FieldType
        var lax: Set<String> = []
        var testDescription: String { name }
    }

    private static let rows = [
        Row(name: "text", type: .text), Row(name: "text with something in it", type: .someText),
        // Without quotes these are numbers to an editor.
        Row(name: "secret", type: .secret, lax: numbers), Row(name: "truth", type: .boolean),
        Row(name: "any number", type: .integer(Int.min...Int.max)), Row(name: "from 0", type: .integer(0...Int.max)),
        Row(name: "1 to 100", type: .integer(1...100), lax: ["101", "12000000", "65536", "99999"]),
        Row(name: "duration", type: .duration), Row(name: "size", type: .byteSize),
        Row(name: "some bytes", type: .someBytes, lax: ["0.5B"]), Row(name: "pixels", type: .pixelCount),
        Row(name: "rate", type: .rate), Row(name: "words", type: .choice(["GET", "PUT", "true", "100"])),
        Row(name: "words of any case", type: .anyCase(["GET", "PUT", "MKCOL"])), Row(name: "colour", type: .colour),
        Row(name: "address", type: .address), Row(name: "URL", type: .baseURL), Row(name: "texts", type: .texts),
    ]

    private static let numbers: Set = [
        "0", "00", "-0", "-1", "+1", "1", "5", "100", "101", "1.5", "0.5", "1e3", "12000000", "65536", "99999",
    ]
    private static let words = [
        "true", "false", "True", "yes", "GET", "get", "Put", "PUTT", "mkcol", "White", "white", "#fff", "#ffffff",
        "#FFFFFG", "none", " ", "null", "a, b",
    ]
    private static let amounts = [
        "30s", "30 s", "1h30m", "1d2h3m4s5ms", "30m1h", "1m1m", "1.5s", "1.2345s", ".5s", "5.s", "-5s", "30S",
        "5 s 6ms",
        "30sec", "1h 30m", "0s", "0ms", "5MB", "5mb", "5 MiB", "5iB", "0.5B", "0MB", "0.001KB", "5TB", "-5MB", "5M",
        "100MP", "0MP", "1.5mp", "100 MP", "100PM", "0.0001MP",
    ]
    private static let rates = [
        "10/s", "0/s", "-1/s", "1250/day", "10/15m", "10/1h30m", "10/0s", "10/fortnight", "1.5/s", "10/", "/s",
        "10/s/s",
        "10 / s", "10/week", "10/1.5 h",
    ]
    private static let places = [
        "127.0.0.1:8080", "[::1]:8080", "::1:8080", "name:65535", "name:65536", "name:99999", "name:", ":8080", "[]:80",
        "[name]:80", "name:080", "name:-0", "na me:80", "http://a.example", "HTTPS://a.example/b/", "http://",
        "http:///a", "http://:80", "http://a.example/?q", "http://a.example/#f", "http://u@a.example",
        "ftp://a.example",
        "http://a.example/ b", "http://ä.example", "https://a.example:443/x~y[1]",
    ]
    private static let others = [
        "", "~", "short", "sixteen letters!", "ääääääää", "${env:NAME}", "${file:/run/x}", "a-far-longer-text-than-16",
    ]

    private static func isSchemaContent(_ type: FieldType, _ node: Node) -> Bool {
        var writer = SchemaWriter()
        let schema = writer.property(FieldSpec("key", type, "Key"))
        return SchemaValidator(root: schema).findings(JSONValue(node)).isEmpty
    }

    private static func isParserContent(_ type: FieldType, _ node: Node) -> Bool {
        var diagnostics: [Diagnostic] = []
        let position = SourcePosition(file: "test.yaml", line: 1, column: 1)
        let file = Node(.mapping([.init(key: "key", position: position, value: node)]), at: position)
        // What stands outside fits: the file itself is judged.
        let section = Section("", [FieldSpec("key", type, "Key")])
        _ = section.decode(file, diagnostics: &diagnostics)
        return diagnostics.isEmpty
    }

    @Test(arguments: rows) func fieldsAreReadAsTheSchemaSays(_ row: Row) {
        let position = SourcePosition(file: "test.yaml", line: 1, column: 1)
        let texts = Array(Self.numbers) + Self.words + Self.amounts + Self.rates + Self.places + Self.others
        for text in texts {
            // Without quotes an editor knows these two by their value alone.
            for isPlain in ["null", "+1"].contains(text) ? [false] : [true, false] {
                let node = Node(.scalar(text, isPlain: isPlain), at: position)
                let isRead = Self.isParserContent(row.type, node)
                let isValid = Self.isSchemaContent(row.type, node)
                if text.contains("${") {
                    #expect(isValid, "'\(text)' may hold anything")
                } else if isRead {
                    #expect(isValid, "'\(text)' is read")
                } else if !row.lax.contains(text) {
                    #expect(!isValid, "'\(text)' is refused, plain: \(isPlain)")
                }
            }
        }
    }

    @Test(arguments: rows) func listsAndMappingsAreWhereTheyBelong(_ row: Row) {
        let position = SourcePosition(file: "test.yaml", line: 1, column: 1)
        let item = Node(.scalar("a", isPlain: true), at: position)
        for node in [
            Node(.sequence([item]), at: position),
            Node(.mapping([.init(key: "a", position: position, value: item)]), at: position),
        ] {
            #expect(Self.isParserContent(row.type, node) == Self.isSchemaContent(row.type, node))
        }
    }
}
