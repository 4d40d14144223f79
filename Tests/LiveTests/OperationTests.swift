// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightGateway
import FanlightTestSupport
import Foundation
import Synchronization
import Testing

/// A running gateway as those see it who operate it.
@Suite("Operation of a real gateway", .serialized)
struct OperationTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    @Test("After uploads, /metrics has every family")
    func metrics() async throws {
        let live = try LiveGateway(services: LiveGateway.four)
        for _ in 0..<3 { #expect(try await live.post(SamplePicture.gif, type: "image/gif").0 == 200) }
        #expect(try await live.get(live.gateway.url + "/nothing").status == 404)
        let reply = try await live.get(live.gateway.url + "/metrics")
        let text = String(decoding: reply.body, as: UTF8.self)
        for family in MetricFamily.allCases {
            #expect(text.contains("# TYPE \(family.rawValue) \(family.kind.rawValue)\n"), "\(family.rawValue)")
        }
        for line in [
            #"fanlight_uploads_total{status="delivered"} 3"#,
            #"fanlight_deliveries_total{service="myhost",outcome="delivered"} 3"#,
            #"fanlight_http_requests_total{route="/v1/uploads",status="200"} 3"#,
            #"fanlight_http_requests_total{route="other",status="404"} 1"#, "fanlight_ready 1",
        ] {
            #expect(text.contains("\n" + line + "\n"), "\(line)")
        }
        #expect(try CommandRun(["health", "--to", live.gateway.url]).status == 0)
    }

    @Test("Alerts, dashboard and guide speak of metrics that exist")
    func documents() throws {
        let known = MetricFamily.allCases.flatMap { family in
            ["", "_bucket", "_sum", "_count"].map { family.rawValue + $0 }
        }
        for path in ["deploy/prometheus/alerts.yaml", "deploy/grafana/fanlight.json", "docs/guides/operate.md"] {
            let names = try Self.text(path).matches(of: /\b(?:fanlight|process)_[a-z_]+\b/).map { String($0.output) }
            #expect(!names.isEmpty)
            for name in names { #expect(known.contains(name), "\(path) speaks of \(name)") }
        }
    }

    @Test("Alerts and dashboard ask metrics for labels that they have")
    func labels() throws {
        // What Prometheus itself adds, and the bound of a bucket.
        let given: Set<String> = ["instance", "job", "le"]
        var found = 0
        for path in ["deploy/prometheus/alerts.yaml", "deploy/grafana/fanlight.json"] {
            let text = try Self.text(path)
            for match in text.matches(of: /\b((?:fanlight|process)_[a-z_]+)\{([^}]*)\}/) {
                let name = String(match.output.1).replacingOccurrences(of: "_bucket", with: "")
                let family = try #require(MetricFamily(rawValue: name))
                let labels = match.output.2.matches(of: /(\w+) *(?:=~|!=|!~|=)/).map { String($0.output.1) }
                #expect(given.union(family.labels).isSuperset(of: labels), "\(path): \(match.output.0)")
                found += labels.count
            }
            // `sum by (service) (rate(fanlight_…`
            let sums = text.matches(of: /by \(([a-z, ]+)\) \((?:[a-z]+\()?((?:fanlight|process)_[a-z_]+)/)
            for sum in sums {
                let name = String(sum.output.2).replacingOccurrences(of: "_bucket", with: "")
                let family = try #require(MetricFamily(rawValue: name))
                let labels = sum.output.1.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
                #expect(given.union(family.labels).isSuperset(of: labels), "\(path): \(sum.output.0)")
                found += labels.count
            }
        }
        #expect(found > 40)
    }

    @Test("A gateway without its imaging program says so at once, and is not ready", arguments: [false, true])
    func withoutHelper(isBroken: Bool) async throws {
        let folder = TemporaryFolder("bare")
        try FileManager.default.copyItem(atPath: LiveProcess.program, toPath: folder.file("fanlight"))
        if isBroken {
            try "#!/bin/sh\nexit 127\n".write(
                toFile: folder.file("fanlight-imaging"),
                atomically: true,
                encoding: .utf8
            )
            _ = unsafe chmod(folder.file("fanlight-imaging"), 0o755)
        }
        let yaml = "server: {listen: '127.0.0.1:0', state: \(folder.path)/state}\nservices: {a: {adapter: local}}\n"
        try yaml.write(toFile: folder.file("config.yaml"), atomically: true, encoding: .utf8)
        let gateway = try LiveProcess(
            ["serve", "--config", folder.file("config.yaml")],
            program: folder.file("fanlight"),
            ready: "fanlight ready ",
            logs: true
        )
        defer { gateway.stop() }
        #expect(try await Self.eventually { gateway.log.contains(#""message":"no imaging helper""#) })
        #expect(gateway.log.contains(#""level":"warning""#) && gateway.log.contains("/fanlight-imaging"))
        let health = try CommandRun(["health", "--to", gateway.url])
        #expect(health.status == 1 && health.errors.contains("imaging helper"), "\(health)")
    }

    @Test("The page of the HTTP interface names every path and method")
    func interface() throws {
        let page = try Self.text("docs/reference/http.md")
        for path in InterfacePath.allCases {
            for method in path.methods {
                #expect(page.contains("`\(method) \(path.rawValue)`"), "\(method) \(path.rawValue)")
            }
        }
    }

    // MARK: Reload

    private static func write(_ live: LiveGateway, _ services: String) throws {
        let yaml = """
            server:
              listen: 127.0.0.1:0
              state: \(live.folder)/state
            services:
            \(services)
            """
        try yaml.write(toFile: live.folder + "/config.yaml", atomically: true, encoding: .utf8)
    }

    private static func album(_ name: String, _ live: LiveGateway) -> String {
        "  \(name): {adapter: local, folder: \(live.folder)/\(name)}\n"
    }

    /// The value of a metric without labels, or with those given.
    private static func value(_ live: LiveGateway, _ name: String) async throws -> Double? {
        let text = String(decoding: try await live.get(live.gateway.url + "/metrics").body, as: UTF8.self)
        return text.split(separator: "\n").first { $0.hasPrefix(name + " ") }?.split(separator: " ").last
            .flatMap { Double($0) }
    }

    private static func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
        for _ in 0..<300 {
            if try await condition() { return true }
            try await Task.sleep(for: .milliseconds(50))
        }
        return false
    }

    @Test("config.yaml is edited under load: added, removed, broken, repaired; no upload is lost or mixed")
    func reload() async throws {
        let live = try LiveGateway(services: "  a: {adapter: local, folder: FOLDER/a}")
        let isOver = Atomic(false)
        let load = Task { () -> [(Int, [String])] in
            var answers: [(Int, [String])] = []
            while !isOver.load(ordering: .relaxed) {
                let (status, report) = try await live.post(SamplePicture.gif, type: "image/gif")
                answers.append((status, (report["deliveries"]?.array ?? []).compactMap { $0["service"]?.string }))
            }
            return answers
        }
        let applied = #"fanlight_config_reloads_total{result="applied"}"#
        let refused = #"fanlight_config_reloads_total{result="refused"}"#
        try Self.write(live, Self.album("a", live) + Self.album("b", live))
        #expect(try await Self.eventually { try await Self.value(live, applied) == 1 })
        try Self.write(live, Self.album("b", live))
        #expect(try await Self.eventually { try await Self.value(live, applied) == 2 })
        try Self.write(live, Self.album("b", live) + "  c: {adapter: nonsense}\n")
        #expect(try await Self.eventually { try await Self.value(live, refused) == 1 })
        #expect(try await Self.value(live, "fanlight_config_last_reload_successful") == 0)
        try Self.write(live, Self.album("b", live) + Self.album("c", live))
        #expect(try await Self.eventually { try await Self.value(live, applied) == 3 })
        #expect(try await Self.value(live, "fanlight_config_last_reload_successful") == 1)
        _ = try await live.post(SamplePicture.gif, type: "image/gif")
        try await Task.sleep(for: .milliseconds(100))
        isOver.store(true, ordering: .relaxed)
        let answers = try await load.value
        let sets = [["a"], ["a", "b"], ["b"], ["b", "c"]]
        #expect(answers.count > 4 && answers.allSatisfy { $0.0 == 200 && sets.contains($0.1) })
        // Once a configuration is gone it does not come back.
        let places = answers.compactMap { sets.firstIndex(of: $0.1) }
        #expect(places == places.sorted() && Set(places) == [0, 1, 2, 3])
        #expect(live.gateway.stop() == 0)
    }

    @Test("A changed secret and a SIGHUP are taken over; a missing secret refuses the configuration")
    func secrets() async throws {
        let live = try LiveGateway(services: "  a: {adapter: local, folder: FOLDER/a}")
        let secret = live.folder + "/secret"
        try "first-secret".write(toFile: secret, atomically: true, encoding: .utf8)
        let service =
            "  host: {url: \(live.sandbox.url)/upload.json, file: file, link: $.url, headers: {X-Token: '${file:\(secret)}'}}\n"
        try Self.write(live, service)
        let applied = #"fanlight_config_reloads_total{result="applied"}"#
        #expect(try await Self.eventually { try await Self.value(live, applied) == 1 })
        try "second-secret".write(toFile: secret, atomically: true, encoding: .utf8)
        #expect(try await Self.eventually { try await Self.value(live, applied) == 2 })
        try FileManager.default.removeItem(atPath: secret)
        let refused = #"fanlight_config_reloads_total{result="refused"}"#
        #expect(try await Self.eventually { try await Self.value(live, refused) == 1 })
        #expect(try await live.post(SamplePicture.gif, type: "image/gif").0 == 200)
        try "third-secret".write(toFile: secret, atomically: true, encoding: .utf8)
        #expect(try await Self.eventually { try await Self.value(live, applied) == 3 })
        kill(live.gateway.pid, SIGHUP)
        #expect(try await Self.eventually { try await Self.value(live, applied) == 4 })
    }
}
