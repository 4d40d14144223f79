// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@testable import FanlightMetadata

/// A picture of our own making and what its reader must say.
struct ReaderRow: Sendable, CustomTestStringConvertible {
    var name: String
    var bytes: [UInt8]
    var facts: ImageFacts
    /// True where the file ends with bytes that no picture needs.
    var hasTail = false

    var testDescription: String { name }
}

@Suite struct ReaderTests {
    private static let exif: [UInt8] = {
        var sample = TIFFSample()
        sample.first = [(0x10F, .ascii(" Fan\u{1}make \u{0}")), (0x110, .ascii("One\u{0}")), (0x112, .short([6]))]
        sample.exif = [
            (0x9003, .ascii("2024:02:29 23:59:58\u{0}")), (0x9011, .ascii("+05:30\u{0}")),
        ]
        return sample.bytes
    }()

    private static func facts(_ type: MediaType, exif: Bool = false, frames: Int = 1, alpha: Bool = false) -> ImageFacts
    {
        ImageFacts(
            mediaType: type,
            width: 16,
            height: 8,
            orientation: exif ? .right : .upright,
            frames: frames,
            hasAlpha: alpha,
            takenAt: exif ? "2024-02-29T23:59:58+05:30" : nil,
            cameraMake: exif ? "Fan make" : nil,
            cameraModel: exif ? "One" : nil
        )
    }

    static let rows: [ReaderRow] = [
        ReaderRow(name: "jpeg", bytes: Sample.jpeg(Sample.jfif), facts: facts(.jpeg)),
        ReaderRow(name: "jpeg exif", bytes: Sample.jpeg(Sample.exifSegment(exif)), facts: facts(.jpeg, exif: true)),
        ReaderRow(
            name: "jpeg first of two exif segments",
            bytes: Sample.jpeg(Sample.exifSegment(exif) + Sample.exifSegment(TIFFSample().bytes)),
            facts: facts(.jpeg, exif: true)
        ),
        ReaderRow(name: "jpeg tail", bytes: Sample.jpeg(tail: [1, 2, 3]), facts: facts(.jpeg), hasTail: true),
        ReaderRow(name: "png", bytes: Sample.png(), facts: facts(.png)),
        ReaderRow(name: "png rgba", bytes: Sample.png(colour: 6), facts: facts(.png, alpha: true)),
        ReaderRow(
            name: "png transparent colour",
            bytes: Sample.png(Sample.chunk("tRNS", [0, 0, 0, 0, 0, 0])),
            facts: facts(.png, alpha: true)
        ),
        ReaderRow(name: "png exif", bytes: Sample.png(Sample.chunk("eXIf", exif)), facts: facts(.png, exif: true)),
        ReaderRow(
            name: "apng",
            bytes: Sample.png(
                Sample.chunk("acTL", Sample.big(3, 4) + Sample.big(0, 4))
                    + Sample.chunk("fcTL", [UInt8](repeating: 0, count: 26))
            ),
            facts: facts(.png, frames: 3)
        ),
        ReaderRow(name: "gif", bytes: Sample.gif(Sample.gifFrame()), facts: facts(.gif)),
        ReaderRow(
            name: "gif animated",
            bytes: Sample.gif(Sample.gifControl + Sample.gifFrame() + Sample.gifFrame()),
            facts: facts(.gif, frames: 2, alpha: true)
        ),
        ReaderRow(name: "webp lossy", bytes: Sample.webp(Sample.vp8()), facts: facts(.webp)),
        ReaderRow(
            name: "webp lossless",
            bytes: Sample.webp(Sample.vp8l(alpha: true)),
            facts: facts(.webp, alpha: true)
        ),
        ReaderRow(
            name: "webp exif",
            bytes: Sample.webp(Sample.vp8x(0x08) + Sample.vp8() + Sample.riff("EXIF", exif)),
            facts: facts(.webp, exif: true)
        ),
        ReaderRow(
            name: "webp animated",
            bytes: Sample.webp(
                Sample.vp8x(0x12) + Sample.riff("ANIM", Sample.little(0, 6)) + Sample.anmf() + Sample.anmf()
            ),
            facts: facts(.webp, frames: 2, alpha: true)
        ),
        ReaderRow(name: "tiff", bytes: TIFFSample.picture(width: 16, height: 8), facts: facts(.tiff)),
        ReaderRow(
            name: "tiff alpha",
            bytes: TIFFSample.picture(width: 16, height: 8, extra: [(0x152, .short([2]))]),
            facts: facts(.tiff, alpha: true)
        ),
        ReaderRow(name: "bmp", bytes: Sample.bmp(width: 16, height: 8), facts: facts(.bmp)),
        ReaderRow(name: "bmp top down", bytes: Sample.bmp(width: 16, height: 8, topDown: true), facts: facts(.bmp)),
        ReaderRow(name: "heic", bytes: Sample.heif(), facts: facts(.heic)),
        ReaderRow(
            name: "avif alpha",
            bytes: Sample.heif(brand: "avif", type: "av01", alpha: true),
            facts: facts(.avif, alpha: true)
        ),
        ReaderRow(
            name: "heic exif does not turn",
            bytes: Sample.heif(exif: exif),
            facts: {
                var facts = Self.facts(.heic, exif: true)
                facts.orientation = .upright
                (facts.uprightWidth, facts.uprightHeight) = (16, 8)
                return facts
            }()
        ),
    ]

