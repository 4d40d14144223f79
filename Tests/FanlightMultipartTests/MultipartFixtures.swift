// SPDX-License-Identifier: Apache-2.0

import FanlightMultipart
import Testing

/// What a body must give: a part's head with its whole content.
struct ReadPart: Sendable, Equatable {
    var head: PartHead
    var content: [UInt8]
}

/// A body with its boundary and the parts that must come out.
struct BodyFixture: Sendable, CustomTestStringConvertible {
    var name: String
    var boundary = "B"
    var body: [UInt8]
    var parts: [ReadPart] = []
    var error: MultipartError?
    var testDescription: String { name }

    init(
        _ name: String,
        boundary: String = "B",
        _ body: String,
        _ parts: [(PartHead, String)] = [],
        error: MultipartError? = nil
    ) {
        self.name = name
        self.boundary = boundary
        self.body = Array(body.utf8)
        self.parts = parts.map { ReadPart(head: $0.0, content: Array($0.1.utf8)) }
        self.error = error
    }
}

/// Reads a body given in blocks; stops with the error, if any.
func read(
    _ blocks: [[UInt8]],
    boundary: String,
    limits: MultipartLimits = MultipartLimits(),
    passing: Bool = false
) -> (parts: [ReadPart], isFinished: Bool, error: MultipartError?) {
    var parser = MultipartParser(boundary: Array(boundary.utf8), limits: limits)
    var parts: [ReadPart] = []
    var open: ReadPart?
    var waiting = blocks[...]
    do throws(MultipartError) {
        while true {
            switch try parser.next() {
            case .partBegan(let head): open = ReadPart(head: head, content: [])
            case .data(let bytes): open?.content += bytes
            case .partEnded:
                if let part = open { parts.append(part) }
                open = nil
            case .finished: return (parts, open == nil, nil)
            case .needMoreData:
                guard var block = waiting.popFirst() else {
                    parser.finishInput()
                    continue
                }
                if passing, open != nil {
                    // SAFETY: the pointer is used inside the closure only.
                    let passed = unsafe block.withUnsafeBytes { unsafe parser.pass($0) }
                    open?.content += block.prefix(passed)
                    block.removeFirst(passed)
                }
                parser.append(block)
            }
        }
    } catch {
        return (parts, false, error)
    }
}

enum MultipartFixtures {
    private static func part(_ head: String, _ content: String) -> String { "--B\r\n\(head)\r\n\r\n\(content)\r\n" }

