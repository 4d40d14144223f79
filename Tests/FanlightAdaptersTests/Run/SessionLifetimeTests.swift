// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FanlightAdapters

@Suite struct SessionLifetimeTests {
    @Test(
        arguments: [
            ("3600", 3_600), ("3600.9", 3_600), ("-1", 0), ("1e300", 1_000_000_000), ("nan", nil), ("inf", nil),
            ("-inf", nil),
            ("1e400", nil), ("soon", nil), ("", nil),
        ] as [(String, Int?)]
    )
    func aServicesLifetimeIsBounded(text: String, seconds: Int?) {
        #expect(SessionRun.seconds(text) == seconds)
    }
}
