// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightCore
import Testing

@Suite("What a reply says about the next request")
struct ReplyPacingTests {
    private static let now = 1_700_000_000

    @Test(
        "Retry-After and used-up allowances in the forms that services send",
        arguments: [
            (429, ["Retry-After": "7"], 7.0), (503, ["Retry-After": "7"], 7), (500, ["Retry-After": "7"], nil),
            (200, ["Retry-After": "7"], nil), (429, ["Retry-After": "Tue, 14 Nov 2023 22:13:50 GMT"], 30),
            (429, ["Retry-After": "Tue, 14 Nov 2023 22:13:00 GMT"], nil), (429, ["Retry-After": "soon"], nil),
            (429, ["Retry-After": "99999999999"], 3_600), (429, ["Retry-After": "1e400"], nil),
            (429, ["Retry-After": "-5"], nil), (429, ["Retry-After": "nan"], nil),
            (200, ["X-Post-Rate-Limit-Remaining": "0", "X-Post-Rate-Limit-Reset": "90"], 90),
            (200, ["X-Post-Rate-Limit-Remaining": "3", "X-Post-Rate-Limit-Reset": "90"], nil),
            (200, ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1700000060"], 60),
            (200, ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "2023-11-14T22:14:20.000Z"], 60),
            (200, ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset-After": "1.5", "X-RateLimit-Reset": "9"], 1.5),
            (200, ["ratelimit-remaining": "0", "ratelimit-reset": "1700000010"], 10),
            (200, ["x-rate-limit-remaining": "0", "x-rate-limit-reset": "1700000010"], 10),
            (200, ["X-RateLimit-Remaining": "0"], nil), (200, [:], nil),
        ] as [(Int, [String: String], Double?)]
    )
    func pauses(status: Int, headers: [String: String], seconds: Double?) {
        let fields = headers.map { HTTPField($0.key, $0.value) }
        let reply = HTTPReply(status: status, headers: fields, body: [], finalURL: "")
        #expect(ReplyPacing(reply, now: Self.now).pause == seconds.map { .milliseconds(Int($0 * 1_000)) })
    }
}
