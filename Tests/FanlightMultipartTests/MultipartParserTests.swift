// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FanlightMultipart

@Suite struct MultipartParserTests {
    @Test(arguments: MultipartFixtures.all)
    func readsTheWholeBody(_ fixture: BodyFixture) {
        let result = read([fixture.body], boundary: fixture.boundary)
        #expect(result.error == fixture.error)
        #expect(result.parts == fixture.parts)
        #expect(result.isFinished == (fixture.error == nil))
    }

    @Test(arguments: MultipartFixtures.all)
    func readsTheSameAtEverySplit(_ fixture: BodyFixture) {
        for place in 0...fixture.body.count {
            let blocks = [Array(fixture.body[..<place]), Array(fixture.body[place...])]
            let result = read(blocks, boundary: fixture.boundary)
            #expect(result.error == fixture.error, "split at \(place)")
            #expect(result.parts == fixture.parts, "split at \(place)")
            let passed = read(blocks, boundary: fixture.boundary, passing: true)
            #expect(passed.error == fixture.error, "passed, split at \(place)")
            #expect(passed.parts == fixture.parts, "passed, split at \(place)")
        }
    }

    @Test(arguments: MultipartFixtures.all, [1, 2, 3, 7])
    func readsTheSameInSmallBlocks(_ fixture: BodyFixture, _ size: Int) {
        let blocks = stride(from: 0, to: fixture.body.count, by: size).map {
            Array(fixture.body[$0..<min($0 + size, fixture.body.count)])
        }
        for passing in [false, true] {
            let result = read(blocks, boundary: fixture.boundary, passing: passing)
            #expect(result.error == fixture.error)
            #expect(result.parts == fixture.parts)
        }
    }

    @Test func contentPassesByButForWhatMayBeADelimiter() throws {
        func passed(_ text: String) throws -> Int {
            var parser = MultipartParser(boundary: Array("B".utf8))
            parser.append(Array("--B\r\n\r\nabc".utf8))
            while try parser.next() != .needMoreData {}
            // SAFETY: the pointer is used inside the closure only.
            return unsafe Array(text.utf8).withUnsafeBytes { unsafe parser.pass($0) }
        }
        for (text, count) in [
            ("xyz", 3), ("x\r\n--C yz", 9), ("x\r\n--B", 1), ("x\n--B", 1), ("x\r", 1), ("x\r\n", 1), ("x\r\n-", 1),
            ("x\r\n\r\ny", 6), ("\r\n--B--", 0), ("", 0),
        ] {
            #expect(try passed(text) == count, "\(text)")
        }
        var parser = MultipartParser(boundary: Array("B".utf8))
        #expect(unsafe [1, 2, 3].withUnsafeBytes { unsafe parser.pass($0) } == 0)
    }

    @Test(arguments: ["B", "-", "---------------------------3141592653589793", "aabaab"])
    func findsTheFirstDelimiterAmongLinesLikeIt(boundary: String) throws {
        let search = DelimiterSearch(Array("--\(boundary)".utf8))
        var number = 7
        // A fixed sequence, the same in each run (D. Lehmer's generator).
        func random(_ bound: Int) -> Int {
            number = number * 48_271 % 2_147_483_647
            return number % bound
        }
        // Line feeds, and pieces of the delimiter, so that it nearly stands in many places.
        let pieces = [
            [0x0A], [0x0D], [0x2D], Array(search.pattern.dropLast()), Array(search.pattern.dropFirst()), [0x61, 0x62],
        ]
        for round in 0..<2_000 {
            var bytes: [UInt8] = []
            for _ in 0..<random(12) { bytes += pieces[random(pieces.count)] }
            if round.isMultiple(of: 3) { bytes += search.pattern + [0x78] }
            let expected = bytes.indices.first { bytes[$0...].starts(with: search.pattern) }
            // SAFETY: the pointer is used inside the closure only.
            #expect(unsafe bytes.withUnsafeBytes { unsafe search.first(in: $0) } == expected)
        }
    }

    @Test func handsContentOnAsItComes() throws {
        var parser = MultipartParser(boundary: Array("B".utf8))
        parser.append(Array("--B\r\n\r\nabc\r".utf8))
        #expect(try parser.next() == .partBegan(PartHead(name: "")))
        #expect(try parser.next() == .data(Array("abc".utf8)))
        #expect(try parser.next() == .needMoreData)
        // SAFETY: the pointer is used inside the closure only.
        unsafe Array("\n--".utf8).withUnsafeBytes { unsafe parser.append($0) }
        #expect(try parser.next() == .needMoreData)
        parser.append(Array("x".utf8))
        #expect(try parser.next() == .data(Array("\r\n--x".utf8)))
        parser.append(Array("\r\n--B--".utf8))
        #expect(try parser.next() == .partEnded)
        #expect(try parser.next() == .finished)
        parser.append(Array("--B\r\n\r\n".utf8))
        #expect(try parser.next() == .finished)
    }

    @Test func boundsTheHead() {
        var limits = MultipartLimits()
        limits.maxHeaderBytes = 100
        let fits = "--B\r\nA: \(String(repeating: "x", count: 90))\r\n\r\n\r\n--B--"
        #expect(read([Array(fits.utf8)], boundary: "B", limits: limits).error == nil)
        for line in [String(repeating: "x", count: 101), Array(repeating: "A: b", count: 40).joined(separator: "\r\n")]
        {
            let body = Array("--B\r\n\(line)\r\n\r\n\r\n--B--".utf8)
            let whole = read([body], boundary: "B", limits: limits).error
            #expect(whole != nil)
            #expect(read(body.map { [$0] }, boundary: "B", limits: limits).error == whole)
        }
        let endless = Array("--B\r\n".utf8) + [UInt8](repeating: 0x78, count: 200)
        #expect(read([endless], boundary: "B", limits: limits).error == .headerTooLong(offset: 5, limit: 100))
    }

