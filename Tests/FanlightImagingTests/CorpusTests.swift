// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightMetadata
import Testing

@testable import FanlightImaging

@Suite("Corpus, through the pool")
struct CorpusTests {
    @Test("Every accepted picture gets an upright rendition without a position")
    func accepted() async throws {
        let spool = FolderSpool()
        let pool = HelperPool(
            executable: HelperProgram.path,
            workers: 2,
            timeout: .seconds(60),
            recycleAfter: 20,
            spool: spool
        )
        defer { pool.shutdown() }
        for entry in Corpus.accepted {
            let bytes = try #require(Corpus.read(entry.path))
            do {
                let facts = try ImageReader.read(bytes, limits: ImageLimits())
                let made = try await pool.prepare(
                    try spool.file(bytes),
                    facts: facts,
                    constraints: RenditionConstraints(maxEdge: 100)
                )
                let scale = min(1, 100 / Double(max(entry.uprightWidth, entry.uprightHeight)))
                #expect(abs(Double(made.width) - Double(entry.uprightWidth) * scale) <= 1, "\(entry)")
                #expect(abs(Double(made.height) - Double(entry.uprightHeight) * scale) <= 1, "\(entry)")
                #expect(LaneChooser.usualFormats.contains(made.mediaType), "\(entry)")
                let again = try ImageReader.read(try #require(made.file.readAll()), limits: ImageLimits())
                #expect(again.orientation == .upright, "\(entry)")
                #expect(again.geotag == nil, "\(entry)")
                if [.gif, .webp, .png].contains(entry.type) { #expect(again.frames == shownFrames(entry), "\(entry)") }
            } catch {
                Issue.record("\(entry): \(error)")
            }
        }
    }

    /// A picture that stands before the first frame is none of the animation, and is not drawn again.
    private func shownFrames(_ entry: Corpus.Entry) -> Int {
        entry.frames - (entry.name == "animation/dispose-previous.apng.png" ? 1 : 0)
    }

    @Test("The drawing with four quarters is upright at full size", arguments: [4096, 60])
    func quads(edge: Int) async throws {
        let spool = FolderSpool()
        let pool = HelperPool(
            executable: HelperProgram.path,
            workers: 2,
            timeout: .seconds(60),
            recycleAfter: 20,
            spool: spool
        )
        defer { pool.shutdown() }
        for entry in Corpus.accepted where entry.name.contains("/quad-") {
            let bytes = try #require(Corpus.read(entry.path))
            let facts = try ImageReader.read(bytes, limits: ImageLimits())
            let made = try await pool.prepare(
                try spool.file(bytes),
                facts: facts,
                constraints: RenditionConstraints(maxEdge: edge)
            )
            let again = try #require(made.file.readAll())
            #expect(try Pictures.corners(again, made.mediaType) == [0, 1, 2, 3], "\(entry)")
        }
    }

    @Test("Animations that must shrink keep every frame", arguments: [MediaType.gif, .webp, .png])
    func animations(type: MediaType) async throws {
        let spool = FolderSpool()
        let pool = HelperPool(
            executable: HelperProgram.path,
            workers: 2,
            timeout: .seconds(60),
            recycleAfter: 1,
            spool: spool
        )
        defer { pool.shutdown() }
        for entry in Corpus.accepted where entry.type == type && entry.frames > 1 {
            let bytes = try #require(Corpus.read(entry.path))
            let facts = try ImageReader.read(bytes, limits: ImageLimits())
            let made = try await pool.prepare(
                try spool.file(bytes),
                facts: facts,
                constraints: RenditionConstraints(maxEdge: 30)
            )
            let again = try ImageReader.read(try #require(made.file.readAll()), limits: ImageLimits())
            #expect(again.frames == shownFrames(entry), "\(entry)")
            #expect(max(made.width, made.height) == 30, "\(entry)")
            #expect(made.lane == .resized, "\(entry)")
        }
    }

    @Test("Every picture can become every usual format, at any size", arguments: LaneChooser.usualFormats)
    func everyFormat(output: MediaType) async throws {
        let spool = FolderSpool()
        let pool = HelperPool(
            executable: HelperProgram.path,
            workers: 2,
            timeout: .seconds(60),
            recycleAfter: 500,
            spool: spool
        )
        defer { pool.shutdown() }
        for entry in Corpus.accepted where entry.uprightWidth * entry.uprightHeight < 200_000 {
            let bytes = try #require(Corpus.read(entry.path))
            let facts = try ImageReader.read(bytes, limits: ImageLimits())
            for edge in [0, 17] {
                do {
                    let made = try await pool.prepare(
                        try spool.file(bytes),
                        facts: facts,
                        constraints: RenditionConstraints(maxEdge: edge, formats: [output])
                    )
                    #expect(made.mediaType == output, "\(entry)")
                    if edge == 0 {
                        #expect(made.width == entry.uprightWidth, "\(entry)")
                        #expect(made.height == entry.uprightHeight, "\(entry)")
                    } else {
                        #expect(max(made.width, made.height) <= 17, "\(entry)")
                    }
                } catch {
                    Issue.record("\(entry) at \(edge): \(error)")
                }
            }
        }
    }

    @Test("Every refused picture ends in an error, in the reader or in the helper")
    func refused() async throws {
        let spool = FolderSpool()
        let pool = HelperPool(
            executable: HelperProgram.path,
            workers: 2,
            timeout: .seconds(60),
            recycleAfter: 20,
            spool: spool
        )
        defer { pool.shutdown() }
        for entry in Corpus.refused {
            let bytes = try #require(Corpus.read(entry.path))
            await #expect(throws: ImageError.self, "\(entry)") {
                let facts = try ImageReader.read(bytes, limits: ImageLimits())
                _ = try await pool.prepare(
                    try spool.file(bytes),
                    facts: facts,
                    constraints: RenditionConstraints(maxEdge: 100)
                )
            }
        }
    }
}
