// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightMetadata
import Foundation
import Testing

/// Checks over the shared pictures, requests and replies; they run where that folder is.
@Suite("Shared pictures and cases", .serialized)
struct SharedCaseTests {
    let folder = Shared.folder ?? ""

    private var isAbsent: Bool { folder.isEmpty }

    private var album: String { "  album: {adapter: local, folder: FOLDER/album}" }

    private func port(_ url: String) -> UInt16 { UInt16(url.split(separator: ":").last ?? "") ?? 0 }

    private struct Row {
        var columns: [String: String]
        subscript(name: String) -> String { columns[name] ?? "" }
    }

    private func rows() throws -> [Row] {
        let text = String(decoding: try Shared.bytes(folder + "/corpus/expected.tsv"), as: UTF8.self)
        let lines = text.split(separator: "\n").map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
        guard let names = lines.first else { return [] }
        return lines.dropFirst().map {
            Row(
                columns: Dictionary(
                    uniqueKeysWithValues: zip(names, $0 + Array(repeating: "", count: max(0, names.count - $0.count)))
                )
            )
        }
    }

    @Test("Orientation and position of every picture, through the real server")
    func pictures() async throws {
        if isAbsent { return }
        let live = try LiveGateway(services: album)
        let wanted = try rows().filter { $0["file"].hasPrefix("orientation/") || $0["file"].hasPrefix("gps/") }
        #expect(wanted.count > 40)
        for row in wanted {
            let file = row["file"]
            let (status, report) = try await live.post(try Shared.bytes(folder + "/corpus/" + file))
            #expect(status == 200, "\(file)")
            guard let link = report["links"]?["album"]?.string else { continue }
            let facts = try ImageReader.read(try await live.get(link).body, limits: ImageLimits())
            #expect("\(facts.width)x\(facts.height)" == "\(row["upright_width"])x\(row["upright_height"])", "\(file)")
            #expect(facts.orientation == .upright && facts.geotag == nil, "\(file)")
            let note = row["note"]
            if note.contains("AMBIGUOUS(latitude") { continue }
            for name in ["latitude", "longitude"] {
                guard case .number(let text)? = report["geotag"]?[name] else {
                    #expect(row[name].isEmpty || note.contains("OPTIONAL(latitude"), "\(file) \(name)")
                    continue
                }
                let difference = abs((Double(text) ?? 999) - (Double(row[name]) ?? -999))
                #expect(difference < 2e-7, "\(file) \(name) \(text)")
            }
        }
    }

    @Test("Everything that must be refused is refused, quickly")
    func refusals() async throws {
        if isAbsent { return }
        let live = try LiveGateway(services: album)
        let refused = try rows().filter { $0["verdict"].hasPrefix("refuse:") }
        #expect(refused.count > 10)
        for row in refused {
            let file = row["file"]
            let start = ContinuousClock.now
            let (status, problem) = try await live.post(try Shared.bytes(folder + "/corpus/" + file))
            let took = ContinuousClock.now - start
            #expect([413, 415, 422].contains(status), "\(file): \(status) \(problem.serialized())")
            #expect(took < .seconds(1), "\(file) took \(took)")
        }
    }

    @Test("Requests of old clients", arguments: ["as one", "in pieces of 7 bytes"])
    func seedRequests(way: String) async throws {
        if isAbsent { return }
        let live = try LiveGateway(services: album)
        let manifest = try JSONParser.parse(try Shared.bytes(folder + "/cases/seed-requests/manifest.json"))
        guard case .object(let members) = manifest else { return }
        for member in members {
            var text = try Shared.bytes(folder + "/cases/seed-requests/\(member.name).http")
            let place = Array("@PATH@".utf8)
            if let at = text.indices.first(where: { text[$0...].starts(with: place) }) {
                text.replaceSubrange(at..<at + place.count, with: Array("/v1/uploads".utf8))
            }
            let answer = RawClient.exchange(port: port(live.gateway.url), pieces(text, way))
            let status = RawClient.status(answer)
            if member.value["want"] == .string("accept") {
                #expect((200..<300).contains(status), "\(member.name): \(status)")
            } else {
                #expect([400, 415, 422].contains(status), "\(member.name): \(status)")
            }
            guard member.name == "seed-tweetphoto-with-location" else { continue }
            let report = try JSONParser.parse(RawClient.body(answer))
            #expect(report["geotag"]?["latitude"] == .number("48.2082"))
            #expect(report["geotag"]?["longitude"] == .number("16.3738"))
        }
    }

