// SPDX-License-Identifier: Apache-2.0

import FanlightCodecs
import FanlightCore
import FanlightMetadata
import Testing

@testable import FanlightImaging

@Suite("One decode for all sets of constraints")
struct SharedWorkTests {
    private let spool: FolderSpool
    private let pool: HelperPool

    init() throws {
        spool = FolderSpool()
        pool = HelperPool(
            executable: HelperProgram.path,
            workers: 1,
            timeout: .seconds(60),
            recycleAfter: 50,
            spool: spool
        )
    }

    private func prepare(_ bytes: [UInt8], _ sets: [RenditionConstraints]) async throws -> [Rendition] {
        let facts = try ImageReader.read(bytes, limits: ImageLimits())
        let made = await pool.prepare(try spool.file(bytes), facts: facts, constraints: sets)
        return try made.map { try $0.get() }
    }

    @Test("Three sizes and formats of one picture", arguments: [MediaType.jpeg, .png, .webp, .gif, .bmp])
    func sizes(type: MediaType) async throws {
        defer { pool.shutdown() }
        let bitmap = Pictures.bitmap(uprightWidth: 640, uprightHeight: 480)
        let source = type == .bmp ? bitmap : try Pictures.encode(bitmap, as: type)
        let made = try await prepare(
            source,
            [
                RenditionConstraints(maxEdge: 400), RenditionConstraints(maxEdge: 100),
                RenditionConstraints(maxEdge: 64, format: .png), RenditionConstraints(maxEdge: 50, format: .webp),
            ]
        )
        #expect(made.map(\.width) == [400, 100, 64, 50])
        #expect(made.map(\.height) == [300, 75, 48, 38])
        #expect(made[2].mediaType == .png && made[3].mediaType == .webp)
        for rendition in made {
            let bytes = try #require(rendition.file.readAll())
            #expect(try Pictures.quarters(bytes, rendition.mediaType).names == [0, 1, 2, 3])
        }
        #expect(pool.decodes == 1)
    }

    @Test("A set that needs no pixels costs no decode, and a turned one costs none, either")
    func mixed() async throws {
        defer { pool.shutdown() }
        let jpeg = try Pictures.jpeg(uprightWidth: 64, uprightHeight: 48, orientation: .right)
        let made = try await prepare(jpeg, [RenditionConstraints(), RenditionConstraints(metadata: .copyright)])
        #expect(made.map(\.lane) == [.rotated, .rotated])
        #expect(pool.decodes == 0)
        let more = try await prepare(jpeg, [RenditionConstraints(), RenditionConstraints(maxEdge: 32)])
        #expect(more.map(\.lane) == [.rotated, .resized])
        #expect(pool.decodes == 1)
    }

    @Test("Byte limits that one file keeps share it; a tighter one gets its own")
    func limits() async throws {
        defer { pool.shutdown() }
        let jpeg = try Pictures.encode(Pictures.noise(width: 600, height: 400), as: .jpeg, quality: 95)
        let made = try await prepare(
            jpeg,
            [9_000, 20_000_000, 10_000_000, 12_000].map { RenditionConstraints(maxEdge: 300, maxBytes: $0) }
        )
        #expect(made[1].file === made[2].file)
        #expect(made[0].file.size <= 9_000 && made[3].file.size <= 12_000)
        #expect(made[3].file !== made[1].file)
        #expect(pool.decodes == 1)
    }

    @Test("A picture longer than a format can be is made smaller for it, and for it alone")
    func longestEdges() async throws {
        defer { pool.shutdown() }
        let made = try await prepare(
            Pictures.bitmap(width: 70_000, height: 20) { _, _ in [220, 30, 30] },
            [MediaType.png, .jpeg, .webp, .gif].map { RenditionConstraints(maxEdge: 0, format: $0) }
        )
        #expect(made.map(\.width) == [70_000, 65_500, 16_383, 65_535])
        #expect(made.map(\.height) == [20, 19, 5, 19])
        #expect(pool.decodes == 1)
    }

