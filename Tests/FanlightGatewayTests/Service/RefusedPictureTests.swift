// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightTestSupport
import Testing

@testable import FanlightGateway

@Suite("A picture that nothing can be made of")
struct RefusedPictureTests {
    @Test(
        "It is refused, told in one line of the log, and reaches no service",
        arguments: [
            (ImageError.processingFailed("the picture took too long"), 422, "processing_failed"),
            (.truncated, 422, "damaged_picture"), (.unavailable("no helper"), 503, "unavailable"),
        ]
    )
    func logged(error: ImageError, status: Int, code: String) async throws {
        let bench = try Bench(script: Bench.delivers)
        bench.images.refuse(with: error)
        let answer = await bench.post(headers: [HTTPField("X-Request-Id", "r1")])
        #expect(answer.status == status && answer.body["code"]?.string == code)
        #expect(bench.transport.requests.isEmpty)
        let line = try #require(bench.lines.list.first)
        #expect(bench.lines.list.count == 1)
        #expect(line["level"]?.string == "warning" && line["message"]?.string == "picture refused")
        #expect(line["code"]?.string == code && line["request_id"]?.string == "r1")
        #expect(line["media_type"]?.string == "image/gif" && line["detail"] == answer.body["detail"])
    }

    @Test("What one service cannot have is no refusal")
    func oneService() async throws {
        let bench = try Bench(script: Bench.delivers)
        bench.images.refuse(with: .noRendition("too small a limit"))
        #expect(await bench.post().status == 502)
        #expect(await Bench.eventually { bench.lines.list.count == 4 })
        #expect(!bench.lines.list.contains { $0["message"]?.string == "picture refused" })
    }
}
