// SPDX-License-Identifier: Apache-2.0

import FanlightCodecs
import FanlightCore
import Foundation
import Testing

/// Says whether a stored picture stands upright: by the drawing's corners, or beside the same photo stored otherwise.
struct OrientationJudge {
    /// Pictures judged.
    private(set) var count = 0
    /// The photo that was seen first, by size and series, as 32 x 32 averages.
    private var references: [String: [Double]] = [:]

    private static let drawing = [
        "exif/exif-after-other-apps", "exif/orient-6-xmp-says-8", "exif/two-exif-segments",
        "exif/thumbnail-orientation-differs", "jpeg/motion-photo", "jpeg/progressive-odd-size-o5", "extension/",
        "orientation/quad-",
    ]
    /// Red, green, blue, yellow: from the top left in the direction of the clock.
    private static let corners: [[Int]] = [[220, 30, 30], [30, 170, 60], [40, 60, 210], [240, 210, 40]]

    mutating func check(_ row: CorpusTable.Row, _ stored: [UInt8], _ facts: ImageFacts, edge: Int) throws {
        if Self.drawing.contains(where: row.file.hasPrefix), row.file != "orientation/quad-exif6-no-irot.heic" {
            try checkCorners(row, stored, facts, edge)
        } else if row.file == "jpeg/cmyk-adobe-o6.jpg" {
            try checkHues(row, stored, facts, edge)
        } else if row.file.hasPrefix("orientation/photo-") || row.file.hasPrefix("orientation/rot") {
            try comparePhoto(row, stored, facts, edge)
        }
    }

    private mutating func checkCorners(_ row: CorpusTable.Row, _ stored: [UInt8], _ facts: ImageFacts, _ edge: Int)
        throws
    {
        count += 1
        let found = try Decoded(stored, facts).corners
        for (corner, expected) in zip(found, Self.corners) {
            for (one, other) in zip(corner, expected) { #expect(abs(one - other) <= 40, "\(row.file) at \(edge)") }
        }
    }

    /// Ink without a profile: each corner has the hue of its own colour rather than of another.
    private mutating func checkHues(_ row: CorpusTable.Row, _ stored: [UInt8], _ facts: ImageFacts, _ edge: Int) throws
    {
        count += 1
        for (index, corner) in try Decoded(stored, facts).corners.enumerated() {
            let likeness = Self.corners.map { Self.likeness(corner, $0) }
            #expect(likeness.firstIndex(of: likeness.max() ?? 0) == index, "\(row.file) at \(edge): \(corner)")
        }
    }

    /// 1 for equal hues, -1 for opposite ones.
    private static func likeness(_ one: [Int], _ other: [Int]) -> Double {
        func hue(_ colour: [Int]) -> [Double] {
            let mean = Double(colour.reduce(0, +)) / 3
            let parts = colour.map { Double($0) - mean }
            let length = parts.reduce(0) { $0 + $1 * $1 }.squareRoot()
            return parts.map { $0 / max(length, 1) }
        }
        return zip(hue(one), hue(other)).reduce(0) { $0 + $1.0 * $1.1 }
    }

    private mutating func comparePhoto(_ row: CorpusTable.Row, _ stored: [UInt8], _ facts: ImageFacts, _ edge: Int)
        throws
    {
        count += 1
        let series = row.file.hasPrefix("orientation/rot") ? "rot" : String(row.file.dropLast(5))
        let averages = try Decoded(stored, facts).averages(32)
        let reference = references["\(series) \(edge)"] ?? averages
        references["\(series) \(edge)"] = reference
        let distance = zip(averages, reference).reduce(0) { $0 + abs($1.0 - $1.1) } / Double(averages.count)
        #expect(distance < 5, "\(row.file) at \(edge): \(distance)")
    }
}

/// A picture's pixels, small enough to be looked at one by one.
struct Decoded {
    let width: Int
    let height: Int
    let rgb: [UInt8]

    struct NoPipeline: Error {}

    private static let pipeline = PixelPipeline()

    /// Decodes to at most `edge` pixels on the longer side.
    init(_ bytes: [UInt8], _ facts: ImageFacts, edge: Int = 256, srgb: Bool = false) throws {
        guard let pipeline = Self.pipeline else { throw NoPipeline() }
        let job = PixelJob(output: .png, maxWidth: edge, maxHeight: edge, srgb: srgb)
        let small = try pipeline.make(bytes, PixelSource(facts), job)
        (width, height, rgb) = try pipeline.pixels(small, PixelSource(mediaType: .png))
    }

    /// Red, green and blue at a place.
    func pixel(_ x: Int, _ y: Int) -> [Int] { (0..<3).map { Int(rgb[(y * width + x) * 3 + $0]) } }

    /// What is near the four corners, from the top left in the direction of the clock.
    var corners: [[Int]] {
        [(1, 1), (9, 1), (9, 9), (1, 9)].map { pixel(width * $0 / 10, height * $1 / 10) }
    }

    /// Averages of so many times so many boxes.
    func averages(_ count: Int) -> [Double] {
        var sums = [Double](repeating: 0, count: count * count * 3)
        var sizes = [Double](repeating: 0, count: count * count)
        for y in 0..<height {
            for x in 0..<width {
                let box = y * count / height * count + x * count / width
                sizes[box] += 1
                for channel in 0..<3 { sums[box * 3 + channel] += Double(rgb[(y * width + x) * 3 + channel]) }
            }
        }
        return sums.indices.map { sums[$0] / max(1, sizes[$0 / 3]) }
    }
}
