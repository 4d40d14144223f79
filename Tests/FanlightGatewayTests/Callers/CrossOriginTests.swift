// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@testable import FanlightGateway

@Suite("Web pages of other origins")
struct CrossOriginTests {
    private static func answer(_ method: String, _ origins: [String], _ headers: [HTTPField]) throws -> HTTPAnswer {
        let bench = try Bench(options: .init(callers: { $0.cors = origins }), script: Bench.delivers)
        let head = RequestHead(method: method, path: "/v1/services", headers: headers)
        guard case .answer(let answer) = bench.service.decide(head) else { throw Unexpected() }
        return answer
    }

    private struct Unexpected: Error {}

    private static func value(_ answer: HTTPAnswer, _ name: String) -> String? {
        answer.headers.first { $0.name == name }?.value
    }

    @Test("A browser that asks first is told what the page may send, without a key")
    func preflight() throws {
        let asked = [
            HTTPField("Origin", "https://App.example"), HTTPField("Access-Control-Request-Method", "POST"),
            HTTPField("Access-Control-Request-Headers", "authorization"),
        ]
        let answer = try Self.answer("OPTIONS", ["https://app.example"], asked)
        #expect(answer.status == 204)
        #expect(Self.value(answer, "Access-Control-Allow-Origin") == "https://App.example")
        #expect(Self.value(answer, "Access-Control-Allow-Methods")?.contains("DELETE") == true)
        #expect(Self.value(answer, "Access-Control-Allow-Headers")?.contains("Authorization") == true)
        #expect(Self.value(answer, "Access-Control-Allow-Credentials") == nil)
    }

    @Test("A page of the list may read the answer and its telling headers")
    func listed() throws {
        let answer = try Self.answer("GET", ["https://app.example"], [HTTPField("Origin", "https://app.example")])
        #expect(answer.status == 200)
        #expect(Self.value(answer, "Access-Control-Allow-Origin") == "https://app.example")
        #expect(Self.value(answer, "Vary") == "Origin")
        for name in ["Location", "Retry-After", "X-Request-Id"] {
            #expect(Self.value(answer, "Access-Control-Expose-Headers")?.contains(name) == true)
        }
    }

    @Test(
        "Others are told nothing",
        arguments: ["https://app.example.evil.test", "http://app.example", "https://app.example:8443", "null"]
    )
    func unlisted(origin: String) throws {
        let answer = try Self.answer("GET", ["https://app.example"], [HTTPField("Origin", origin)])
        #expect(Self.value(answer, "Access-Control-Allow-Origin") == nil)
        #expect(Self.value(answer, "Vary") == "Origin")
    }

    @Test("Without a list no answer speaks of it, and with a star none speaks of credentials")
    func extremes() throws {
        let origin = [HTTPField("Origin", "https://any.example")]
        #expect(Self.value(try Self.answer("GET", [], origin), "Vary") == nil)
        let open = try Self.answer("GET", ["*"], origin)
        #expect(Self.value(open, "Access-Control-Allow-Origin") == "*")
        #expect(Self.value(open, "Access-Control-Allow-Credentials") == nil)
    }
}
