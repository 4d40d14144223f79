// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@testable import FanlightMetadata

/// Bytes that must be refused, and how.
struct RefusalRow: Sendable, CustomTestStringConvertible {
    var name: String
    var bytes: [UInt8]
    var error: ImageError

    var testDescription: String { name }
}

@Suite struct RefusalTests {
    private static let limits: ImageLimits = {
        var limits = ImageLimits()
        limits.maxPixels = 1_000
        limits.maxFrames = 3
        limits.maxTotalPixels = 1_500
        return limits
    }()

    private static let large = ImageError.tooManyPixels(width: 100, height: 11, limit: 1_000)

    static let rows: [RefusalRow] = [
        RefusalRow(name: "nothing", bytes: [], error: .empty),
        RefusalRow(name: "text", bytes: Array("hello".utf8), error: .unsupportedType(nil)),
        RefusalRow(
            name: "text that starts with BM",
            bytes: Array("BMW is no picture at all".utf8),
            error: .unsupportedType(nil)
        ),
        RefusalRow(name: "pdf", bytes: Array("%PDF-1.4".utf8), error: .unsupportedType("pdf")),
        RefusalRow(name: "svg", bytes: Array("<?xml?><svg/>".utf8), error: .unsupportedType("svg")),
        RefusalRow(name: "html", bytes: Array("<html>".utf8), error: .unsupportedType("html")),
        RefusalRow(name: "icon", bytes: [0, 0, 1, 0, 1, 0], error: .unsupportedType("ico")),
        RefusalRow(name: "wave", bytes: Array("RIFF1234WAVE".utf8), error: .unsupportedType("riff")),
        RefusalRow(
            name: "video",
            bytes: Sample.box("ftyp", Array("isom".utf8) + [0, 0, 0, 0]),
            error: .unsupportedType("mp4")
        ),
        RefusalRow(
            name: "raw camera picture",
            bytes: TIFFSample.picture(width: 4, height: 4, extra: [(0xC612, .byte([1, 4, 0, 0]))]),
            error: .unsupportedType("dng")
        ),
        RefusalRow(name: "heif with jpeg", bytes: Sample.heif(type: "jpeg"), error: .unsupportedType("heif with jpeg")),
        RefusalRow(name: "jpeg too large", bytes: Sample.jpeg(width: 100, height: 11), error: large),
        RefusalRow(name: "png too large", bytes: Sample.png(width: 100, height: 11), error: large),
        RefusalRow(name: "gif too large", bytes: Sample.gif(width: 100, height: 11, []), error: large),
        RefusalRow(
            name: "gif frame too large",
            bytes: Sample.gif(Sample.gifFrame(width: 100, height: 11)),
            error: large
        ),
        RefusalRow(name: "webp too large", bytes: Sample.webp(Sample.vp8(width: 100, height: 11)), error: large),
        RefusalRow(
            name: "webp canvas too large",
            bytes: Sample.webp(Sample.vp8x(0, width: 100, height: 11) + Sample.vp8()),
            error: large
        ),
        RefusalRow(name: "tiff too large", bytes: TIFFSample.picture(width: 100, height: 11), error: large),
        RefusalRow(name: "bmp too large", bytes: Sample.bmp(width: 100, height: 11), error: large),
        RefusalRow(name: "heic too large", bytes: Sample.heif(width: 100, height: 11), error: large),
        RefusalRow(
            name: "gif with too many frames",
            bytes: Sample.gif((0..<5).flatMap { _ in Sample.gifFrame() }),
            error: .tooManyFrames(4, limit: 3)
        ),
        RefusalRow(
            name: "gif with too many pixels over all frames",
            bytes: Sample.gif(width: 25, height: 40, Sample.gifFrame() + Sample.gifFrame()),
            error: .tooManyFrames(2, limit: 1)
        ),
        RefusalRow(
            name: "png with too many frames",
            bytes: Sample.png(Sample.chunk("acTL", Sample.big(4, 4) + Sample.big(0, 4))),
            error: .tooManyFrames(4, limit: 3)
        ),
        RefusalRow(
            name: "webp with too many frames",
            bytes: Sample.webp(Sample.vp8x(2) + (0..<4).flatMap { _ in Sample.anmf() }),
            error: .tooManyFrames(4, limit: 3)
        ),
        RefusalRow(
            name: "jpeg of no size",
            bytes: Sample.jpeg(width: 0, height: 8),
            error: .corrupt("a side of the picture is zero")
        ),
        RefusalRow(
            name: "jpeg without a frame header",
            bytes: [0xFF, 0xD8] + Sample.scan + [0xFF, 0xD9],
            error: .corrupt("picture data before the frame header")
        ),
        RefusalRow(
            name: "jpeg without picture data",
            bytes: [0xFF, 0xD8] + Sample.frame(width: 1, height: 1) + [0xFF, 0xD9],
            error: .corrupt("no picture data")
        ),
        RefusalRow(
            name: "jpeg of 12 bits",
            bytes: [0xFF, 0xD8] + Sample.frame(width: 1, height: 1, depth: 12) + Sample.scan + [0xFF, 0xD9],
            error: .unsupportedType("12-bit jpeg")
        ),
        RefusalRow(
            name: "jpeg without loss",
            bytes: [0xFF, 0xD8] + Sample.frame(0xC3, width: 1, height: 1) + Sample.scan + [0xFF, 0xD9],
            error: .unsupportedType("lossless jpeg")
        ),
        RefusalRow(
            name: "jpeg of 501 scans",
            bytes: Sample.jpeg((0..<500).flatMap { _ in Sample.scan }),
            error: .corrupt("picture data before the frame header")
        ),
        RefusalRow(
            name: "png with a wrong checksum",
            bytes: Array(Sample.png().dropLast()) + [0],
            error: .corrupt("wrong checksum")
        ),
        RefusalRow(
            name: "png with a wrong colour type",
            bytes: Sample.png(colour: 5),
            error: .corrupt("bad header")
        ),
        RefusalRow(
            name: "webp whose frame leaves the canvas",
            bytes: Sample.webp(Sample.vp8x(2) + Sample.anmf(width: 17)),
            error: .corrupt("a frame lies outside of the canvas")
        ),
        RefusalRow(
            name: "webp that differs from its canvas",
            bytes: Sample.webp(Sample.vp8x(0) + Sample.vp8(width: 8)),
            error: .corrupt("the picture does not fit its canvas")
        ),
        RefusalRow(
            name: "tiff loop",
            bytes: {
                var sample = TIFFSample()
                sample.first = [
                    (0x100, .short([1])), (0x101, .short([1])), (0x111, .long([8])), (0x117, .long([1])),
                ]
                sample.next = 8
                return sample.bytes
            }(),
            error: .corrupt("directories form a loop")
        ),
        RefusalRow(
            name: "tiff without picture data",
            bytes: {
                var sample = TIFFSample()
                sample.first = [(0x100, .short([1])), (0x101, .short([1]))]
                return sample.bytes
            }(),
            error: .corrupt("a page without picture data")
        ),
        RefusalRow(
            name: "tiff with a very long list of strips",
            bytes: TIFFSample.pages(1, strips: 1_000_001),
            error: .corrupt("too many strips")
        ),
        RefusalRow(
            name: "heic with billions of parts in no bytes",
            bytes: Sample.box("ftyp", Array("heic".utf8) + Sample.big(0, 4))
                + Sample.fullBox(
                    "meta",
                    Sample.fullBox(
                        "iloc",
                        [0, 0] + Sample.big(2, 2)
                            + (1...2).flatMap { Sample.big($0, 2) + Sample.big(0, 2) + Sample.big(65_535, 2) }
                    )
                ),
            error: .corrupt("too many item parts")
        ),
        RefusalRow(
            name: "heic crop larger than the picture",
            bytes: Sample.heif(transforms: [
                Sample.box("clap", [17, 1, 6, 1, 0, 1, 0, 1].flatMap { Sample.big($0, 4) })
            ]),
            error: .corrupt("the crop is larger than the picture")
        ),
    ]

    @Test(arguments: rows) func refuses(_ row: RefusalRow) {
        #expect(throws: row.error) { try ImageReader.read(row.bytes, limits: Self.limits) }
    }
}
