// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@testable import FanlightGateway

@Suite("Reading a client's choices")
struct IntakeTests {
    @Test(
        "Base64 in the spellings that clients send",
        arguments: [
            ("AAEC", [0, 1, 2]), ("AAE=", [0, 1]), ("AAE", [0, 1]), ("AA==", [0]), ("_-8", [255, 239]),
            ("/+8=", [255, 239]),
            ("/ 8=", [255, 239]), ("AA\r\nEC", [0, 1, 2]), ("data:image/png;base64,AAEC", [0, 1, 2]), ("", []),
        ] as [(String, [UInt8])]
    )
    func base64(text: String, bytes: [UInt8]) { #expect(Base64.decodePicture(text) == bytes) }

    @Test("What is no base64", arguments: ["A", "AA=A", "\u{e9}", "data:image/png,AAEC", "a*b"])
    func noBase64(text: String) { #expect(Base64.decodePicture(text) == nil) }

    @Test(
        "JSON numbers in the notation that fields take",
        arguments: [
            ("1e-05", "0.00001"), ("5.1E1", "51"), ("-2e-7", "-0.0000002"), ("12.50", "12.50"), ("1e300", "1e300"),
        ]
    )
    func jsonNumbers(text: String, decimal: String) { #expect(EncodedFormReader.withoutExponent(text) == decimal) }

    @Test("Captions, tags, unknown fields and options")
    func choices() throws {
        let fields = [
            HTTPField("title", "A"), HTTPField("tags", "a, b"), HTTPField("tags", "c"), HTTPField("uid", "7"),
            HTTPField("services", "x,y"), HTTPField("option.x.album", "q"), HTTPField("message", ""),
        ]
        let choices = try UploadChoices(fields)
        #expect(choices.caption.title == "A")
        #expect(choices.caption.message == nil)
        #expect(choices.caption.tags == ["a", "b", "c"])
        #expect(choices.caption.fields.map(\.name) == ["uid"])
        #expect(choices.services == ["x", "y"])
        #expect(choices.options == ["x": ["album": "q"]])
    }

    @Test("Zero is a place when the client says so")
    func zero() throws {
        let choices = try UploadChoices([HTTPField("latitude", "0"), HTTPField("longitude", "0.0")])
        #expect(choices.geotag?.latitude == 0 && choices.geotag?.source == .client)
    }

    @Test(
        "Coordinates that cannot be name their field",
        arguments: [
            ("latitude", "90.1"), ("latitude", "nan"), ("longitude", "0x10"), ("longitude", "-180.5"),
            ("latitude", "5,5"),
        ]
    )
    func badCoordinates(name: String, value: String) {
        let other = name == "latitude" ? "longitude" : "latitude"
        do {
            _ = try UploadChoices([HTTPField(other, "1"), HTTPField(name, value)])
            Issue.record("\(value) was taken")
        } catch {
            #expect(error.code == .badField && error.field == name)
        }
    }

    @Test("Form encoding")
    func urlEncoded() {
        let fields = EncodedFormReader.urlEncodedFields(Array("a=b+c&d=%C3%BC&e&f=1=2&g=%zz".utf8))
        #expect(
            fields == [
                HTTPField("a", "b c"), HTTPField("d", "\u{fc}"), HTTPField("e", ""), HTTPField("f", "1=2"),
                HTTPField("g", "%zz"),
            ]
        )
    }
}
