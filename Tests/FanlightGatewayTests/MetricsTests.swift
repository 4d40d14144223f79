// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FanlightGateway

@Suite struct MetricsTests {
    @Test func textIsWhatPrometheusReads() {
        let metrics = Metrics()
        metrics.add(.deliveries, ["imgur", "delivered"])
        metrics.add(.deliveries, ["imgur", "delivered"], by: 2)
        metrics.add(.deliveries, ["a\"b\\", "auth"])
        metrics.set(.ready, to: 1)
        metrics.set(.ready, to: 0)
        #expect(
            metrics.text() == #"""
                # HELP fanlight_deliveries_total Deliveries that are settled, by outcome: delivered, unknown, skipped, or the kind of the error
                # TYPE fanlight_deliveries_total counter
                fanlight_deliveries_total{service="a\"b\\",outcome="auth"} 1
                fanlight_deliveries_total{service="imgur",outcome="delivered"} 3
                # HELP fanlight_ready 1 when the gateway takes uploads: journal writable, helpers startable, disk left
                # TYPE fanlight_ready gauge
                fanlight_ready 0

                """#
        )
    }

    @Test func everyLineBreakInALabelIsEscaped() {
        let metrics = Metrics()
        metrics.add(.deliveries, ["a\r\nb\"\u{301}", "auth"])
        #expect(metrics.text().contains("{service=\"a\r\\nb\\\"\u{301}\",outcome=\"auth\"} 1\n"))
    }

    @Test func bucketsAreCumulative() {
        let metrics = Metrics()
        for seconds in [0.0005, 0.003, 0.003, 0.4, 99] {
            metrics.observe(.renditionSeconds, ["resized"], seconds: seconds)
        }
        let text = metrics.text()
        for line in [
            #"_bucket{lane="resized",le="0.001"} 1"#, #"_bucket{lane="resized",le="0.005"} 3"#,
            #"_bucket{lane="resized",le="0.25"} 3"#, #"_bucket{lane="resized",le="0.5"} 4"#,
            #"_bucket{lane="resized",le="10"} 4"#, #"_bucket{lane="resized",le="+Inf"} 5"#,
            #"_sum{lane="resized"} 99.4065"#, #"_count{lane="resized"} 5"#,
        ] {
            #expect(text.contains("fanlight_rendition_duration_seconds" + line + "\n"), "\(line)")
        }
    }

    @Test func labelSetsAreBounded() {
        let metrics = Metrics()
        for number in 0..<12_000 { metrics.add(.requests, ["/\(number)", "200"]) }
        let lines = metrics.text().split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(lines.count == 10_001)
        #expect(lines.contains(#"fanlight_http_requests_total{route="other",status="other"} 2000"#))
    }

    @Test func servicesThatAreGoneHaveNoGauges() {
        let metrics = Metrics()
        metrics.set(.queueDepth, ["old"], to: 3)
        metrics.set(.queueDepth, ["new"], to: 4)
        metrics.add(.attempts, ["old"])
        metrics.keep(services: ["new"])
        #expect(!metrics.text().contains(#"queue_depth{service="old"}"#))
        #expect(metrics.text().contains(#"queue_depth{service="new"} 4"#))
        #expect(metrics.text().contains(#"attempts_total{service="old"} 1"#))
    }

    @Test func everyFamilyIsDescribed() {
        for family in MetricFamily.allCases {
            #expect(!family.help.hasSuffix("."))
            #expect(MetricFamily.reference().contains("| `\(family.rawValue)` |"))
        }
        #expect(MetricFamily.allCases.filter { $0.kind == .counter }.allSatisfy { $0.rawValue.hasSuffix("_total") })
    }

    @Test func theKernelKnowsThisProcess() throws {
        #expect(try #require(ProcessFacts.residentMemory()) > 1_000_000)
        #expect(try #require(ProcessFacts.openDescriptors()) >= 3)
        #expect(try #require(ProcessFacts.maxDescriptors()) > 3)
        #expect(try #require(ProcessFacts.freeBytes("/tmp")) > 0)
        #expect(ProcessFacts.processorSeconds() > 0)
    }
}
