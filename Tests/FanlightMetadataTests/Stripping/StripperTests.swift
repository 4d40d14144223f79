// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@testable import FanlightMetadata

/// A picture with metadata and the same without.
struct StripRow: Sendable, CustomTestStringConvertible {
    var name: String
    var bytes: [UInt8]
    var expected: [UInt8]

    var testDescription: String { name }
}

@Suite struct StripperTests {
    private static let exif = PositionRow(name: "").exif
    private static let icc = Sample.segment(0xE2, Array("ICC_PROFILE\u{0}".utf8) + [1, 1] + Sample.profile("GRAY"))
    private static let adobe = Sample.segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 1])
    private static let loop = Sample.gifExtension(0xFF, [Array("NETSCAPE2.0".utf8), [1, 0, 0]])

    static let rows: [StripRow] = [
        StripRow(
            name: "jpeg",
            bytes: Sample.jpeg(
                Sample.segment(0xE0, Array("JFIF\u{0}".utf8) + [1, 2, 1, 0, 72, 0, 72, 1, 1, 7, 7, 7])
                    + Sample.exifSegment(exif) + Sample.xmpSegment("<x/>") + icc
                    + Sample.segment(0xE2, Array("MPF\u{0}secret".utf8)) + Sample.segment(0xED, Array("Photoshop".utf8))
                    + Sample.segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 1] + Array("secret".utf8))
                    + Sample.segment(0xFE, Array("<?php".utf8)),
                tail: Array("PK secret".utf8)
            ),
            expected: Sample.jpeg(
                Sample.segment(0xE0, Array("JFIF\u{0}".utf8) + [1, 2, 1, 0, 72, 0, 72, 0, 0]) + icc + adobe
            )
        ),
        StripRow(
            name: "png",
            bytes: Sample.png(
                Sample.chunk("sRGB", [0]) + Sample.chunk("eXIf", exif) + Sample.chunk("tEXt", Array("a\u{0}b".utf8))
                    + Sample.chunk("acTL", Sample.big(1, 4) + Sample.big(0, 4)) + Sample.chunk("tIME", [0]),
                tail: [1, 2, 3]
            ),
            expected: Sample.png(
                Sample.chunk("sRGB", [0]) + Sample.chunk("acTL", Sample.big(1, 4) + Sample.big(0, 4))
            )
        ),
        StripRow(
            name: "webp",
            bytes: Sample.webp(
                Sample.vp8x(0x2C) + Sample.riff("ICCP", Sample.profile()) + Sample.vp8() + Sample.riff("EXIF", exif)
                    + Sample.riff("XMP ", [4]) + Sample.riff("evil", [5]),
                tail: [1, 2, 3, 4]
            ),
            expected: Sample.webp(Sample.vp8x(0x20) + Sample.riff("ICCP", Sample.profile()) + Sample.vp8())
        ),
        StripRow(
            name: "webp without an extended header",
            bytes: Sample.webp(Sample.vp8() + Sample.riff("EXIF", exif)),
            expected: Sample.webp(Sample.vp8())
        ),
        StripRow(
            name: "webp animated",
            bytes: Sample.webp(Sample.vp8x(0x0A) + Sample.anmf(extra: Sample.riff("evil", [5]))),
            expected: Sample.webp(Sample.vp8x(0x02) + Sample.anmf())
        ),
        StripRow(
            name: "gif",
            bytes: Sample.gif(
                Sample.gifExtension(0xFF, [Array("NETSCAPE2.0".utf8), [1, 0, 0], [2, 1, 1, 1, 1]])
                    + Sample.gifExtension(0xFE, [Array("secret".utf8)])
                    + Sample.gifExtension(0xFF, [Array("XMP DataXMP".utf8), [60, 120]])
                    + Sample.gifControl + Sample.gifExtension(0x01, [[UInt8](repeating: 0, count: 12), [65]])
                    + Sample.gifControl + Sample.gifFrame(),
                tail: [9, 9]
            ),
            expected: Sample.gif(loop + Sample.gifControl + Sample.gifFrame())
        ),
    ]

    @Test(arguments: rows) func leavesTheListedPartsOnly(_ row: StripRow) throws {
        for policy in [MetadataPolicy.strip, .copyright, .stripGPS] {
            #expect(try MetadataStripper.strip(row.bytes, policy: policy) == row.expected)
        }
        #expect(try MetadataStripper.strip(row.expected, policy: .strip) == row.expected)
        #expect(try MetadataStripper.strip(row.bytes, policy: .keep) == row.bytes)
    }

    @Test(arguments: [TIFFSample.picture(width: 2, height: 2), Sample.bmp(), Sample.heif(), Sample.heif(brand: "avif")])
    func otherTypesCannotBeRewritten(_ bytes: [UInt8]) {
        #expect(throws: ImageError.corrupt("cannot be rewritten")) {
            try MetadataStripper.strip(bytes, policy: .strip)
        }
    }

    /// Two million tables of no bytes: joining each to all before it would take hours.
    @Test(.timeLimit(.minutes(2))) func manySmallSegmentsAreJoinedInOnePass() throws {
        let segments = [UInt8]([[UInt8]](repeating: [0xFF, 0xDB, 0, 2], count: 2_000_000).joined())
        let jpeg = Sample.jpeg(segments)
        #expect(try MetadataStripper.strip(jpeg, policy: .strip) == jpeg)
    }

    @Test func aPNGsEndLosesItsData() throws {
        let whole = Sample.png()
        let hiding = whole.dropLast(12) + Sample.chunk("IEND", Array("secret".utf8))
        #expect(try MetadataStripper.strip(Array(hiding), policy: .strip) == whole)
        let palette = Sample.png(colour: 3, Sample.chunk("PLTE", [UInt8](repeating: 1, count: 771)))
        #expect(throws: ImageError.corrupt("the palette is too long")) {
            try MetadataStripper.strip(palette, policy: .strip)
        }
    }

    @Test func nothingIsEmpty() {
        #expect(throws: ImageError.empty) { try MetadataStripper.strip([], policy: .strip) }
    }
}
