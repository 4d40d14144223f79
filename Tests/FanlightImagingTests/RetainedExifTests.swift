// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightMetadata
import Testing

@testable import FanlightImaging

@Suite("Metadata that a policy lets stay")
struct RetainedExifTests {
    private func facts(_ jpeg: [UInt8], _ policy: MetadataPolicy) throws -> ImageFacts? {
        guard let retained = RetainedExif(head: jpeg, policy: policy) else { return nil }
        let plain = try MetadataStripper.strip(jpeg, policy: .strip)
        let made = retained.inserted(into: plain)
        #expect(made.count == plain.count + retained.insertedCount)
        return try ImageReader.read(made, limits: ImageLimits())
    }

    @Test("The position stays for keep only")
    func position() throws {
        let jpeg = try Pictures.jpeg(uprightWidth: 64, uprightHeight: 48, orientation: .right)
        let kept = try #require(try facts(jpeg, .keep))
        #expect(kept.geotag == Geotag(latitude: 51.5, longitude: -0.125, source: .exif).map { $0 })
        #expect(kept.orientation == .upright)
        for policy in [MetadataPolicy.strip, .copyright, .stripGPS] {
            #expect(RetainedExif(head: jpeg, policy: policy) == nil)
        }
    }

    @Test("Date and camera stay for strip_gps, and no position does")
    func corpus() throws {
        for entry in Corpus.accepted where entry.type == .jpeg {
            let bytes = try #require(Corpus.read(entry.path))
            let source = try ImageReader.read(bytes, limits: ImageLimits())
            if let made = try facts(bytes, .stripGPS) {
                #expect(made.geotag == nil, "\(entry)")
                #expect(made.orientation == .upright, "\(entry)")
                if made.takenAt != nil { #expect(made.takenAt == source.takenAt, "\(entry)") }
            }
            if let made = try facts(bytes, .copyright) {
                #expect(made.takenAt == nil, "\(entry)")
                #expect(made.cameraMake == nil, "\(entry)")
            }
        }
    }

    @Test("A damaged head never harms")
    func damaged() throws {
        let jpeg = try Pictures.jpeg(uprightWidth: 64, uprightHeight: 48, orientation: .right)
        for count in 0..<220 { _ = RetainedExif(head: Array(jpeg.prefix(count)), policy: .keep) }
        for at in 2..<200 {
            for value: UInt8 in [0, 0x7F, 0xFF] {
                var changed = jpeg
                changed[at] = value
                _ = RetainedExif(head: changed, policy: .keep)
            }
        }
    }
}
