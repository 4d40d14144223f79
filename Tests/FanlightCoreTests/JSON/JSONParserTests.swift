// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@Suite struct JSONParserTests {
    struct Accepted: Sendable, CustomTestStringConvertible {
        var text: String
        var value: JSONValue
        var testDescription: String { text }
    }

    static let accepted: [Accepted] = [
        Accepted(text: "null", value: .null),
        Accepted(text: " true ", value: .bool(true)),
        Accepted(text: "false", value: .bool(false)),
        Accepted(text: "0", value: .number("0")),
        Accepted(text: "-0.0e+10", value: .number("-0.0e+10")),
        Accepted(text: "918756876419824312", value: .number("918756876419824312")),
        Accepted(
            text: "91875687641982431213254325132521351325",
            value: .number("91875687641982431213254325132521351325")
        ),
        Accepted(text: "1.10", value: .number("1.10")),
        Accepted(text: "\"\"", value: .string("")),
        Accepted(text: #""a\"\\\/\b\f\n\r\t""#, value: .string("a\"\\/\u{8}\u{C}\n\r\t")),
        Accepted(text: #""\u00e9\u20AC""#, value: .string("é€")),
        Accepted(text: #""\ud83d\ude00""#, value: .string("😀")),
        Accepted(text: #""\ud83d""#, value: .string("\u{FFFD}")),
        Accepted(text: #""\ude00\ud83dx""#, value: .string("\u{FFFD}\u{FFFD}x")),
        Accepted(text: #""\ud83d\u0041""#, value: .string("\u{FFFD}A")),
        Accepted(text: #""\u0000""#, value: .string("\0")),
        Accepted(text: "\"Grüße\u{7F}\"", value: .string("Grüße\u{7F}")),
        Accepted(text: "[]", value: .array([])),
        Accepted(text: "[ 1 , [ ] , { } ]", value: .array([.int(1), .array([]), .object([])])),
        Accepted(
            text: #"{"b":1,"a":2,"b":3}"#,
            value: .object([.init("b", .int(1)), .init("a", .int(2)), .init("b", .int(3))])
        ),
        Accepted(text: "\u{FEFF}{}", value: .object([])),
    ]

    @Test(arguments: accepted)
    func reads(_ row: Accepted) throws {
        #expect(try JSONParser.parse(Array(row.text.utf8)) == row.value)
    }

    struct Refused: Sendable, CustomTestStringConvertible {
        var text: String
        var kind: JSONError.Kind
        var offset: Int
        var testDescription: String { text }
    }

    static let refused: [Refused] = [
        Refused(text: "", kind: .unexpectedEnd, offset: 0),
        Refused(text: "  ", kind: .unexpectedEnd, offset: 2),
        Refused(text: "nul", kind: .badLiteral, offset: 0),
        Refused(text: "True", kind: .unexpectedByte, offset: 0),
        Refused(text: "{}x", kind: .trailingBytes, offset: 2),
        Refused(text: "[1,]", kind: .unexpectedByte, offset: 3),
        Refused(text: "[1 2]", kind: .unexpectedByte, offset: 3),
        Refused(text: "[", kind: .unexpectedEnd, offset: 1),
        Refused(text: "{\"a\"}", kind: .unexpectedByte, offset: 4),
        Refused(text: "{a:1}", kind: .unexpectedByte, offset: 1),
        Refused(text: "{\"a\":1,}", kind: .unexpectedByte, offset: 7),
        Refused(text: "01", kind: .badNumber, offset: 1),
        Refused(text: "-", kind: .badNumber, offset: 1),
        Refused(text: "1.", kind: .badNumber, offset: 2),
        Refused(text: "1e", kind: .badNumber, offset: 2),
        Refused(text: "+1", kind: .unexpectedByte, offset: 0),
        Refused(text: ".5", kind: .unexpectedByte, offset: 0),
        Refused(text: "NaN", kind: .unexpectedByte, offset: 0),
        Refused(text: "\"a", kind: .unexpectedEnd, offset: 2),
        Refused(text: "\"a\nb\"", kind: .controlCharacter, offset: 2),
        Refused(text: #""\x""#, kind: .badEscape, offset: 1),
        Refused(text: #""\u12G4""#, kind: .badEscape, offset: 1),
        Refused(text: #""\u12"#, kind: .unexpectedEnd, offset: 5),
        Refused(text: "'a'", kind: .unexpectedByte, offset: 0),
        Refused(text: "[1]//x", kind: .trailingBytes, offset: 3),
    ]

    @Test(arguments: refused)
    func refuses(_ row: Refused) {
        #expect(throws: JSONError(row.kind, at: row.offset)) { try JSONParser.parse(Array(row.text.utf8)) }
    }

    @Test func refusesStringsThatAreNotUTF8() {
        let bytes = Array("[\"".utf8) + [0xE9] + Array("\"]".utf8)
        #expect(throws: JSONError(.badEncoding, at: 1)) { try JSONParser.parse(bytes) }
    }

    @Test func boundsTheDepth() throws {
        let text = { (depth: Int) in
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        _ = try JSONParser.parse(text(64))
        #expect(throws: JSONError(.tooDeep, at: 64)) { try JSONParser.parse(text(65)) }
        #expect(throws: JSONError(.tooDeep, at: 512)) { try JSONParser.parse(text(100_000), maxDepth: .max) }
    }

    @Test func looksUpTheFirstMemberOfAName() throws {
        let value = try JSONParser.parse(Array(#"{"a":{"b":[7,"x",true,1.5]},"a":null}"#.utf8))
        #expect(value["a"]?["b"]?[0]?.int == 7)
        #expect(value["a"]?["b"]?[1]?.string == "x")
        #expect(value["a"]?["b"]?[2]?.bool == true)
        #expect(value["a"]?["b"]?[3]?.double == 1.5)
        #expect(value["a"]?["b"]?[3]?.int == nil)
        #expect(value["a"]?["b"]?[4] == nil)
        #expect(value.object?.count == 2)
        #expect(value.array == nil)
    }

    @Test(arguments: accepted)
    func writesWhatItReads(_ row: Accepted) throws {
        #expect(try JSONParser.parse(Array(row.value.serialized().utf8)) == row.value)
        #expect(try JSONParser.parse(Array(row.value.serialized(pretty: true).utf8)) == row.value)
    }

    @Test func writesCompactAndPretty() {
        let value: JSONValue = .object([
            .init("a", .array([1, .optional(nil), .double(-0.1275), .double(2), .double(.nan)])),
            .init("b\u{1}\n", "é\"\\"),
            .init("c", .object([])),
        ])
        #expect(value.serialized() == #"{"a":[1,null,-0.1275,2,null],"b\u0001\n":"é\"\\","c":{}}"#)
        #expect(JSONValue.string("</script>\u{7F}").serialized() == #""\u003c/script>\u007f""#)
        #expect(
            value.serialized(pretty: true) == """
                {
                  "a": [
                    1,
                    null,
                    -0.1275,
                    2,
                    null
                  ],
                  "b\\u0001\\n": "é\\"\\\\",
                  "c": {}
                }
                """
        )
    }

    @Test func survivesRandomBytes() {
        var random = SystemRandomNumberGenerator()
        let alphabet = Array("{}[]\",:\\u0019eE+-.tfn \u{FF}".utf8)
        for _ in 0..<5_000 {
            let bytes = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
                alphabet.randomElement(using: &random) ?? 0
            }
            _ = try? JSONParser.parse(bytes)
        }
    }
}
