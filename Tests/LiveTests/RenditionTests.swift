// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightMetadata
import Foundation
import Testing

@Suite("Renditions through the real gateway", .serialized)
struct RenditionTests {
    /// The value of a metric, summed over its labels.
    private func metric(_ name: String, _ live: LiveGateway) async throws -> Int {
        let text = String(decoding: try await live.get(live.gateway.url + "/metrics").body, as: UTF8.self)
        let lines = text.split(separator: "\n").filter { $0.hasPrefix(name + "{") || $0.hasPrefix(name + " ") }
        try #require(!lines.isEmpty, "\(name) is not told")
        return lines.reduce(0) { $0 + Int(Double($1.split(separator: " ").last ?? "") ?? 0) }
    }

    @Test("20 services with three distinct sets of constraints: three renditions, one decode")
    func shared() async throws {
        let wishes = ["limits: {edge: 400}", "limits: {edge: 300}, format: png", "limits: {edge: 200}, quality: 50"]
        let services = (0..<20).map {
            "  a\($0): {adapter: local, folder: FOLDER/a\($0), \(wishes[$0 % wishes.count])}"
        }
        let live = try LiveGateway(services: services.joined(separator: "\n"))
        let (status, report) = try await live.post(try UploadTests.photo())
        #expect(status == 200)
        guard case .array(let deliveries)? = report["deliveries"] else {
            Issue.record("no deliveries")
            return
        }
        #expect(deliveries.count == 20)
        #expect(Set(deliveries.compactMap { $0["rendition"]?.serialized() }).count == 3)
        let heights = [400, 300, 200]
        for index in 0..<20 {
            let link = try #require(report["links"]?["a\(index)"]?.string)
            let facts = try ImageReader.read(try await live.get(link).body, limits: ImageLimits())
            #expect(facts.height == heights[index % 3] && facts.orientation == .upright)
        }
        #expect(try await metric("fanlight_renditions_total", live) == 3)
        #expect(try await metric("fanlight_decodes_total", live) == 1)
    }

    @Test("The gateway never loads the libraries that decode")
    func libraries() async throws {
        let live = try LiveGateway(
            services: """
                  small: {adapter: local, folder: FOLDER/small, limits: {edge: 100}}
                  other: {adapter: local, folder: FOLDER/other, format: webp}
                  turned: {adapter: local, folder: FOLDER/turned}
                """
        )
        #expect(try await live.post(try UploadTests.photo()).0 == 200)
        // Such a file has no size that is told; it is read to its end.
        let file = try #require(FileHandle(forReadingAtPath: "/proc/\(live.gateway.pid)/maps"))
        let maps = String(decoding: file.readDataToEndOfFile(), as: UTF8.self)
        try #require(maps.contains("libcurl"), "the table is not whole")
        for name in ["vips", "turbojpeg", "libjpeg", "zimg", "libpng", "libwebp", "libheif", "libtiff"] {
            #expect(!maps.contains(name), Comment(rawValue: name))
        }
    }

    @Test("Delivered pictures leave no more files than are kept for use again")
    func leftFiles() async throws {
        let live = try LiveGateway(
            services: """
                  small: {adapter: local, folder: FOLDER/small, limits: {edge: 100}}
                  other: {adapter: local, folder: FOLDER/other, format: webp, limits: {edge: 100}}
                """
        )
        let photo = try UploadTests.photo()
        for _ in 0..<40 { #expect(try await live.post(photo).0 == 200) }
        let files = try FileManager.default.contentsOfDirectory(atPath: live.folder + "/state/spool")
        // 40 uploads made 120 files.
        #expect(files.filter { $0.hasPrefix("spool-") }.count <= 32, "\(files.count)")
    }
}
