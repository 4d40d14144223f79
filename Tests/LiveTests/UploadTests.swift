// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightMetadata
import Foundation
import Testing

@Suite("The whole way, real processes", .serialized)
struct UploadTests {
    /// A sideways geotagged JPEG made by the program itself.
    static func photo() throws -> [UInt8] {
        let path = NSTemporaryDirectory() + "fanlight-photo-\(UUID().uuidString).jpg"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: LiveProcess.program)
        process.arguments = ["sandbox", "--make-photo", path]
        process.standardOutput = Pipe()
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return try Shared.bytes(path)
    }

    @Test("One POST gives four links to the same upright picture without a position")
    func onePost() async throws {
        let live = try LiveGateway(services: LiveGateway.four)
        let (status, report) = try await live.post(try Self.photo(), type: "image/jpeg", query: "?title=hello")
        #expect(status == 200)
        #expect(report["status"] == .string("delivered"))
        #expect(report["geotag"]?["latitude"] == .number("48.2082"))
        guard case .object(let links)? = report["links"] else {
            Issue.record("no links")
            return
        }
        #expect(links.map(\.name) == ["tweetphoto", "imgur", "myhost", "album"])
        for link in links {
            let reply = try await live.get(try #require(link.value.string))
            #expect(reply.status == 200)
            let facts = try ImageReader.read(reply.body, limits: ImageLimits())
            #expect(facts.width == 1_200 && facts.height == 1_600 && facts.orientation == .upright)
            #expect(facts.geotag == nil)
        }
        let told = try #require(try await live.received().first { $0["dialect"] == .string("rsp") })
        #expect(told["fields"]?["latitude"] == .string("48.208200"))
        #expect(told["fields"]?["longitude"] == .string("16.373800"))
    }

    @Test(
        "A bad request is refused by name and reaches no service",
        arguments: [
            ("text/plain", "hello", "", 415, "unsupported_type"),
            ("multipart/form-data", "x", "", 400, "malformed"),
            (
                "multipart/form-data; boundary=b",
                "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b--\r\n", "", 400, "no_picture"
            ),
            ("multipart/form-data; boundary=b", "--b\r\nContent-Dispo", "", 400, "malformed"),
            ("application/octet-stream", "", "", 422, "damaged_picture"),
            ("image/jpeg", "no picture at all", "", 415, "unsupported_type"),
            ("application/json", "{", "", 400, "malformed"),
            ("application/json", "{\"image\": \"???\"}", "", 400, "malformed"),
            ("application/x-www-form-urlencoded", "image=", "", 400, "no_picture"),
        ]
    )
    func refusals(type: String, body: String, query: String, status: Int, code: String) async throws {
        let live = try LiveGateway(services: LiveGateway.four)
        let (got, problem) = try await live.post(Array(body.utf8), type: type, query: query)
        #expect(got == status)
        #expect(problem["code"] == .string(code))
        #expect(try await live.received().isEmpty)
    }

    @Test(
        "A field that cannot be is refused by its name",
        arguments: [
            ("?services=nowhere", "unknown_service", "services"),
            ("?latitude=91&longitude=0", "bad_field", "latitude"),
            ("?latitude=10", "bad_field", "longitude"),
            ("?latitude=1e1&longitude=0", "bad_field", "latitude"),
            ("?option.imgur.nothing=1", "bad_field", "option.imgur.nothing"),
        ]
    )
    func badFields(query: String, code: String, field: String) async throws {
        let live = try LiveGateway(services: LiveGateway.four)
        let (status, problem) = try await live.post(try Self.photo(), query: query)
        #expect(status == 422)
        #expect(problem["code"] == .string(code))
        #expect(problem["field"] == .string(field))
        #expect(try await live.received().isEmpty)
    }

    @Test("A service that hangs delays no other outcome and the answer names it")
    func hanging() async throws {
        let services =
            LiveGateway.four + "\n" + """
                  slow: {url: "SANDBOX/upload.json?delay=60000", file: file, link: $.url, timeouts: {total: 2s}, retry: {attempts: 1}}
                """
        let live = try LiveGateway(services: services)
        let (status, report) = try await live.post(try Self.photo())
        #expect(status == 207)
        guard case .array(let deliveries)? = report["deliveries"], deliveries.count == 5 else {
            Issue.record("five deliveries were asked for")
            return
        }
        for delivery in deliveries.dropLast() { #expect(delivery["status"] == .string("delivered")) }
        #expect(deliveries[4]["status"] == .string("unknown"))
        #expect(deliveries[4]["error"]?["kind"] == .string("timeout"))
    }

    @Test("Two albums with different limits give two links")
    func twoAlbums() async throws {
        let live = try LiveGateway(
            services: """
                  large: {adapter: local, folder: FOLDER/album}
                  small: {adapter: local, folder: FOLDER/album, limits: {edge: 300}}
                """
        )
        let (_, report) = try await live.post(try Self.photo())
        for (name, height) in [("large", 1_600), ("small", 300)] {
            let reply = try await live.get(try #require(report["links"]?[name]?.string))
            #expect(try ImageReader.read(reply.body, limits: ImageLimits()).height == height)
        }
    }

    @Test("A stop signal ends both programs with status 0")
    func stops() throws {
        let live = try LiveGateway(services: LiveGateway.four)
        #expect(live.gateway.stop() == 0)
        #expect(live.sandbox.stop() == 0)
    }

    @Test("200 uploads of 16 clients: no report lost or mixed up, no growth")
    func load() async throws {
        let services = """
              tweetphoto: {adapter: tweetphoto, url: SANDBOX/uploadapiwithkey.php, username: u, password: p, api_key: k}
              imgur: {adapter: imgur, url: SANDBOX/3/image, client_id: abcdefghijk}
              flaky: {url: "SANDBOX/upload.json?fail=30%", file: file, link: $.url}
            """
        let live = try LiveGateway(services: services)
        let photo = try Self.photo()
        var memory: [Int] = []
        for round in 0..<2 {
            let titles = try await withThrowingTaskGroup(of: [String].self) { group in
                for client in 0..<16 {
                    group.addTask {
                        var done: [String] = []
                        for number in stride(from: client, to: 100, by: 16) {
                            let title = "r\(round)n\(number)"
                            let (status, report) = try await live.post(
                                photo,
                                type: "image/jpeg",
                                query: "?title=\(title)"
                            )
                            #expect(status == 200 || status == 207)
                            guard case .array(let deliveries)? = report["deliveries"] else { continue }
                            #expect(deliveries.count == 3)
                            #expect(deliveries[0]["status"] == .string("delivered"))
                            #expect(deliveries[1]["status"] == .string("delivered"))
                            done.append(title)
                        }
                        return done
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(Set(titles).count == 100)
            memory.append(live.gateway.residentKilobytes)
        }
        let imgur = try await live.received().filter { $0["dialect"] == .string("envelope") }
        #expect(Set(imgur.compactMap { $0["fields"]?["title"]?.string }).count == 200)
        #expect(imgur.count == 200)
        #expect(memory[1] < memory[0] * 3 / 2, "resident kilobytes after 100 and 200: \(memory)")
    }
}
