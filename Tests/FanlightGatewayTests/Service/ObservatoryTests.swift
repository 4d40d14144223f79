// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightTestSupport
import Synchronization
import Testing

@testable import FanlightGateway

@Suite("Metrics and readiness")
struct ObservatoryTests {
    @Test("Everything that uploads do is counted, with bounded labels")
    func counting() async throws {
        let bench = try Bench(["a", "b"]) { request throws(TransportError) in
            if host(request, is: "b") { return HTTPReply(status: 401, headers: [], body: [], finalURL: request.url) }
            return try await Bench.delivers(request)
        }
        await bench.gateway.start()
        _ = await bench.post()
        // What became of an upload is counted beside its answer, perhaps a little later.
        var answer = await bench.send("GET", "/metrics")
        for _ in 0..<1_000
        where !answer.text.contains("fanlight_uploads_in_flight 0\n") || !answer.text.contains("outcome=\"auth\"") {
            try await Task.sleep(for: .milliseconds(5))
            answer = await bench.send("GET", "/metrics")
        }
        #expect(answer.status == 200 && answer.header("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
        for line in [
            #"fanlight_uploads_total{status="partial"} 1"#, #"fanlight_uploads_total{status="failed"} 0"#,
            #"fanlight_deliveries_total{service="a",outcome="delivered"} 1"#,
            #"fanlight_deliveries_total{service="b",outcome="auth"} 1"#,
            #"fanlight_attempts_total{service="b"} 1"#, #"fanlight_queue_depth{service="a"} 0"#,
            #"fanlight_deliveries_in_flight{service="a"} 0"#, #"fanlight_breaker_state{service="b"} 0"#,
            #"fanlight_upload_duration_seconds_count 1"#,
            #"fanlight_delivery_duration_seconds_count{service="a"} 1"#,
            #"fanlight_renditions_total{lane="untouched"} 1"#,
            #"fanlight_rendition_duration_seconds_count{lane="untouched"} 1"#,
            "fanlight_upload_bytes_total \(SamplePicture.gif.count)", "fanlight_uploads_in_flight 0",
            "fanlight_journal_uploads 1", "fanlight_ready 1", #"fanlight_build_info{version="test"} 1"#,
        ] {
            #expect(answer.text.contains("\n" + line + "\n"), "\(line)\n\(answer.text)")
        }
    }

    @Test("Every metric stands there from the first look on, for every service and label")
    func beginning() async throws {
        let bench = try Bench(["a", "b"], script: Bench.delivers)
        var sources = Observatory.Sources()
        sources.stateFolder = "/"
        sources.helperRestarts = { ["crashed": 0] }
        bench.observatory.attach(sources)
        await bench.gateway.start()
        let text = await bench.send("GET", "/metrics").text
        for family in MetricFamily.allCases {
            #expect(text.contains("# TYPE \(family.rawValue) \(family.kind.rawValue)\n"), "\(family)")
        }
        for service in ["a", "b"] {
            for outcome in ["delivered", "unknown", "skipped"] + ErrorKind.allCases.map(\.rawValue) {
                #expect(text.contains("_deliveries_total{service=\"\(service)\",outcome=\"\(outcome)\"} 0\n"))
            }
            for result in ["deleted", "failed", "shared"] {
                #expect(text.contains("_deletions_total{service=\"\(service)\",result=\"\(result)\"} 0\n"))
            }
            #expect(text.contains("fanlight_deliveries_reused_total{service=\"\(service)\"} 0\n"))
            #expect(text.contains("fanlight_delivery_duration_seconds_count{service=\"\(service)\"} 0\n"))
        }
        for line in [
            #"fanlight_webhooks_total{result="failed"} 0"#, "fanlight_upload_duration_seconds_count 0",
            #"fanlight_rendition_duration_seconds_bucket{lane="rotated",le="+Inf"} 0"#,
            #"fanlight_renditions_total{lane="converted"} 0"#,
            #"fanlight_http_requests_total{route="/v1/uploads",status="200"} 0"#,
        ] {
            #expect(text.contains("\n" + line + "\n"), "\(line)")
        }
    }

    @Test("An open circuit is told")
    func circuit() async throws {
        let yaml =
            "a: {url: 'https://a.example/up', file: file, link: $.url, breaker: {failures: 1}, retry: {attempts: 1}}"
        let bench = try Bench(yaml: yaml) { _ throws(TransportError) in
            throw TransportError(.refused, message: "refused", requestFullySent: false)
        }
        await bench.gateway.start()
        _ = await bench.post()
        let text = await bench.send("GET", "/metrics").text
        #expect(text.contains(#"fanlight_breaker_state{service="a"} 2"#))
        #expect(text.contains(#"fanlight_deliveries_total{service="a",outcome="network"} 1"#))
    }

