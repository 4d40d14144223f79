// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore
import Testing

@Suite struct YAMLReaderTests {
    /// A text with what must be found in it, as `line:column: words of the message`.
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var text: String
        var findings: [String]
        var hasRoot = true
        var testDescription: String { name }
    }

    static let rows: [Row] = [
        Row(name: "empty", text: "", findings: []),
        Row(name: "comments only", text: "# nothing\n\n", findings: []),
        Row(name: "byte-order mark", text: "\u{FEFF}a: 1\n", findings: []),
        Row(
            name: "duplicate keys",
            text: "a: 1\nb:\n  c: 1\n  c: 2\na: 3\n",
            findings: ["4:3: key 'c' is given twice; first in line 3", "5:1: key 'a' is given twice; first in line 1"]
        ),
        Row(
            name: "undefined anchors",
            text: "a: &first 1\nb: *frist\nc: *other\n",
            findings: [
                "2:4: no anchor '&frist' stands before this alias; did you mean '*first'?", "3:4: no anchor '&other'",
            ]
        ),
        Row(name: "alias to itself", text: "a: &x [1, *x]\n", findings: ["1:11: alias '*x' stands inside the value"]),
        Row(
            name: "tab",
            text: "a:\n\tb: 1\n\tc: 2\n",
            findings: ["2:1: a tab cannot indent", "3:1: a tab cannot indent"],
            hasRoot: false
        ),
        Row(name: "two documents", text: "a: 1\n---\nb: 2\n", findings: ["2:1: only one document"]),
        Row(name: "list as key", text: "[a, b]: 1\nc: 2\n", findings: ["1:1: a key must be a text"]),
        Row(name: "mapping as key", text: "? {a: 1}\n: 2\n", findings: ["1:3: a key must be a text"]),
        Row(name: "missing key", text: "? \n: 1\n", findings: ["1:2: a key is missing"]),
        Row(name: "merge key", text: "a: &a {x: 1}\nb:\n  <<: *a\n", findings: ["3:3: merge keys"]),
        Row(name: "tag", text: "a: !!int 5\nb: !!str 6\n", findings: ["1:4: tags are not supported"]),
        Row(
            name: "open quote",
            text: "a: \"x\nb: y\n",
            findings: ["1:4: this quoted text is not closed"],
            hasRoot: false
        ),
        Row(
            name: "braces between brackets",
            text: "a: {b: Bearer ${env:X}}\n",
            findings: ["1:16: did not find expected ',' or '}'; between brackets a value that holds braces"],
            hasRoot: false
        ),
        Row(name: "second colon", text: "a: b: c\n", findings: ["1:5: a second ': ' in one value"], hasRoot: false),
        Row(name: "reserved", text: "a: @b\n", findings: ["1:4: this character cannot start a value"], hasRoot: false),
        Row(
            name: "control character",
            text: "a: x\u{1}y\nb: \u{7}\n",
            findings: ["1:5: control character", "2:4: control character"]
        ),
        Row(
            name: "lines as editors count them",
            text: "a: \"x\u{85}y\u{2028}z\u{2029}\"\r\nb: 1\rb: 2\n# c\nb: é\u{85}\n\nb: 4\n",
            findings: [
                "3:1: key 'b' is given twice; first in line 2", "5:1: key 'b' is given twice; first in line 2",
                "7:1: key 'b' is given twice; first in line 2",
            ]
        ),
        Row(
            name: "a fault behind other line ends",
            text: "a: \"\u{2028}\u{85}\"\r\nc: b: c\n",
            findings: ["2:5: a second ': ' in one value"],
            hasRoot: false
        ),
        Row(
            name: "tabs behind other line ends",
            text: "a: \"\u{2028}\"\rb:\r\n\tb: 1\r\tc: 2\n",
            findings: ["3:1: a tab cannot indent", "4:1: a tab cannot indent"],
            hasRoot: false
        ),
        Row(
            name: "refused bytes behind other line ends",
            text: "a: x\rb: \"\u{2029}\u{1}\"\n",
            findings: ["2:6: control character"]
        ),
        Row(
            name: "a key with line ends in it",
            text: "\"a\\n\\r\\t\\N\\L\\P\\e\\u202E\": 1\n\"a\\n\\r\\t\\N\\L\\P\\e\\u202E\": 2\n",
            findings: ["2:1: key 'a\\n\\r\\t\\u0085\\u2028\\u2029\\u001B\\u202E' is given twice; first in line 1"]
        ),
        Row(
            name: "findings before a broken line stay",
            text: "a: 1\na: 2\nb: *no\nc: [1\n",
            findings: ["2:1: key 'a' is given twice", "3:4: no anchor '&no'", "5:1: "],
            hasRoot: false
        ),
        Row(name: "depth 64", text: nested(64), findings: []),
        Row(name: "depth 65", text: nested(65), findings: ["1:65: nested more than 64 levels"], hasRoot: false),
        Row(
            name: "depth 100000",
            text: nested(100_000),
            findings: ["1:65: nested more than 64 levels"],
            hasRoot: false
        ),
        Row(
            name: "depth through an alias",
            text:
                "a: &a \(nested(40))\nb: \(String(repeating: "[", count: 30))*a\(String(repeating: "]", count: 30))\n",
            findings: ["2:34: nested more than 64 levels through this alias"]
        ),
        Row(
            name: "alias bomb",
            text: bomb,
            findings: ["4:18: aliases expand to more than 100000 values"],
            hasRoot: false
        ),
    ]

    static func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    static let bomb =
        "a0: &a0 [" + Array(repeating: "x", count: 30).joined(separator: ",") + "]\n"
        + (1...9).map { level in
            "a\(level): &a\(level) [" + Array(repeating: "*a\(level - 1)", count: 30).joined(separator: ",") + "]\n"
        }.joined()

    @Test(arguments: rows)
    func finds(_ row: Row) {
        let (root, diagnostics) = YAMLReader.read(Array(row.text.utf8), file: "c.yaml")
        let found = diagnostics.map { "\($0.position.line):\($0.position.column): \($0.message)" }
        #expect(found.count == row.findings.count, "\(found)")
        for (text, expected) in zip(found, row.findings) {
            #expect(text.hasPrefix(expected))
        }
        #expect((root != nil) == row.hasRoot)
    }

    @Test func reportsEachBadByteAndReadsOn() {
        let bytes = Array("a: x".utf8) + [0xFF] + Array("\nb: é".utf8) + [0xC3] + Array("\nb: 1\n".utf8)
        let (root, diagnostics) = YAMLReader.read(bytes, file: "c.yaml")
        #expect(root?["a"]?.text == "x\u{FFFD}")
        #expect(
            diagnostics.map(\.description) == [
                "c.yaml:1:5: error: this byte is not UTF-8", "c.yaml:2:5: error: this byte is not UTF-8",
                "c.yaml:3:1: error: key 'b' is given twice; first in line 2",
            ]
        )
    }

    @Test func aFileNameWithALineEndStaysInItsLine() {
        let finding = Diagnostic(at: SourcePosition(file: "a\nb", line: 1, column: 1), "x\u{2028}é\u{1F600}")
        #expect(finding.description == "a\\nb:1:1: error: x\\u2028é\u{1F600}")
    }

    @Test func refusesOtherEncodings() {
        #expect(YAMLReader.read([0xFF, 0xFE, 0x61, 0x00], file: "c").diagnostics.count == 1)
        #expect(YAMLReader.read([0xFE, 0xFF, 0x00, 0x61], file: "c").root == nil)
        #expect(YAMLReader.read([UInt8](repeating: 0x20, count: 4_000_001), file: "c").root == nil)
    }

    static let scalars = [
        ("client_id", "918756876419824312"), ("huge", "91875687641982431213254325132521351325"), ("zip", "01234"),
        ("hexlike", "0x1F"), ("octal12", "0o17"), ("pin", "0008"), ("version", "1.10"), ("expo", "1e5"),
        ("infinity", ".inf"), ("sexagesimal", "22:22"), ("date", "2026-11-30"), ("under", "1_000"), ("short", "6E-578"),
        ("no", "no"), ("yes", "Yes"), ("on", "on"), ("null_word", "null"), ("mode", "0755"), ("time", "1:20"),
        ("listen", "127.0.0.1:8080"), ("merge", "<<"), ("equals", "="), ("positive", "+12"), ("nan", ".NaN"),
    ]

    @Test(arguments: scalars)
    func keepsScalarsAsWritten(_ name: String, _ text: String) {
        let (root, diagnostics) = YAMLReader.read(Array("\(name): \(text)\n".utf8), file: "c.yaml")
        #expect(diagnostics.isEmpty)
        #expect(root?[name]?.text == text)
    }

    @Test func tellsNullFromText() {
        let (root, _) = YAMLReader.read(Array("a:\nb: ~\nc: ''\nd: '~'\ne: null\n".utf8), file: "c")
        #expect(root?["a"]?.isNull == true)
        #expect(root?["b"]?.isNull == true)
        #expect(root?["c"]?.text?.isEmpty == true)
        #expect(root?["d"]?.text == "~")
        #expect(root?["e"]?.text == "null")
    }

    @Test func expandsAliasesAndKeepsPositions() {
        let (root, diagnostics) = YAMLReader.read(Array("a: &a {x: 1}\nb: *a\nc:\n  - é: *a\n".utf8), file: "c.yaml")
        #expect(diagnostics.isEmpty)
        #expect(root?["b"]?["x"]?.text == "1")
        let item = root?["c"]?.items.first
        #expect(item?["é"]?["x"]?.text == "1")
        #expect(item?.entries.first?.position == SourcePosition(file: "c.yaml", line: 4, column: 5))
    }

    @Test func survivesRandomBytes() {
        var random = SystemRandomNumberGenerator()
        let pieces = [
            "a: ", "- ", "\n", "  ", "\t", "[", "]", "{", "}", "&x ", "*x", "!t ", "|", ">", "\"", "'", "#", "%", "? ",
            "---\n", "<<: ", "\u{0}",
        ]
        for _ in 0..<5_000 {
            let text = (0..<Int.random(in: 0..<25, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }
            var bytes = Array(text.joined().utf8)
            if let place = bytes.indices.randomElement(using: &random) {
                bytes[place] = UInt8.random(in: 0...255, using: &random)
            }
            _ = YAMLReader.read(bytes, file: "c.yaml")
        }
    }
}
