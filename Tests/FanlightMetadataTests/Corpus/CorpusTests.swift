// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@testable import FanlightMetadata

/// The corpus beside the package; without it these tests return at once.
@Suite struct CorpusTests {
    @Test(arguments: CorpusRow.rows()) func readsWhatTheTableSays(_ row: CorpusRow) {
        guard row.isPresent else { return }
        let outcome = Result { () throws(ImageError) in try ImageReader.read(row.bytes, limits: ImageLimits()) }
        if row.isAmbiguous("verdict") { return }
        switch outcome {
        case .success(let facts):
            #expect(row["verdict"] == "accept")
            expectEqual(facts, row)
        case .failure(let error):
            let reason = String(row["verdict"].split(separator: ":").last ?? "")
            #expect(row["verdict"] != "accept", "\(error)")
            if !row["note"].contains("REASON-LOOSE") {
                #expect(Self.reasons(error).contains(reason), "\(error)")
            }
        }
    }

    @Test(arguments: CorpusRow.rows { $0["verdict"] == "accept" })
    func strippedPicturesKeepTheirPixelsOnly(_ row: CorpusRow) throws {
        let bytes = row.bytes
        guard let before = try? ImageReader.read(bytes, limits: ImageLimits()) else { return }
        guard [.jpeg, .png, .gif, .webp].contains(before.mediaType) else {
            #expect(throws: ImageError.corrupt("cannot be rewritten")) {
                try MetadataStripper.strip(bytes, policy: .strip)
            }
            return
        }
        let stripped = try MetadataStripper.strip(bytes, policy: .strip)
        let after = try ImageReader.read(stripped, limits: ImageLimits())
        #expect(after.width == before.width && after.height == before.height)
        #expect(after.frames == before.frames && after.hasAlpha == before.hasAlpha)
        #expect(after.orientation == .upright)
        #expect(after.geotag == nil && after.takenAt == nil && after.cameraMake == nil && after.warnings.isEmpty)
        #expect(try MetadataStripper.strip(stripped, policy: .strip) == stripped)
        for foreign in ["Exif\u{0}\u{0}", "ns.adobe.com/xap", "<?php", "PK\u{3}\u{4}", "ftypmp4", "ftypisom"] {
            #expect(!contains(stripped, Array(foreign.utf8)), "\(foreign)")
        }
    }

    @Test(arguments: CorpusRow.rows { $0["media_type"] == "image/jpeg" && $0["verdict"] == "accept" })
    func layoutAgreesWithTheTable(_ row: CorpusRow) {
        guard row.isPresent else { return }
        guard let layout = try? JPEGHeader.inspect(row.bytes) else {
            #expect(row.isAmbiguous("verdict"))
            return
        }
        #expect("\(layout.width)" == row["width"] && "\(layout.height)" == row["height"])
    }

    private func expectEqual(_ facts: ImageFacts, _ row: CorpusRow) {
        let found: [(String, String)] = [
            ("media_type", facts.mediaType.mime), ("width", "\(facts.width)"), ("height", "\(facts.height)"),
            ("orientation", "\(facts.orientation.rawValue)"), ("upright_width", "\(facts.uprightWidth)"),
            ("upright_height", "\(facts.uprightHeight)"), ("frames", "\(facts.frames)"),
            ("has_alpha", facts.hasAlpha ? "yes" : "no"), ("taken_at", Self.wholeSeconds(facts.takenAt ?? "")),
            ("camera_make", facts.cameraMake ?? ""), ("camera_model", facts.cameraModel ?? ""),
        ]
        for (column, value) in found where !row.isAmbiguous(column) {
            if row.isOptional(column), value.isEmpty { continue }
            #expect(value == row[column], "\(column)")
        }
        let numbers: [(String, Double?, Double)] = [
            ("latitude", facts.geotag?.latitude, 0.000_000_06), ("longitude", facts.geotag?.longitude, 0.000_000_06),
            ("altitude", facts.geotag?.altitude, 0.000_6),
        ]
        for (column, value, tolerance) in numbers where !row.isAmbiguous(column) {
            if row.isOptional(column), value == nil { continue }
            switch (value, Double(row[column])) {
            case (nil, nil): continue
            case (let value?, let expected?): #expect(abs(value - expected) <= tolerance, "\(column)")
            default: Issue.record("\(column) is \(String(describing: value))")
            }
        }
    }

    /// The table has no fractions of seconds.
    private static func wholeSeconds(_ text: String) -> String {
        guard let point = text.firstIndex(of: ".") else { return text }
        return String(text[..<point] + text[point...].dropFirst().drop { $0.isNumber })
    }

    private static func reasons(_ error: ImageError) -> [String] {
        switch error {
        case .empty: ["empty"]
        case .unsupportedType: ["unsupported-type"]
        case .tooManyPixels: ["too-many-pixels"]
        case .tooManyFrames: ["too-many-frames"]
        case .truncated, .corrupt: ["truncated", "corrupt"]
        case .noRendition, .processingFailed, .unavailable: []
        }
    }

    private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        var index = bytes.firstIndex(of: part[0])
        while let start = index {
            if bytes[start...].starts(with: part) { return true }
            index = bytes[(start + 1)...].firstIndex(of: part[0])
        }
        return false
    }
}