    @Test(arguments: rows) func reads(_ row: ReaderRow) throws {
        #expect(try ImageReader.read(row.bytes, limits: ImageLimits()) == row.facts)
    }

    @Test(arguments: rows) func everyPrefixIsRefused(_ row: ReaderRow) {
        for length in 0..<row.bytes.count {
            let part = Array(row.bytes.prefix(length))
            let facts = try? ImageReader.read(part, limits: ImageLimits())
            if !row.hasTail { #expect(facts == nil, "\(length) bytes") }
            _ = try? MetadataStripper.strip(part, policy: .strip)
            _ = try? JPEGHeader.inspect(part)
        }
    }

    @Test(arguments: rows) func everyChangedByteEndsOrderly(_ row: ReaderRow) {
        for index in row.bytes.indices {
            for value in [UInt8(0), 0x7F, 0xFF] {
                var changed = row.bytes
                changed[index] = value
                _ = try? ImageReader.read(changed, limits: ImageLimits())
                _ = try? MetadataStripper.strip(changed, policy: .strip)
                _ = try? JPEGHeader.inspect(changed)
            }
        }
    }

    /// irot and imir in the order in which they apply, and the EXIF number they amount to.
    @Test(
        arguments: [
            ([], 1), ([("irot", 1)], 8), ([("irot", 2)], 3), ([("irot", 3)], 6), ([("imir", 0)], 4), ([("imir", 1)], 2),
            ([("irot", 1), ("imir", 0)], 5), ([("irot", 1), ("imir", 1)], 7), ([("imir", 0), ("irot", 1)], 7),
        ] as [([(String, UInt8)], Int)]
    )
    func turnsByTheContainer(_ transforms: [(String, UInt8)], _ orientation: Int) throws {
        let boxes = transforms.map { Sample.box($0.0, [$0.1]) }
        let facts = try ImageReader.read(Sample.heif(transforms: boxes), limits: ImageLimits())
        #expect(facts.orientation.rawValue == orientation)
        #expect(facts.uprightWidth == (orientation >= 5 ? 8 : 16))
    }

    @Test func cropsByTheContainer() throws {
        let crop = [10, 1, 6, 1, 0, 1, 0, 1].flatMap { Sample.big($0, 4) }
        let boxes = [Sample.box("clap", crop), Sample.box("irot", [1])]
        let facts = try ImageReader.read(Sample.heif(transforms: boxes), limits: ImageLimits())
        #expect(facts.width == 16 && facts.height == 8 && facts.uprightWidth == 6 && facts.uprightHeight == 10)
    }

    @Test(arguments: [
        ("2024:02:29 23:59:58", "2024-02-29T23:59:58"), ("2024-02-29T23:59:58", "2024-02-29T23:59:58"),
        ("2023:02:29 23:59:58", nil), ("0000:00:00 00:00:00", nil), ("2024:13:01 00:00:00", nil),
        ("2024:04:31 00:00:00", nil), ("2024:01:01 24:00:00", nil), ("    :  :     :  :  ", nil), ("2024:01:01", nil),
        ("1900:02:29 00:00:00", nil), ("2000:02:29 00:00:00", "2000-02-29T00:00:00"),
    ])
    func timestamps(_ text: String, _ expected: String?) {
        #expect(Timestamp.exif(text) == expected)
    }
}
