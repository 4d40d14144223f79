// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightMetadata
import Testing

/// Wide-gamut pictures through the real server: their colours must survive, with their profile or without.
@Suite("Colours of wide-gamut pictures")
struct ColourTests {
    /// Share of the picture's pixels that look like its tan square, as somebody sees them who obeys profiles or not.
    private func tan(_ bytes: [UInt8], obeysProfile: Bool) throws -> Double {
        let facts = try ImageReader.read(bytes, limits: ImageLimits())
        let seen = try Decoded(bytes, facts, srgb: obeysProfile)
        let places = (0..<seen.height).flatMap { y in (0..<seen.width).map { ($0, y) } }
        let matches = places.filter { x, y in zip(seen.pixel(x, y), [214, 116, 38]).allSatisfy { abs($0 - $1) <= 6 } }
        return Double(matches.count) / Double(places.count)
    }

    @Test("The tan square stays tan", arguments: ["wide-gamut.jpg", "wide-gamut.png"])
    func wideGamut(name: String) async throws {
        guard let folder = Shared.folder else { return }
        let source = try Shared.bytes("\(folder)/cases/img-06/\(name)")
        #expect(try tan(source, obeysProfile: true) > 0.02)
        #expect(try tan(source, obeysProfile: false) == 0)
        let live = try LiveGateway(
            services: """
                  keep: {adapter: local, folder: FOLDER/keep}
                  srgb: {adapter: local, folder: FOLDER/srgb, color: srgb}
                  small: {adapter: local, folder: FOLDER/small, limits: {edge: 48}}
                  small_srgb: {adapter: local, folder: FOLDER/small_srgb, limits: {edge: 48}, color: srgb}
                  jpeg: {adapter: local, folder: FOLDER/jpeg, format: jpeg}
                  webp: {adapter: local, folder: FOLDER/webp, format: webp}
                  gif: {adapter: local, folder: FOLDER/gif, format: gif}
                """
        )
        let (status, report) = try await live.post(source)
        #expect(status == 200, "\(report.serialized())")
        for service in ["keep", "srgb", "small", "small_srgb", "jpeg", "webp", "gif"] {
            let link = try #require(report["links"]?[service]?.string)
            let stored = try await live.get(link).body
            #expect(try tan(stored, obeysProfile: true) > 0.02, "\(service)")
            if service.contains("srgb") { #expect(try tan(stored, obeysProfile: false) > 0.02, "\(service)") }
        }
    }

    @Test("A broken profile fails nothing")
    func brokenProfile() async throws {
        guard let folder = Shared.folder else { return }
        let live = try LiveGateway(
            services: """
                  keep: {adapter: local, folder: FOLDER/keep}
                  srgb: {adapter: local, folder: FOLDER/srgb, color: srgb, limits: {edge: 40}}
                """
        )
        let (status, report) = try await live.post(try Shared.bytes(folder + "/cases/img-06/broken-profile.jpg"))
        #expect(status == 200, "\(report.serialized())")
    }

    @Test("What is lost is said in the report")
    func losses() async throws {
        guard let folder = Shared.folder else { return }
        let live = try LiveGateway(
            services: """
                  whole: {adapter: local, folder: FOLDER/whole}
                  still: {adapter: local, folder: FOLDER/still, format: jpeg}
                  few: {adapter: local, folder: FOLDER/few, limits: {frames: 2}}
                """
        )
        let (status, report) = try await live.post(try Shared.bytes(folder + "/corpus/animation/four-frames.gif"))
        #expect(status == 200)
        guard case .array(let warnings)? = report["warnings"] else {
            Issue.record("no warnings")
            return
        }
        #expect(warnings.compactMap { $0["code"]?.string } == ["animation_lost", "frames_limited"])
        for (service, frames) in [("whole", 4), ("still", 1), ("few", 2)] {
            let link = try #require(report["links"]?[service]?.string)
            #expect(try ImageReader.read(try await live.get(link).body, limits: ImageLimits()).frames == frames)
        }
    }
}
