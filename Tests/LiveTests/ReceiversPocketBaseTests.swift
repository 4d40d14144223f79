// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightCurl
import FanlightMetadata
import Foundation
import Testing

/// A login before each upload's request, against PocketBase; where the scripts of receivers are.
@Suite("Receivers: PocketBase", .serialized)
struct ReceiversPocketBaseTests {
    /// The collection takes 100,000 bytes at most.
    private static let services = """
          base:
            adapter: pocketbase
            site: '@BASE@'
            identity: '@IDENTITY@'
            password: '@PASSWORD@'
            collection: photos
            limits: {bytes: 100KB}
          album: {adapter: local, folder: FOLDER/album, limits: {bytes: 100KB}}
        """

    private static func send(
        _ method: String,
        _ url: String,
        _ body: String,
        token: String? = nil,
        over live: LiveGateway
    ) async throws -> JSONValue {
        let headers =
            [HTTPField("Content-Type", "application/json")] + (token.map { [HTTPField("Authorization", $0)] } ?? [])
        let request = HTTPRequest(method: method, url: url, headers: headers, body: .bytes(Array(body.utf8)))
        let reply = try await live.transport.send(request)
        #expect((200..<300).contains(reply.status), "\(method) \(url): \(reply.status)")
        return try JSONParser.parse(reply.body)
    }

    /// Gives the account its password again, which ends every session that it has.
    private static func endSessions(of receiver: Receiver, over live: LiveGateway) async throws {
        let password = receiver["PASSWORD"]
        let login = #"{"identity":"\#(receiver["IDENTITY"])","password":"\#(password)"}"#
        let open = try await send("POST", receiver["AUTH"], login, over: live)
        let account = try #require(open["record"]?["id"]?.string)
        let body = #"{"oldPassword":"\#(password)","password":"\#(password)","passwordConfirm":"\#(password)"}"#
        let url = receiver["BASE"] + "/api/collections/users/records/" + account
        _ = try await send("PATCH", url, body, token: open["token"]?.string, over: live)
    }

    @Test("A login, a record, and a link made of three values; an ended session is opened again; the record goes")
    func loginAndUpload() async throws {
        guard let receiver = try Receiver.start("pocketbase") else { return }
        let live = try receiver.gateway(Self.services)
        let query = "?title=Schloss%20%C3%9C&tags=a%20b,c"
        for round in 0..<3 {
            if round == 2 { try await Self.endSessions(of: receiver, over: live) }
            let (status, report) = try await live.post(try UploadTests.photo(), type: "image/jpeg", query: query)
            #expect(status == 200, "\(report.serialized())")
            let link = try #require(report["links"]?["base"]?.string)
            let prepared = try await live.get(try #require(report["links"]?["album"]?.string)).body
            #expect(prepared.count <= 100_000)
            #expect(try await live.get(link).body == prepared)
            #expect(try await live.get(try #require(report.delivery("base")?["thumbnail"]?.string)).status == 200)

            let identifier = try #require(report.delivery("base")?["remote_id"]?.string)
            let record = try JSONParser.parse(try await live.get(receiver["API"] + "/" + identifier).body)
            let parts = ["collectionId", "id", "image"].compactMap { record[$0]?.string }
            #expect(link == receiver["BASE"] + "/api/files/" + parts.joined(separator: "/"))
            #expect(record["title"] == "Schloss Ü")
            #expect(record["tags"] == .array(["a b", "c"]))
            #expect(record["where"]?["lat"] == .number("48.2082"))

            #expect(try await live.delete(report) == ["base": "deleted", "album": "deleted"])
            #expect(try await live.get(link).status == 404)
        }
    }

    @Test("What the server refuses is told by kind: a password, a size, a type, a collection")
    func refusals() async throws {
        guard let receiver = try Receiver.start("pocketbase") else { return }
        let site = "adapter: pocketbase, site: '@BASE@', identity: '@IDENTITY@'"
        let live = try receiver.gateway(
            """
              password: {\(site), password: not-this-one, collection: photos}
              collection: {\(site), password: '@PASSWORD@', collection: nothing}
              size: {\(site), password: '@PASSWORD@', collection: photos}
              type: {\(site), password: '@PASSWORD@', collection: photos, format: webp}
            """
        )
        let (status, report) = try await live.post(try Receiver.noise(width: 400, height: 300), type: "image/png")
        #expect(status == 502, "\(report.serialized())")
        #expect(report.failure("password") == "auth 400")
        #expect(report.failure("collection") == "rejected 404")
        #expect(report.failure("size") == "too_large 400")
        #expect(report.failure("type")?.hasSuffix(" 400") == true)
        #expect(!report.serialized().contains("not-this-one"))
    }
}
