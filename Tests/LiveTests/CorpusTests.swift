// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightMetadata
import Foundation
import Testing

/// Every shared picture through the real server into an album, and what the album then holds.
@Suite("Shared pictures, all of them", .serialized)
struct CorpusTests {
    private typealias Row = [String: String]

    /// What an album must never hold: traces of metadata and the payloads of the prepared files.
    private static let foreign = [
        "Exif\u{0}\u{0}", "http://ns.adobe.com/xap", "exif:GPS", "<?php", "PK\u{3}\u{4}", "ftypmp42", "ftypisom",
    ]

    private func rows(of folder: String) throws -> [Row] {
        let text = String(decoding: try Shared.bytes(folder + "/corpus/expected.tsv"), as: UTF8.self)
        let lines = text.split(separator: "\n").map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
        guard let names = lines.first else { return [] }
        return lines.dropFirst().map { Row(zip(names, $0)) { first, _ in first } }
    }

    @Test("Verdict, report and stored picture", arguments: [0, 100])
    func everyPicture(edge: Int) async throws {
        guard let folder = Shared.folder else { return }
        let live = try LiveGateway(
            server: "image:\n  max_edge: \(edge)",
            services: "  album: {adapter: local, folder: FOLDER/album}"
        )
        let rows = try rows(of: folder)
        #expect(rows.count > 100)
        for row in rows {
            let bytes = try Shared.bytes(folder + "/corpus/" + row["file", default: ""])
            let start = ContinuousClock.now
            let (status, report) = try await live.post(bytes)
            let took = ContinuousClock.now - start
            guard row["verdict"] == "accept" else {
                checkRefusal(row, status, took)
                continue
            }
            if status == 422, row["note", default: ""].contains("AMBIGUOUS(verdict") { continue }
            #expect(status == 200, "\(row["file", default: ""]): \(report.serialized())")
            checkReport(row, report)
            guard let link = report["links"]?["album"]?.string else { continue }
            try checkStored(row, try await live.get(link).body, edge: edge)
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: live.folder + "/state/spool")
        #expect(left.filter { $0.hasPrefix("spool-") }.isEmpty)
    }

    private func checkRefusal(_ row: Row, _ status: Int, _ took: Duration) {
        let file = row["file", default: ""]
        #expect([413, 415, 422].contains(status), "\(file): \(status)")
        #expect(took < .seconds(1), "\(file) took \(took)")
    }

    private func checkReport(_ row: Row, _ report: JSONValue) {
        let file = row["file", default: ""]
        let note = row["note", default: ""]
        for name in ["width", "height", "orientation", "frames"] {
            #expect(report["image"]?[name] == .number(row[name, default: ""]), "\(file) \(name)")
        }
        #expect(report["image"]?["media_type"] == .string(row["media_type", default: ""]), "\(file)")
        if !note.contains("AMBIGUOUS(latitude") {
            for (name, tolerance) in [("latitude", 2e-7), ("longitude", 2e-7), ("altitude", 6e-4)] {
                let expected = Double(row[name, default: ""])
                guard case .number(let text)? = report["geotag"]?[name], let value = Double(text) else {
                    #expect(expected == nil || note.contains("OPTIONAL(latitude"), "\(file) \(name)")
                    continue
                }
                #expect(abs(value - (expected ?? .infinity)) < tolerance, "\(file) \(name) \(text)")
            }
        }
        if note.contains("AMBIGUOUS(taken_at") { return }
        let taken = row["taken_at", default: ""]
        let told = report["taken_at"]?.string ?? ""
        // Fractions of a second may stand between the seconds and the offset.
        #expect(told.hasPrefix(taken.prefix(19)) && told.hasSuffix(taken.dropFirst(19)), "\(file) \(told)")
        #expect(told.isEmpty == taken.isEmpty, "\(file) \(told)")
    }

    private func checkStored(_ row: Row, _ stored: [UInt8], edge: Int) throws {
        let file = row["file", default: ""]
        let facts = try ImageReader.read(stored, limits: ImageLimits())
        var width = Double(row["upright_width", default: ""]) ?? 0
        var height = Double(row["upright_height", default: ""]) ?? 0
        if edge > 0, max(width, height) > Double(edge) {
            let scale = Double(edge) / max(width, height)
            (width, height) = (width * scale, height * scale)
            #expect(max(facts.width, facts.height) == edge, "\(file)")
        }
        #expect(abs(Double(facts.width) - width) < 1 && abs(Double(facts.height) - height) < 1, "\(file)")
        #expect(facts.orientation == .upright && facts.geotag == nil && facts.takenAt == nil, "\(file)")
        for payload in Self.foreign {
            #expect(stored.firstRange(of: payload.utf8) == nil, "\(file) holds \(payload.debugDescription)")
        }
    }
}