    static let all: [BodyFixture] = [
        BodyFixture(
            "field and file",
            part("Content-Disposition: form-data; name=\"title\"", "Grüße")
                + part(
                    "Content-Disposition: form-data; name=\"file\"; filename=\"a.jpg\"\r\nContent-Type: image/jpeg",
                    "\r\n--\r\n--A\r\n"
                )
                + "--B--\r\n",
            [
                (PartHead(name: "title"), "Grüße"),
                (PartHead(name: "file", filename: "a.jpg", contentType: "image/jpeg"), "\r\n--\r\n--A\r\n"),
            ]
        ),
        BodyFixture(
            "line break and text before the first delimiter",
            "\r\nhello\r\n" + part("Content-Disposition: form-data; name=a", "1") + "--B--",
            [(PartHead(name: "a"), "1")]
        ),
        BodyFixture(
            "lines that end with LF",
            "--B\nContent-Disposition: form-data; name=a\n\n1\r\n--B\nContent-Disposition: form-data; name=b\n\n2\n--B--\n",
            [(PartHead(name: "a"), "1\r"), (PartHead(name: "b"), "2")]
        ),
        BodyFixture(
            "no blank after the colon, other case",
            part("content-disposition:FORM-DATA;NAME=\"a\"\r\nCONTENT-TYPE:text/plain", "1") + "--B--",
            [(PartHead(name: "a", contentType: "text/plain"), "1")]
        ),
        BodyFixture(
            "file name on a line of its own",
            part(
                "Content-Disposition: form-data; name=\"media\";\r\nfilename=\"media.png\"\r\nContent-Type: image/png",
                "x"
            ) + "--B--",
            [(PartHead(name: "media", contentType: "image/png"), "x")]
        ),
        BodyFixture(
            "folded line",
            part("Content-Disposition: form-data;\r\n name=\"media\";\r\n\tfilename=\"m.png\"", "x") + "--B--",
            [(PartHead(name: "media", filename: "m.png"), "x")]
        ),
        BodyFixture(
            "attachment",
            part("Content-Disposition: attachment; name=\"image\"; filename=\".tiff\"", "x") + "--B--",
            [(PartHead(name: "image", filename: ".tiff"), "x")]
        ),
        BodyFixture(
            "extended file name wins",
            part("Content-Disposition: form-data; name=f; filename=\"x.jpg\"; filename*=UTF-8''%e2%82%ac%20a.jpg", "x")
                + "--B--",
            [(PartHead(name: "f", filename: "€ a.jpg"), "x")]
        ),
        BodyFixture(
            "extended file name in Latin-1, malformed ones are passed over",
            part("Content-Disposition: form-data; name=f; filename*=iso-8859-1'en'%A3.jpg", "x")
                + part("Content-Disposition: form-data; name=f; filename=a; filename*=UTF-8''%zz", "x") + "--B--",
            [(PartHead(name: "f", filename: "£.jpg"), "x"), (PartHead(name: "f", filename: "a"), "x")]
        ),
        BodyFixture(
            "quoted pairs and old paths",
            part("Content-Disposition: form-data; name=\"a\\\"b\\\\\"; filename=\"C:\\dir\\p.jpg\"", "x") + "--B--",
            [(PartHead(name: "a\"b\\", filename: "C:\\dir\\p.jpg"), "x")]
        ),
        BodyFixture(
            "blanks and semicolons in names",
            part("Content-Disposition: form-data ; name = \"a;b\" ;; x; filename=my photo.jpg", "x") + "--B--",
            [(PartHead(name: "a;b", filename: "my photo.jpg"), "x")]
        ),
        BodyFixture(
            "no file chosen",
            part("Content-Disposition: form-data; name=f; filename=\"\"", "") + "--B--",
            [(PartHead(name: "f", filename: ""), "")]
        ),
        BodyFixture(
            "transfer encoding",
            part("Content-Disposition: form-data; name=f\r\nContent-Transfer-Encoding: BASE64 ", "eA==") + "--B--",
            [(PartHead(name: "f", transferEncoding: "base64"), "eA==")]
        ),
        BodyFixture("no head at all", "--B\r\n\r\nx\r\n--B--", [(PartHead(name: ""), "x")]),
        BodyFixture(
            "empty content without its own line break",
            "--B\r\nContent-Disposition: form-data; name=a\r\n\r\n--B--\r\n",
            [(PartHead(name: "a"), "")]
        ),
        BodyFixture(
            "delimiter inside the head",
            "--B\r\nContent-Disposition: form-data; name=a\r\n--B\r\n\r\nx\r\n--B--\r\n",
            [(PartHead(name: "a"), ""), (PartHead(name: ""), "x")]
        ),
        BodyFixture(
            "padding behind the delimiter",
            "--B \t\r\n\r\nx\r\n--B  \r\n\r\ny\r\n--B--",
            [(PartHead(name: ""), "x"), (PartHead(name: ""), "y")]
        ),
        BodyFixture(
            "closing delimiter followed by CR, blank, LF",
            part("A: b", "x") + "--B--\r \nrest\r\n--B\r\n\r\ny",
            [(PartHead(name: ""), "x")]
        ),
        BodyFixture("nothing behind the last delimiter", part("A: b", "x") + "--B", [(PartHead(name: ""), "x")]),
        BodyFixture("one dash behind the last delimiter", part("A: b", "x") + "--B-", [(PartHead(name: ""), "x")]),
        BodyFixture("plain delimiter line at the end", part("A: b", "x") + "--B\r\n", [(PartHead(name: ""), "x")]),
        BodyFixture(
            "longer words that start like the delimiter",
            part("A: b", "\r\n--Bx\r\n--B-x\r\n --B\r\n--B \tx\n--A") + "--B--",
            [(PartHead(name: ""), "\r\n--Bx\r\n--B-x\r\n --B\r\n--B \tx\n--A")]
        ),
        BodyFixture("only the closing delimiter", "--B--\r\n"),
        BodyFixture(
            "boundary of dashes",
            boundary: "----0983",
            "------0983\r\n\r\n\r\n----098\r\n------0983--",
            [(PartHead(name: ""), "\r\n----098")]
        ),
        BodyFixture("nothing", "", error: .noDelimiter(offset: 0)),
        BodyFixture("another boundary", "--C\r\n\r\nx\r\n--C--\r\n", error: .noDelimiter(offset: 17)),
        BodyFixture("cut in the head", "--B\r\nContent-Dis", error: .truncated(offset: 16)),
        BodyFixture("cut in the content", "--B\r\n\r\nabc\r\n--", error: .truncated(offset: 14)),
        BodyFixture(
            "cut behind a part",
            part("A: b", "x") + "--B\r\n\r\n",
            [(PartHead(name: ""), "x")],
            error: .truncated(offset: 23)
        ),
    ]
}
