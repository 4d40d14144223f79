// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightJournal
import FanlightTestSupport
import Foundation
import Testing

/// Secrets of every entry of the catalogue, on all ways out of the gateway and on the disk.
@Suite("Secrets of every entry", .serialized)
struct SecretsEverywhereTests {
    @Test("Answers, events, lists, metrics, log lines, journal and spool hold none")
    func nowhere() async throws {
        let rig = try SecretsRig()
        defer { try? FileManager.default.removeItem(atPath: rig.folder) }
        #expect(rig.entries.count > 90)
        #expect(PlantedMark.list.count > 60)
        var delivered = 0
        for entry in rig.entries {
            let moods: [SecretsRig.Mood] = [.echo(200), .echo(401), .echo(502), .good]
            for mood in moods {
                rig.play(entry, mood)
                let report = try await upload(entry, rig)
                if case .good = mood, report["status"]?.string == "delivered" { delivered += 1 }
            }
        }
        #expect(rig.told > 200, "only \(rig.told) replies said a secret back")
        // Those whose test gives an open session log in for real here, where nobody answers.
        #expect(delivered > 70, "only \(delivered) entries delivered")
        try await checkLists(rig)
        rig.journal.closeAndWait()
        try checkDisk(rig)
        for line in rig.log { check(line, "log") }
        #expect(rig.log.count > 300)
    }

    /// Uploads one picture to one service and looks at everything that is told about it.
    private func upload(_ entry: SecretsRig.Entry, _ rig: SecretsRig) async throws -> JSONValue {
        let choice = [HTTPField("services", entry.name)] + entry.options
        let text = await ask(rig, "POST", "/v1/uploads", choice + [HTTPField("message", "Hello")], SamplePicture.gif)
        check(text, "\(entry.name): report")
        let report = try JSONParser.parse(Array(text.utf8))
        let id = report["id"]?.string ?? ""
        #expect(!id.isEmpty, "\(entry.name): \(text.prefix(300))")
        for format in ["text", "markdown", "html", "bbcode", "rst"] {
            let shown = await ask(rig, "GET", "/v1/uploads/\(id)", [HTTPField("format", format)])
            check(shown, "\(entry.name): \(format)")
        }
        check(await ask(rig, "GET", "/v1/uploads/\(id)/events"), "\(entry.name): events")
        let isDeletable = report["deliveries"]?.array?.first?["deletable"]?.bool ?? false
        if isDeletable {
            for status in [401, 200] {
                rig.play(entry, .echo(status))
                check(await ask(rig, "DELETE", "/v1/uploads/\(id)"), "\(entry.name): deletion")
            }
        }
        let wrong = [HTTPField("services", entry.name), HTTPField("option.\(entry.name).nothing", "1")]
        check(await ask(rig, "POST", "/v1/uploads", wrong, SamplePicture.gif), "\(entry.name): problem")
        return report
    }

    private func checkLists(_ rig: SecretsRig) async throws {
        for path in ["/v1/services", "/metrics", "/readyz", "/openapi.json", "/v1/uploads/none"] {
            check(await ask(rig, "GET", path), path)
        }
        check(await ask(rig, "GET", "/v1/uploads", [HTTPField("limit", "100")]), "history")
    }

    /// The raw bytes of all files; what a service gave for a session is the owner's alone.
    private func checkDisk(_ rig: SecretsRig) throws {
        let all = try #require(FileManager.default.enumerator(atPath: rig.folder)).compactMap { $0 as? String }
        #expect(all.contains { $0.hasPrefix("journal.sqlite") }, "\(all.prefix(10))")
        for name in all {
            let path = rig.folder + "/" + name
            let facts = try FileManager.default.attributesOfItem(atPath: path)
            guard facts[.type] as? FileAttributeType == .typeRegular else { continue }
            if name.hasPrefix("sessions/") {
                #expect(facts[.posixPermissions] as? Int == 0o600, "\(name)")
                continue
            }
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            #expect(PlantedMark.found(in: bytes) == [], "\(name)")
        }
    }

    private func check(_ text: String, _ place: String) {
        let found = PlantedMark.found(in: Data(text.utf8))
        guard !found.isEmpty else { return }
        Issue.record("\(place): \(found) in \(text.prefix(1_500))")
    }

    /// An answer with its head, a stream to its end.
    private func ask(
        _ rig: SecretsRig,
        _ method: String,
        _ path: String,
        _ query: [HTTPField] = [],
        _ body: [UInt8] = []
    ) async -> String {
        let type = HTTPField("Content-Type", body.isEmpty ? "text/plain" : "image/gif")
        let head = RequestHead(method: method, path: path, query: query, headers: [type], peer: "192.0.2.1")
        let answer: HTTPAnswer
        switch rig.service.decide(head) {
        case .answer(let ready): answer = ready
        case .receive(let sink):
            if let early = unsafe body.withUnsafeBytes({ unsafe sink.receive($0) }) {
                answer = early
            } else {
                answer = await sink.finish()
            }
        }
        let headers = answer.headers.map { "\($0.name): \($0.value)\n" }.joined()
        switch answer.body {
        case .bytes(let bytes):
            let text = String(decoding: bytes, as: UTF8.self)
            return method == "POST" && answer.status < 400 || answer.status == 502 ? text : headers + text
        case .stream(let stream): return headers + (await drain(stream))
        default: return headers
        }
    }

    private func drain(_ stream: AnswerStream) async -> String {
        var bytes: [UInt8] = []
        for _ in 0..<1_000 {
            switch stream.take(atMost: 100_000) {
            case .bytes(let more): bytes += more
            case .finished: return String(decoding: bytes, as: UTF8.self)
            case .nothing: try? await Task.sleep(for: .milliseconds(2))
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
