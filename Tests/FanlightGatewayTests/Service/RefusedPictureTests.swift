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

    @Test(
        "What its own bytes say against it is told, too: damaged, cut off, a bomb, of no kind that is taken",
        arguments: [
            (Array(SamplePicture.gif.prefix(9)), "damaged_picture"), (Array("no picture".utf8), "unsupported_type"),
            (Self.bomb, "too_many_pixels"),
        ]
    )
    func bytes(picture: [UInt8], code: String) async throws {
        let bench = try Bench(script: Bench.delivers)
        let answer = await bench.post(headers: [HTTPField("X-Request-Id", "r2")], picture: picture)
        #expect(answer.body["code"]?.string == code)
        let lines = bench.lines.list
        #expect(lines.count == 1)
        #expect(lines.first?["message"]?.string == "picture refused" && lines.first?["code"]?.string == code)
        #expect(lines.first?["request_id"]?.string == "r2" && lines.first?["bytes"] == .number("\(picture.count)"))
    }

    /// A GIF that declares 65,535 x 65,535 pixels.
    private static let bomb: [UInt8] = {
        var bytes = SamplePicture.gif
        for index in 6..<10 { bytes[index] = 0xFF }
        return bytes
    }()

    @Test("What one service cannot have is no refusal")
    func oneService() async throws {
        let bench = try Bench(script: Bench.delivers)
        bench.images.refuse(with: .noRendition("too small a limit"))
        #expect(await bench.post().status == 502)
        #expect(await Bench.eventually { bench.lines.list.count == 4 })
        #expect(!bench.lines.list.contains { $0["message"]?.string == "picture refused" })
    }
}