    private func pieces(_ bytes: [UInt8], _ way: String) -> [[UInt8]] {
        way == "as one"
            ? [bytes] : stride(from: 0, to: bytes.count, by: 7).map { Array(bytes[$0..<min($0 + 7, bytes.count)]) }
    }

    @Test("Boundary spellings, long fields, fields after the file")
    func multipart() async throws {
        if isAbsent { return }
        // One of the requests asks for the services alpha and beta by name.
        let host =
            "{url: SANDBOX/upload.json, file: file, link: $.url, fields: {title: \"${title}\", description: \"${description}\"}}"
        let live = try LiveGateway(services: "  alpha: \(host)\n  beta: \(host)")
        let boundaries = try FileManager.default.contentsOfDirectory(atPath: folder + "/cases/mp-04").filter {
            $0.hasSuffix(".raw")
        }
        #expect(boundaries.count >= 8)
        for name in boundaries.sorted().map({ "mp-04/" + $0 }) + ["mp-01/request.raw", "mp-06/request.raw"] {
            let answer = RawClient.exchange(port: port(live.gateway.url), [try Shared.bytes(folder + "/cases/" + name)])
            #expect(RawClient.status(answer) == 200, "\(name): \(String(decoding: answer, as: UTF8.self))")
            if name.hasPrefix("mp-04") {
                #expect(try await live.received().last?["fields"]?["title"]?.string?.isEmpty == false, "\(name)")
            }
            guard name.hasPrefix("mp-01") else { continue }
            let expected = String(decoding: try Shared.bytes(folder + "/cases/mp-01/expected.txt"), as: UTF8.self)
            #expect(try await live.received().last?["fields"]?["description"] == .string(expected))
        }
    }

    @Test("Replies that lie, break off or redirect")
    func replies() async throws {
        if isAbsent { return }
        for group in ["fan-01", "fan-04", "fan-14"] {
            let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/cases/\(group)").filter {
                $0.hasSuffix(".http")
            }
            for name in names.sorted() {
                let upstream = RawUpstream(answer: try Shared.bytes("\(folder)/cases/\(group)/\(name)"))
                let live = try LiveGateway(
                    services:
                        "  imgur: {adapter: imgur, url: \"http://127.0.0.1:\(upstream.port)/up\", client_id: abcdefghijk}"
                )
                let (status, report) = try await live.post(try Shared.bytes(folder + "/cases/img-01/o1.jpg"))
                guard case .array(let deliveries)? = report["deliveries"], let delivery = deliveries.first else {
                    Issue.record("\(name): \(status) without a report")
                    continue
                }
                let outcome = delivery["status"]?.string ?? ""
                let text = "\(group)/\(name): \(delivery.serialized())"
                #expect(outcome == expected(group, name), "\(text)")
                #expect(upstream.requests == 1, "\(text)")
                if name.contains("-30") {
                    #expect(delivery["error"]?["kind"] == .string("redirect"), "\(text)")
                    if name.contains("otherhost") {
                        #expect(delivery["error"]?["message"]?.string?.contains("127.0.0.2") == true, "\(text)")
                    }
                }
                let message = delivery["error"]?["message"]?.string ?? ""
                #expect(!message.contains("<") && message.count <= 300, "\(text)")
            }
        }
    }

    private func expected(_ group: String, _ name: String) -> String {
        let good = [
            "upstream-200-json-as-html.http", "upstream-200-json-bom.http", "upstream-200-latin1.http",
            "upstream-ok.http",
        ]
        if good.contains(name) { return "delivered" }
        return name.contains("-502-") || name.contains("-520-") ? "unknown" : "failed"
    }
}