    @Test func boundsNamesPartsAndPreamble() {
        var limits = MultipartLimits()
        limits.maxNameBytes = 10
        limits.maxParts = 3
        limits.maxPreambleBytes = 20
        let named = { (name: String) in Array("--B\r\nContent-Disposition: form-data; \(name)\r\n\r\n\r\n--B--".utf8) }
        #expect(read([named("name=1234567890")], boundary: "B", limits: limits).error == nil)
        #expect(
            read([named("name=12345678901")], boundary: "B", limits: limits).error
                == .nameTooLong(offset: 57, limit: 10)
        )
        #expect(
            read([named("name=a; filename=12345678901")], boundary: "B", limits: limits).error
                == .nameTooLong(offset: 69, limit: 10)
        )
        let parts = { (count: Int) in Array((String(repeating: "--B\r\n\r\n\r\n", count: count) + "--B--").utf8) }
        #expect(read([parts(3)], boundary: "B", limits: limits).parts.count == 3)
        #expect(read([parts(4)], boundary: "B", limits: limits).error == .tooManyParts(offset: 34, limit: 3))
        let preamble = [UInt8](repeating: 0x78, count: 21)
        #expect(read([preamble], boundary: "B", limits: limits).error == .preambleTooLong(offset: 20, limit: 20))
        #expect(
            read(preamble.map { [$0] }, boundary: "B", limits: limits).error == .preambleTooLong(offset: 20, limit: 20)
        )
    }

    @Test func keepsItsError() {
        var parser = MultipartParser(boundary: [])
        for _ in 0..<2 {
            #expect(throws: MultipartError.badBoundary) { try parser.next() }
            parser.append([1])
        }
        var long = MultipartParser(boundary: [UInt8](repeating: 0x62, count: 71))
        #expect(throws: MultipartError.badBoundary) { try long.next() }
    }

    @Test func survivesRandomBodies() {
        var random = SystemRandomNumberGenerator()
        let pieces = [
            "--B", "\r\n", "\n", "\r", "--", "-", " ", "Content-Disposition: form-data; name=\"", "\"", ";",
            "filename*=UTF-8''%e", ":", "x", "\0", "é",
        ]
        for _ in 0..<2_000 {
            let text = (0..<Int.random(in: 0..<30, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }
            var body = Array(text.joined().utf8)
            if let place = body.indices.randomElement(using: &random) {
                body[place] = UInt8.random(in: 0...255, using: &random)
            }
            let whole = read([body], boundary: "B")
            let single = read(body.map { [$0] }, boundary: "B")
            #expect(whole.parts == single.parts && whole.error == single.error, "\(body)")
        }
    }

    @Test func takesLinearTime() {
        let lines = [UInt8](repeating: 0x0A, count: 2_000_000)
        let body = Array("--B\r\n\r\n".utf8) + lines + Array("\r\n--B--".utf8)
        let result = read([body], boundary: "B")
        #expect(result.parts.first?.content.count == lines.count)
    }
}

@Suite struct BoundaryParameterTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var contentType: String
        var boundary: String?
        var testDescription: String { contentType }
    }

    static let rows: [Row] = [
        Row(contentType: "multipart/form-data; boundary=8f2c-4d1b", boundary: "8f2c-4d1b"),
        Row(contentType: "multipart/form-data; boundary=\"8f2c-4d1b\"", boundary: "8f2c-4d1b"),
        Row(contentType: "multipart/form-data; Boundary=8f2c-4d1b", boundary: "8f2c-4d1b"),
        Row(contentType: "Multipart/Form-Data; BOUNDARY=\"8f2c-4d1b\"; charset=utf-8", boundary: "8f2c-4d1b"),
        Row(contentType: "multipart/form-data; boundary=8f2c-4d1b; charset=utf-8", boundary: "8f2c-4d1b"),
        Row(contentType: "multipart/form-data; charset=\"a;b\"; boundary=x", boundary: "x"),
        Row(contentType: "multipart/form-data; boundary=8f2c-4d1b ", boundary: "8f2c-4d1b"),
        Row(contentType: "multipart/form-data;boundary=\"simple boundary:/1\"", boundary: "simple boundary:/1"),
        Row(contentType: "multipart/form-data; boundary=R", boundary: "R"),
        Row(contentType: "multipart/form-data; boundary=a=b", boundary: "a=b"),
        Row(contentType: "multipart/form-data; boundary = x", boundary: "x"),
        Row(contentType: "multipart/mixed; boundary=\"a\\\"b\"", boundary: "a\"b"),
        Row(
            contentType: "multipart/form-data; boundary=" + String(repeating: "b", count: 70),
            boundary: String(repeating: "b", count: 70)
        ),
        Row(contentType: "multipart/form-data; boundary=" + String(repeating: "b", count: 71), boundary: nil),
        Row(contentType: "multipart/form-data; boundary=", boundary: nil),
        Row(contentType: "multipart/form-data; boundary=\"\"", boundary: nil),
        Row(contentType: "multipart/form-data; boundary=\"a\r\nb\"", boundary: nil),
        Row(contentType: "multipart/form-data", boundary: nil),
        Row(contentType: "multipart/form-data; xboundary=a", boundary: nil),
        Row(contentType: "text/plain; boundary=a", boundary: nil),
        Row(contentType: "", boundary: nil),
    ]

    @Test(arguments: rows)
    func reads(_ row: Row) {
        #expect(BoundaryParameter.parse(row.contentType) == row.boundary.map { Array($0.utf8) })
    }
}
