// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightCurl
import Foundation
import Testing

/// The adapters of WebDAV against Apache; where the scripts of receivers are.
@Suite("Receivers: WebDAV at Apache", .serialized)
struct ReceiversWebDAVTests {
    private static let services = """
          basic: {adapter: webdav, address: '@BASE@/basic', username: '@DAV_USER@', password: '@DAV_PASS@'}
          digest: {adapter: webdav_digest, address: '@BASE@/digest/', username: '@DAV_USER@', password: '@DAV_PASS@'}
          album: {adapter: local, folder: FOLDER/album}
        """

    private static func into(_ folder: String, _ name: String) -> String {
        ["basic", "digest"].map { "&option.\($0).folder=\(folder)&option.\($0).name=\(name)" }.joined()
    }

    @Test("The folder is made, the picture arrives as it was prepared, and goes when it is deleted")
    func folder() async throws {
        guard let receiver = try Receiver.start("apache-dav") else { return }
        let live = try receiver.gateway(Self.services)
        // The second upload finds its folder there.
        for (sent, name) in [("pic%20%C3%A9%2B1.jpg", "pic é+1.jpg"), ("50%25%20%23%3F%26.jpg", "50% #?&.jpg")] {
            let query = "?title=sea" + Self.into("2026", sent)
            let (status, report) = try await live.post(try UploadTests.photo(), type: "image/jpeg", query: query)
            #expect(status == 200, "\(report.serialized())")
            let prepared = try await live.get(try #require(report["links"]?["album"]?.string)).body
            for service in ["basic", "digest"] {
                #expect(receiver.file("dav/\(service)/2026/\(name)") == prepared)
                let lane = report.delivery(service)?["rendition"]?["lane"]
                #expect(lane == report.delivery("album")?["rendition"]?["lane"] && lane != nil)
            }
            let link = try #require(report["links"]?["basic"]?.string)
            #expect(link.hasPrefix(receiver["BASE"] + "/basic/2026/"))
            let credentials = Data("\(receiver["DAV_USER"]):\(receiver["DAV_PASS"])".utf8).base64EncodedString()
            let request = HTTPRequest(
                method: "GET",
                url: link,
                headers: [HTTPField("Authorization", "Basic " + credentials)],
                maxReplyBytes: 64_000_000
            )
            #expect(try await live.transport.send(request).body == prepared)
            #expect(
                try await live.delete(report) == ["basic": "deleted", "digest": "deleted", "album": "deleted"]
            )
            #expect(try await live.transport.send(request).status == 404)
            for service in ["basic", "digest"] { #expect(receiver.file("dav/\(service)/2026/\(name)") == nil) }
        }
    }

    @Test("A picture with nothing to prepare arrives as it was posted, and replaces one of that name")
    func untouched() async throws {
        guard let receiver = try Receiver.start("apache-dav") else { return }
        let live = try receiver.gateway(Self.services)
        for width in [40, 60] {
            let picture = try Receiver.noise(width: width, height: 30)
            let query = "?services=basic,digest" + Self.into("pics", "one.png")
            let (status, report) = try await live.post(picture, type: "image/png", query: query)
            #expect(status == 200, "\(report.serialized())")
            for service in ["basic", "digest"] {
                #expect(report.delivery(service)?["rendition"]?["lane"] == "stripped")
                #expect(receiver.file("dav/\(service)/pics/one.png") == picture)
            }
        }
    }

    @Test("What the server refuses is told by kind and status, and leaves nothing behind")
    func refusals() async throws {
        guard let receiver = try Receiver.start("apache-dav") else { return }
        let live = try receiver.gateway(
            Self.services + """

                  wrong: {adapter: webdav, address: '@BASE@/basic', username: '@DAV_USER@', password: nobody-1}
                  wrong_digest: {adapter: webdav_digest, address: '@BASE@/digest', username: '@DAV_USER@', password: no-2}
                  bare:
                    method: PUT
                    url: '@BASE@/basic/missing/${upload_id}.${file.ext}'
                    auth: {type: basic, username: '@DAV_USER@', password: '@DAV_PASS@'}
                    raw: file
                    error: {kinds: {409: rejected}}
                    link: '@BASE@/basic/missing/${upload_id}.${file.ext}'
                """
        )
        let small = try Receiver.noise(width: 40, height: 30)
        func post(_ picture: [UInt8], _ query: String) async throws -> JSONValue {
            let (status, report) = try await live.post(picture, type: "image/png", query: query)
            #expect(status == 502, "\(report.serialized())")
            return report
        }
        let credentials = try await post(small, "?services=wrong,wrong_digest")
        #expect(credentials.failure("wrong") == "auth 401")
        #expect(credentials.failure("wrong_digest") == "auth 401")
        #expect(credentials.delivery("wrong")?["attempts"]?.int == 1)

        let nested = try await post(small, "?services=basic,digest,bare" + Self.into("a/b", "one.png"))
        for service in ["basic", "digest", "bare"] {
            #expect(nested.failure(service) == "rejected 409", "\(service): \(nested.serialized())")
        }

        // 5 MiB is what the server takes.
        let big = try await post(try Receiver.noise(width: 1_500, height: 1_300), "?services=basic,digest")
        for service in ["basic", "digest"] {
            #expect(big.failure(service) == "too_large 413", "\(service): \(big.serialized())")
        }

        let keep = "?services=basic&option.basic.keep=true&option.basic.name=one.png"
        let (status, _) = try await live.post(small, type: "image/png", query: keep)
        #expect(status == 200)
        let taken = try await post(try Receiver.noise(width: 50, height: 30), keep)
        #expect(taken.failure("basic") == "duplicate 412")
        #expect(receiver.file("dav/basic/one.png") == small)
        let left = try FileManager.default.contentsOfDirectory(atPath: receiver.folder + "/dav/basic")
        #expect(left == ["one.png"] || Set(left) == ["one.png", ".DAV"], "\(left)")
    }
}
