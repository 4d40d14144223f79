// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore
import Testing

@testable import FanlightGateway

@Suite("Bodies of requests that need none")
struct UnwantedBodyTests {
    private static let paths = [
        "GET /metrics", "GET /readyz", "HEAD /metrics", "GET /v1/uploads", "GET /v1/uploads/x",
        "GET /v1/uploads/x/events", "DELETE /v1/uploads/x", "POST /v1/uploads/x/retry",
    ]

    private static func decide(_ bench: Bench, _ request: String, length: Int?) -> HeadDecision {
        let words = request.split(separator: " ").map(String.init)
        return bench.service.decide(
            RequestHead(method: words[0], path: words[1], contentLength: length, peer: "192.0.2.1")
        )
    }

    private static func receive(_ bytes: Int, _ sink: any BodySink) -> HTTPAnswer? {
        let body = [UInt8](repeating: 0x61, count: bytes)
        // SAFETY: the array is alive during the call.
        return unsafe body.withUnsafeBytes { unsafe sink.receive($0) }
    }

    @Test("A length of more than 64 KB is refused before the body is read", arguments: paths)
    func declared(_ request: String) throws {
        let bench = try Bench(script: Bench.delivers)
        guard case .answer(let answer) = Self.decide(bench, request, length: 65_537) else {
            Issue.record("The body would be read.")
            return
        }
        #expect(answer.status == 413)
        guard case .receive = Self.decide(bench, request, length: 65_536) else {
            Issue.record("A small body was refused.")
            return
        }
    }

    @Test("A body without a length is refused at the byte too many", arguments: paths)
    func undeclared(_ request: String) throws {
        let bench = try Bench(script: Bench.delivers)
        guard case .receive(let sink) = Self.decide(bench, request, length: nil) else {
            Issue.record("The request was refused.")
            return
        }
        #expect(Self.receive(65_000, sink) == nil)
        #expect(Self.receive(536, sink) == nil)
        #expect(Self.receive(1, sink)?.status == 413)
    }

    @Test("A refused body does not count for the rate")
    func rate() throws {
        let rate = Rate(count: 1, period: .seconds(3_600))
        let bench = try Bench(options: .init(callers: { $0.addressRate = rate }), script: Bench.delivers)
        for _ in 0..<2 {
            guard case .answer(let answer) = Self.decide(bench, "POST /v1/uploads/x/retry", length: 1_000_000) else {
                Issue.record("The body would be read.")
                return
            }
            #expect(answer.status == 413)
        }
    }

    @Test("A small body is read and not used")
    func small() async throws {
        let bench = try Bench(script: Bench.delivers)
        let answer = await bench.send("GET", "/v1/uploads", body: Array("{}".utf8))
        #expect(answer.status == 200)
    }
}
