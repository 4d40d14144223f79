// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightMetadata
import FanlightTestSupport
import Foundation
import Testing

/// Every shared picture through the real server into twelve albums: three sizes, four metadata modes.
@Suite("Shared pictures, all of them", .serialized)
struct CorpusTests {
    private static let edges = [0, 2048, 100]

    /// What a stripped picture must never hold: traces of metadata.
    private static let traces = ["Exif\u{0}\u{0}", "http://ns.adobe.com/xap", "eXIf", "EXIF", "Photoshop 3.0"]
    /// What only `keep` may let pass: places and the payloads of the prepared files.
    private static let foreign = ["exif:GPS", "GPSLatitude", "<?php", "PK\u{3}\u{4}", "ftypmp42", "ftypisom"]

    /// One album's settings.
    private struct Album {
        var edge: Int
        var mode: MetadataPolicy
        var name: String { "a\(edge)_\(mode.rawValue)" }
    }

    private static let albums = edges.flatMap { edge in MetadataPolicy.allCases.map { Album(edge: edge, mode: $0) } }

    private func gateway() throws -> LiveGateway {
        let services = Self.albums.map { album in
            let limits = album.edge > 0 ? ", limits: {edge: \(album.edge)}" : ""
            return
                "  \(album.name): {adapter: local, folder: FOLDER/\(album.name), metadata: \(album.mode.rawValue)\(limits)}"
        }
        return try LiveGateway(server: "image:\n  max_edge: 0", services: services.joined(separator: "\n"))
    }

    @Test("Verdict, report and stored pictures")
    func everyPicture() async throws {
        guard let folder = Shared.folder else { return }
        let live = try gateway()
        let rows = try CorpusTable.rows(of: folder)
        #expect(rows.count > 100)
        var judge = OrientationJudge()
        for row in rows {
            let bytes = try Shared.bytes(folder + "/corpus/" + row.file)
            let start = ContinuousClock.now
            let (status, report) = try await live.post(bytes)
            let took = ContinuousClock.now - start
            guard row["verdict"] == "accept" else {
                #expect([413, 415, 422].contains(status), "\(row.file): \(status)")
                #expect(took < Duration.seconds(10).patient, "\(row.file) took \(took)")
                continue
            }
            if status == 422, row.isAmbiguous("verdict") { continue }
            #expect(status == 200, "\(row.file): \(report.serialized())")
            row.check(report)
            for album in Self.albums {
                guard let link = report["links"]?[album.name]?.string else { continue }
                let stored = try await live.get(link).body
                let facts = try check(row, bytes, stored, album)
                // Sets that differ in their metadata alone have the same pixels.
                if album.mode == .strip { try judge.check(row, stored, facts, edge: album.edge) }
            }
        }
        #expect(judge.count > 100)
    }

    private func check(_ row: CorpusTable.Row, _ source: [UInt8], _ stored: [UInt8], _ album: Album) throws
        -> ImageFacts
    {
        let name = "\(row.file) in \(album.name)"
        let facts = try ImageReader.read(stored, limits: ImageLimits())
        var width = Double(row["upright_width"]) ?? 0
        var height = Double(row["upright_height"]) ?? 0
        let isShrunk = album.edge > 0 && max(width, height) > Double(album.edge)
        if isShrunk {
            let scale = Double(album.edge) / max(width, height)
            (width, height) = (width * scale, height * scale)
            #expect(max(facts.width, facts.height) == album.edge, "\(name)")
        }
        #expect(abs(Double(facts.width) - width) < 1 && abs(Double(facts.height) - height) < 1, "\(name)")
        #expect(facts.orientation == .upright, "\(name)")
        let isAnimation = ["image/gif", "image/webp", "image/png"].contains(row["media_type"])
        if isAnimation {
            // A picture that stands before the first frame is none of the animation, and is not drawn again.
            let isExtra = row.file == "animation/dispose-previous.apng.png" && isShrunk
            #expect(facts.frames == (Int(row["frames"]) ?? 0) - (isExtra ? 1 : 0), "\(name)")
        }
        if row["has_alpha"] == "yes" { #expect(facts.hasAlpha, "\(name)") }
        let isPlain = row["orientation"] == "1" && !isShrunk && facts.mediaType.mime == row["media_type"]
        if album.mode == .keep {
            if isPlain, !Self.recoded.contains(row.file) { #expect(stored == source, "\(name)") }
            return facts
        }
        checkMetadata(row, source, stored, facts, album, name)
        return facts
    }

    private func checkMetadata(
        _ row: CorpusTable.Row,
        _ source: [UInt8],
        _ stored: [UInt8],
        _ facts: ImageFacts,
        _ album: Album,
        _ name: String
    ) {
        #expect(facts.geotag == nil, "\(name)")
        if album.mode != .stripGPS { #expect(facts.takenAt == nil && facts.cameraMake == nil, "\(name)") }
        for payload in Self.foreign + (album.mode == .strip ? Self.traces : []) {
            #expect(!stored.holds(Array(payload.utf8)), "\(name) holds \(payload.debugDescription)")
        }
        for rationals in row.positions where source.holds(rationals) {
            #expect(!stored.holds(rationals), "\(name) holds the position")
        }
    }

    /// JPEGs of four inks or with arithmetic coding, which few can read, are coded again.
    private static let recoded: Set = ["colour/cmyk.jpg", "colour/ycck.jpg", "jpeg/arithmetic.jpg"]
}

extension [UInt8] {
    /// True when these bytes lie somewhere in it.
    ///
    /// Foundation's search is compiled for speed; the standard library's takes a minute for all pictures in a debug build.
    fileprivate func holds(_ bytes: [UInt8]) -> Bool { Data(self).range(of: Data(bytes)) != nil }
}
