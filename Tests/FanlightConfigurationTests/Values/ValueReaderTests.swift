// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import Testing

@Suite struct ValueReaderTests {
    @Test(
        arguments: [
            ("500ms", Duration.milliseconds(500)), ("30s", .seconds(30)), ("2m", .seconds(120)),
            ("1h", .seconds(3_600)),
            ("1.5s", .milliseconds(1_500)), ("1h30m", .seconds(5_400)), ("1d", .seconds(86_400)), ("0", .zero),
            ("0s", .zero),
            ("10 s", .seconds(10)), ("11574d", .seconds(11_574 * 86_400)),
        ]
    )
    func readsDurations(_ text: String, _ value: Duration) throws {
        #expect(try ValueReader.duration(text) == value)
    }

    @Test(arguments: [
        "", "30", "s", "-1s", "1x", "1.s", ".5s", "1.2345s", "30m1h", "1s1s", "1s ", "١s",
        "99999999999999999999", "99999999999999999999x",
    ])
    func refusesDurations(_ text: String) {
        #expect(throws: Expectation("a duration with its unit, such as 500ms, 30s, 2m or 1h")) {
            try ValueReader.duration(text)
        }
    }

    @Test(arguments: ["99999999999d", "99999999999999999999s", "9999999999999999s", "11575d", "99999999999d1h"])
    func refusesDurationsThatAreTooLong(_ text: String) {
        #expect(throws: Expectation("a shorter duration: at most 11574d")) {
            try ValueReader.duration(text)
        }
    }

    @Test func refusesNumbersThatAreTooLarge() {
        #expect(throws: Expectation("a smaller size: at most 9223372GB")) {
            try ValueReader.byteSize("9999999999999999GB")
        }
        #expect(throws: Expectation("fewer pixels: at most 9223372036854MP")) {
            try ValueReader.pixelCount("99999999999999999999MP")
        }
        #expect(throws: Expectation("a smaller whole number: at most 9223372036854775807")) {
            try ValueReader.integer("9223372036854775808")
        }
    }

    @Test(
        arguments: [
            ("5MB", 5_000_000), ("10MiB", 10_485_760), ("500KB", 500_000), ("1.5kB", 1_500), ("1GiB", 1_073_741_824),
            ("12B", 12), ("0", 0), ("2 GB", 2_000_000_000), ("1KiB", 1_024),
        ]
    )
    func readsSizes(_ text: String, _ value: Int) throws {
        #expect(try ValueReader.byteSize(text) == value)
    }

    @Test(arguments: ["", "5", "5M", "MB", "-5MB", "1e3MB", "5MBx", "5MB1KB"])
    func refusesSizes(_ text: String) {
        #expect(throws: Expectation("a size with its unit, such as 500KB, 5MB or 10MiB")) {
            try ValueReader.byteSize(text)
        }
    }

    @Test(
        arguments: [
            ("1250/day", Rate(count: 1_250, period: .seconds(86_400))), ("10/s", Rate(count: 10, period: .seconds(1))),
            ("3/minute", Rate(count: 3, period: .seconds(60))), ("500/15m", Rate(count: 500, period: .seconds(900))),
            ("50/hour", Rate(count: 50, period: .seconds(3_600))),
        ]
    )
    func readsRates(_ text: String, _ value: Rate) throws {
        #expect(try ValueReader.rate(text) == value)
    }

    @Test(arguments: ["", "5", "/day", "0/day", "-1/day", "5/", "5/fortnight", "5/day/hour", "5/0s"])
    func refusesRates(_ text: String) {
        #expect(throws: Expectation("a rate such as 10/second, 500/hour or 1250/day")) { try ValueReader.rate(text) }
    }

    @Test func readsBooleansAndIntegers() throws {
        #expect(try ValueReader.boolean("true"))
        #expect(try !ValueReader.boolean("false"))
        for text in ["yes", "no", "on", "True", "1", ""] {
            #expect(throws: Expectation("true or false")) { try ValueReader.boolean(text) }
        }
        #expect(try ValueReader.integer("0") == 0)
        #expect(try ValueReader.integer("-5", in: -10...10) == -5)
        #expect(try ValueReader.integer("0755") == 755)
        for text in ["", "-", "+5", "1_000", "0x10", "1.0", "99999999999999999999", "11"] {
            #expect(throws: Expectation("a whole number from 1 to 10")) { try ValueReader.integer(text, in: 1...10) }
        }
    }

    @Test(
        arguments: [
            ("adaptor", "adapter"), ("sevices", "services"), ("max-edge", "max_edge"), ("Quality", "quality"),
            ("max_egde", "max_edge"), ("xyz", nil), ("", nil), (String(repeating: "a", count: 1_000), nil),
        ] as [(String, String?)]
    )
    func findsTheNearestName(_ text: String, _ nearest: String?) {
        let names = ["adapter", "services", "max_edge", "quality", "routes"]
        #expect(NearestName.of(text, among: names) == nearest)
    }
}
