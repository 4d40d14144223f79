// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Foundation
import Testing

/// The shared table of pictures and of what a correct gateway says about them.
enum CorpusTable {
    static func rows(of folder: String) throws -> [Row] {
        let text = String(decoding: try Shared.bytes(folder + "/corpus/expected.tsv"), as: UTF8.self)
        let lines = text.split(separator: "\n").map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
        guard let names = lines.first else { return [] }
        return lines.dropFirst().map { Row(values: Dictionary(zip(names, $0)) { first, _ in first }) }
    }

    /// One picture.
    struct Row: Sendable {
        var values: [String: String]

        subscript(_ column: String) -> String { values[column, default: ""] }
        var file: String { self["file"] }

        /// True where careful readers differ about a column.
        func isAmbiguous(_ column: String) -> Bool { self["note"].contains("AMBIGUOUS(\(column)") }

        /// Degrees and minutes of both coordinates as EXIF's rationals, in both byte orders.
        var positions: [[UInt8]] {
            ["latitude", "longitude"].compactMap { Double(self[$0]) }.flatMap { value -> [[UInt8]] in
                let degrees = UInt32(abs(value))
                let minutes = UInt32((abs(value) - Double(degrees)) * 60)
                guard degrees > 0, minutes > 0 else { return [] }
                let numbers = [degrees, 1, minutes, 1]
                func bytes(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(number >> (8 * $0) & 0xFF) } }
                return [numbers.flatMap { bytes($0) }, numbers.flatMap { bytes($0).reversed() }]
            }
        }

        /// Compares the report with the row.
        func check(_ report: JSONValue) {
            for name in ["width", "height", "orientation", "frames"] {
                #expect(report["image"]?[name] == .number(self[name]), "\(file) \(name)")
            }
            #expect(report["image"]?["media_type"] == .string(self["media_type"]), "\(file)")
            if !isAmbiguous("latitude") { checkPosition(report) }
            if isAmbiguous("taken_at") { return }
            let taken = self["taken_at"]
            let told = report["taken_at"]?.string ?? ""
            // Fractions of a second may stand between the seconds and the offset.
            #expect(told.hasPrefix(taken.prefix(19)) && told.hasSuffix(taken.dropFirst(19)), "\(file) \(told)")
            #expect(told.isEmpty == taken.isEmpty, "\(file) \(told)")
        }

        private func checkPosition(_ report: JSONValue) {
            for (name, tolerance) in [("latitude", 2e-7), ("longitude", 2e-7), ("altitude", 6e-4)] {
                let expected = Double(self[name])
                guard case .number(let text)? = report["geotag"]?[name], let value = Double(text) else {
                    #expect(expected == nil || self["note"].contains("OPTIONAL(latitude"), "\(file) \(name)")
                    continue
                }
                #expect(abs(value - (expected ?? .infinity)) < tolerance, "\(file) \(name) \(text)")
            }
        }
    }
}