    @Test("Ready only after the start, and with its reasons when not")
    func readiness() async throws {
        let bench = try Bench(script: Bench.delivers)
        let early = await bench.send("GET", "/readyz")
        #expect(early.status == 503 && early.body["code"]?.string == "not_ready")
        #expect(early.body["reasons"]?.array?.first?["code"]?.string == "starting")
        await bench.gateway.start()
        #expect(await bench.send("GET", "/readyz").status == 200)
        bench.gateway.interrupt()
        let late = await bench.send("GET", "/readyz")
        #expect(late.body["reasons"]?.array?.map { $0["code"]?.string } == ["stopping"])
        #expect(await bench.send("GET", "/healthz").status == 200)
    }

    @Test("A gateway that is to stop refuses work of every kind, says so, and still answers questions")
    func drain() async throws {
        let bench = try Bench(script: Bench.delivers)
        await bench.gateway.start()
        let id = await bench.post().id
        bench.gateway.refuseNewWork()
        let requests = [("POST", "/v1/uploads"), ("POST", "/v1/uploads/\(id)/retry"), ("DELETE", "/v1/uploads/\(id)")]
        for (method, path) in requests {
            let answer = await bench.send(method, path)
            #expect(answer.status == 503 && answer.body["code"]?.string == "stopping", "\(method) \(path)")
            #expect(answer.header("Retry-After") != nil)
        }
        let readiness = await bench.send("GET", "/readyz")
        #expect(readiness.body["reasons"]?.array?.map { $0["code"]?.string } == ["stopping"])
        #expect(await bench.send("GET", "/v1/uploads/\(id)").status == 200)
        #expect(await bench.send("GET", "/v1/uploads").status == 200)
        bench.gateway.interrupt()
    }

    @Test("A full disk, no helpers and a broken journal are all told")
    func obstacles() async throws {
        let bench = try Bench(script: Bench.delivers)
        await bench.gateway.start()
        var sources = Observatory.Sources()
        sources.canPrepare = { false }
        sources.stateFolder = "/"
        sources.minFree = .max
        bench.observatory.attach(sources)
        bench.journal.fail(with: .full)
        let answer = await bench.send("GET", "/readyz")
        #expect(answer.status == 503 && answer.header("Retry-After") != nil)
        #expect(answer.body["reasons"]?.array?.map { $0["code"]?.string } == ["journal", "helpers", "disk"])
        #expect(await bench.send("GET", "/metrics").text.contains("\nfanlight_ready 0\n"))
    }

    @Test(
        "A state folder that is lost is told as that, not as a broken journal",
        arguments: StateWatch.Trouble.allCases
    )
    func lostState(trouble: StateWatch.Trouble) async throws {
        let bench = try Bench(script: Bench.delivers)
        await bench.gateway.start()
        var sources = Observatory.Sources()
        sources.stateTrouble = { trouble }
        bench.observatory.attach(sources)
        bench.journal.fail(with: .disk(code: 778))
        let answer = await bench.send("GET", "/readyz")
        #expect(answer.status == 503)
        #expect(answer.body["reasons"]?.array?.map { $0["code"]?.string } == ["state"])
        #expect(answer.body["reasons"]?.array?.first?["detail"]?.string == trouble.advice)
    }

    @Test(
        "Labels of requests come from a list, whatever a client asks for",
        arguments: [
            ("/v1/uploads/abc", "/v1/uploads/{id}"), ("/v1/uploads", "/v1/uploads"), ("/album/x.jpg", "/album/{name}"),
            ("/", "/"), ("/metrics", "/metrics"), ("/secret/../../x", "other"), ("/v1/uploads/a/b/c", "other"),
            ("/metrics/", "other"), ("//metrics", "other"), ("/v1//services", "other"), ("/v1/uploads/", "other"),
            ("", "other"),
            ("/v1/uploads/a/retry", "/v1/uploads/{id}/retry"),
        ]
    )
    func labels(path: String, label: String) async throws {
        #expect(InterfacePath.label(of: path) == label)
        let bench = try Bench(script: Bench.delivers)
        await bench.gateway.start()
        let answer = await bench.send("GET", path)
        #expect(label != "other" || answer.status == 404)
    }
}