    @Test("Colours that a PNG tells by numbers are kept with a profile, or converted")
    func codedColours() async throws {
        defer { pool.shutdown() }
        let plain = try Pictures.encode(Pictures.bitmap(width: 40, height: 40) { _, _ in [220, 30, 30] }, as: .png)
        let source = Pictures.withColours([12, 13, 0, 1], plain)
        let made = try await prepare(
            source,
            [
                RenditionConstraints(maxEdge: 20), RenditionConstraints(format: .jpeg),
                RenditionConstraints(colour: .srgb),
            ]
        )
        let jpeg = try #require(made[1].file.readAll())
        let profile = try #require(try JPEGHeader.inspect(jpeg).iccProfile)
        #expect(profile == CodedColours(of: source, type: .png)?.profile)
        let png = try #require(made[0].file.readAll())
        #expect(png.firstRange(of: Array("iCCP".utf8)) != nil)
        // This red of Display P3 is beyond sRGB: the nearest one has no green and blue to speak of.
        let converted = try #require(made[2].file.readAll())
        let pixels = try Pictures.startedPipeline().pixels(converted, .init(mediaType: .png))
        #expect(pixels.rgb[0] > 235 && pixels.rgb[1] < 15, "\(pixels.rgb.prefix(3))")
    }

    @Test("Light beyond white is not flattened without a word", arguments: [(16, true), (18, true), (13, false)])
    func lightBeyondWhite(transfer: UInt8, isTold: Bool) async throws {
        defer { pool.shutdown() }
        let plain = try Pictures.encode(Pictures.bitmap(width: 40, height: 40) { _, _ in [220, 30, 30] }, as: .png)
        let source = Pictures.withColours([9, transfer, 0, 1], plain)
        let made = try await prepare(source, [RenditionConstraints(maxEdge: 20), RenditionConstraints()])
        #expect(made[0].warnings.contains { $0.code == "light_flattened" } == isTold)
        // Bytes that stay as they are still say what they mean.
        #expect(made[1].warnings.isEmpty)
    }

    @Test("A set that cannot be satisfied does not fail the others")
    func impossible() async throws {
        defer { pool.shutdown() }
        let jpeg = try Pictures.jpeg(uprightWidth: 640, uprightHeight: 480, orientation: .upright)
        let facts = try ImageReader.read(jpeg, limits: ImageLimits())
        let made = await pool.prepare(
            try spool.file(jpeg),
            facts: facts,
            constraints: [
                RenditionConstraints(maxEdge: 100), RenditionConstraints(maxBytes: 20),
                RenditionConstraints(formats: [.heic]),
            ]
        )
        #expect(try made[0].get().width == 100)
        for failed in made.dropFirst() {
            #expect(throws: ImageError.self) { try failed.get() }
            if case .failure(.noRendition) = failed { continue }
            Issue.record("\(failed)")
        }
    }

    @Test("Messages come through as they were sent")
    func messages() throws {
        let ground = GroundColour(red: 1, green: 20, blue: 255)
        let jobs = [
            PixelJob(output: .jpeg, turning: .exact, keepsSampling: true, maxBytes: 7),
            PixelJob(output: .png, maxWidth: 3, maxHeight: 4, frames: 9, quality: 11, srgb: true, background: ground),
        ]
        let source = PixelSource(mediaType: .webp, orientation: .left, width: 5, height: 6, frames: 9)
        let request = HelperRequest(id: 3, source: source, jobs: jobs)
        #expect(HelperRequest(text: request.text) == request)
        #expect(HelperRequest(text: request.text + "\nnonsense") == nil)
        let answers: [HelperAnswer] = [
            .made(job: 1, count: 12, isTurned: true, notes: .profileUnfit), .same(job: 2, as: 0),
            .refused(job: 0, .corrupt("what the decoder said")), .refused(job: 0, .truncated), .end(decodes: 2),
        ]
        for answer in answers {
            #expect(HelperAnswer(text: answer.text(id: 8), id: 8) == answer)
            #expect(HelperAnswer(text: answer.text(id: 8), id: 9) == nil)
        }
    }
}
