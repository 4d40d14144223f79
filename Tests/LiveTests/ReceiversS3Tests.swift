// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Foundation
import Testing

/// Signed requests as rclone's server of S3 checks them; where the scripts of receivers are.
@Suite("Receivers: S3 of rclone", .serialized)
struct ReceiversS3Tests {
    private static let services = """
          store:
            adapter: s3_path
            endpoint: '@BASE@'
            bucket: '@S3_BUCKET@'
            access_key: '@S3_KEY@'
            secret_key: '@S3_SECRET@'
          album: {adapter: local, folder: FOLDER/album}
        """

    /// Asks for an object with another program's signature; the status, and the body of a success.
    private static func read(_ url: String, of receiver: Receiver) throws -> (status: String, body: [UInt8]?) {
        let file = receiver.folder + "/read-" + UUID().uuidString
        let run = try CommandRun(
            [
                "\(Receiver.scripts ?? "")/s3sign.py", "GET", url, receiver["S3_KEY"], receiver["S3_SECRET"], "--out",
                file,
            ],
            program: "/usr/bin/python3"
        )
        let status = run.output.trimmingCharacters(in: .whitespacesAndNewlines)
        return (status, status == "200" ? try Shared.bytes(file) : nil)
    }

    @Test("Odd keys are signed and written as the store has them, and can be deleted")
    func keys() async throws {
        guard let receiver = try Receiver.start("rclone-s3") else { return }
        let live = try receiver.gateway(Self.services)
        let keys = [
            ("plain.jpg", "plain.jpg"), ("2026/11/sea é+1.jpg", "2026/11/sea%20%C3%A9%2B1.jpg"),
            ("a b  c.jpg", "a%20b%20%20c.jpg"), ("雪/景色 🌄.jpg", "%E9%9B%AA/%E6%99%AF%E8%89%B2%20%F0%9F%8C%84.jpg"),
            ("~t'i(l)d*e!.jpg", "~t%27i%28l%29d%2Ae%21.jpg"), ("50%25 & a=b,c;d:e@f$g.jpg", nil),
            ("what?#no[t]{x}|^`\"<>.jpg", nil), ("dots../.hidden/..x.jpg", nil),
        ]
        let photo = try UploadTests.photo()
        var unreserved = CharacterSet.alphanumerics
        unreserved.insert(charactersIn: "-._~")
        for (key, path) in keys {
            let sent = try #require(key.addingPercentEncoding(withAllowedCharacters: unreserved))
            let (status, report) = try await live.post(photo, type: "image/jpeg", query: "?option.store.key=" + sent)
            #expect(status == 200, "\(key): \(report.serialized())")
            guard let link = report["links"]?["store"]?.string else { continue }
            let written = String(link.dropFirst("\(receiver["BASE"])/\(receiver["S3_BUCKET"])/".count))
            #expect(written.removingPercentEncoding == key)
            if let path { #expect(written == path) }
            let prepared = try await live.get(try #require(report["links"]?["album"]?.string)).body
            #expect(try Self.read(link, of: receiver).body == prepared, "\(key)")
            #expect(try await live.delete(report) == ["store": "deleted", "album": "deleted"], "\(key)")
            #expect(try Self.read(link, of: receiver).status == "404", "\(key)")
        }
    }

    @Test("A picture with nothing to prepare arrives as it was posted, under a key of its own")
    func untouched() async throws {
        guard let receiver = try Receiver.start("rclone-s3") else { return }
        let live = try receiver.gateway(Self.services)
        let picture = try Receiver.noise(width: 300, height: 200)
        var links: Set<String> = []
        for _ in 0..<2 {
            let (status, report) = try await live.post(picture, type: "image/png", query: "?services=store")
            #expect(status == 200, "\(report.serialized())")
            let link = try #require(report["links"]?["store"]?.string)
            #expect(link.hasSuffix(".png"))
            #expect(try Self.read(link, of: receiver).body == picture)
            links.insert(link)
        }
        #expect(links.count == 2)
    }

    @Test("Wrong credentials and a bucket that is not there are told by kind, in the store's words")
    func refusals() async throws {
        guard let receiver = try Receiver.start("rclone-s3") else { return }
        let store = "adapter: s3_path, endpoint: '@BASE@'"
        let live = try receiver.gateway(
            """
              secret: {\(store), bucket: '@S3_BUCKET@', access_key: '@S3_KEY@', secret_key: not-the-secret}
              key: {\(store), bucket: '@S3_BUCKET@', access_key: NOBODY, secret_key: '@S3_SECRET@'}
              bucket: {\(store), bucket: nowhere, access_key: '@S3_KEY@', secret_key: '@S3_SECRET@'}
            """
        )
        let (status, report) = try await live.post(try Receiver.noise(width: 40, height: 30), type: "image/png")
        #expect(status == 502)
        #expect(report.failure("secret") == "auth 403")
        #expect(report.failure("key") == "auth 403")
        #expect(report.failure("bucket") == "rejected 404")
        for service in ["secret", "key", "bucket"] {
            let error = report.delivery(service)?["error"]
            #expect(error?["message"]?.string?.isEmpty == false && error?["retryable"] == .bool(false))
            #expect(report.delivery(service)?["attempts"]?.int == 1)
        }
        #expect(!report.serialized().contains("not-the-secret"))
    }
}
