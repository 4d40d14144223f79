// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@testable import FanlightMetadata

/// What is particular to one container.
@Suite struct ContainerTests {
    private static let xmp = "<rdf:Description exif:GPSLatitude='51,30N' exif:GPSLongitude='0,7.5W'/>"

    private static func read(_ bytes: [UInt8]) throws -> ImageFacts {
        try ImageReader.read(bytes, limits: ImageLimits())
    }

    /// A BMP of 4 x 2 pixels with a header of the given size.
    private static func bmp(header: Int, depth: Int, compression: Int, rows: Int, alphaMask: Int = 0) -> [UInt8] {
        let masks = [0xFF0000, 0xFF00, 0xFF, alphaMask].flatMap { Sample.little($0, 4) }
        let fields =
            Sample.little(header, 4) + Sample.little(4, 4) + Sample.little(2, 4) + Sample.little(1, 2)
            + Sample.little(depth, 2) + Sample.little(compression, 4) + Sample.little(rows, 4) + Sample.little(0, 16)
            + masks
        let padded = fields.prefix(header) + [UInt8](repeating: 0, count: max(0, header - fields.count))
        return Array("BM".utf8) + Sample.little(0, 8) + Sample.little(14 + header, 4) + padded
            + [UInt8](repeating: 0, count: rows)
    }

    @Test(arguments: [
        Sample.jpeg(Sample.xmpSegment(xmp)),
        Sample.png(Sample.chunk("iTXt", Array("XML:com.adobe.xmp\u{0}\u{0}\u{0}\u{0}\u{0}\(xmp)".utf8))),
        Sample.webp(Sample.vp8x(4) + Sample.vp8() + Sample.riff("XMP ", Array(xmp.utf8))),
        Sample.webp(Sample.vp8x(4) + Sample.vp8() + Sample.riff("XMP\u{0}", Array(xmp.utf8))),
        Sample.gif(
            Sample.gifExtension(0xFF, [Array("XMP DataXMP".utf8), Array(xmp.utf8)]) + Sample.gifFrame()
        ),
        TIFFSample.picture(width: 4, height: 4, extra: [(0x2BC, .byte(xmp.utf8.map { Int($0) }))]),
    ])
    func findsTheXMPPosition(_ bytes: [UInt8]) throws {
        let geotag = try #require(try Self.read(bytes).geotag)
        #expect(geotag == Geotag(latitude: 51.5, longitude: -0.125, source: .xmp))
        if let stripped = try? MetadataStripper.strip(bytes, policy: .strip) {
            #expect(try Self.read(stripped).geotag == nil)
        }
    }

    @Test func compressedTextIsNotInflated() throws {
        let text = Array("XML:com.adobe.xmp\u{0}\u{1}\u{0}\u{0}\u{0}".utf8) + [0x78, 0x9C, 1, 2]
        #expect(try Self.read(Sample.png(Sample.chunk("iTXt", text))).geotag == nil)
    }

    @Test func picturesInFrontOfAnAnimationCount() throws {
        let control = Sample.chunk("fcTL", [UInt8](repeating: 0, count: 26))
        let start = Sample.header(width: 4, height: 4) + Sample.chunk("acTL", Sample.big(2, 4) + Sample.big(0, 4))
        let frames = control + Sample.chunk("fdAT", [0, 0, 0, 1, 2]) + control + Sample.chunk("fdAT", [0, 0, 0, 3, 4])
        let bytes = PNGChunkCursor.signature + start + Sample.chunk("IDAT", [1]) + frames + Sample.chunk("IEND", [])
        #expect(try Self.read(bytes).frames == 3)
    }

    @Test func pagesOfATIFFAreCounted() throws {
        let facts = try Self.read(TIFFSample.pages(3, strips: 2))
        #expect(facts.frames == 3 && facts.width == 1 && facts.height == 1)
    }

    @Test func bigEndianTIFFWithTiles() throws {
        var sample = TIFFSample(isLittle: false)
        sample.first = [
            (0x100, .short([5])), (0x101, .short([6])), (0x112, .short([3])), (0x144, .long([8, 9])),
            (0x145, .short([4, 4])),
        ]
        let facts = try Self.read(sample.bytes)
        #expect(facts.width == 5 && facts.height == 6 && facts.orientation == .upsideDown)
    }

    @Test(arguments: [(0, Orientation.upright), (1, .upright), (8, .left), (9, .upright), (65_535, .upright)])
    func orientationOutsideOfTheRangeIsUpright(_ value: Int, _ expected: Orientation) throws {
        #expect(try Self.read(TIFFSample.picture(width: 2, height: 3, orientation: value)).orientation == expected)
    }

    @Test func bmpVariants() throws {
        #expect(try Self.read(Self.bmp(header: 40, depth: 32, compression: 0, rows: 32)).hasAlpha == false)
        let masked = Self.bmp(header: 108, depth: 32, compression: 3, rows: 32, alphaMask: 0xFF00_0000)
        #expect(try Self.read(masked).hasAlpha)
        #expect(try Self.read(Self.bmp(header: 124, depth: 32, compression: 3, rows: 32)).hasAlpha == false)
        #expect(try Self.read(Self.bmp(header: 40, depth: 8, compression: 1, rows: 9)).width == 4)
        let core = Array("BM".utf8) + Sample.little(0, 8) + Sample.little(26, 4) + Sample.little(12, 4)
        let size = Sample.little(4, 2) + Sample.little(2, 2) + Sample.little(1, 2) + Sample.little(24, 2)
        #expect(try Self.read(core + size + [UInt8](repeating: 0, count: 24)).height == 2)
        #expect(throws: ImageError.unsupportedType("bmp with compression 4")) {
            try Self.read(Self.bmp(header: 40, depth: 24, compression: 4, rows: 24))
        }
        #expect(throws: ImageError.truncated) {
            try Self.read(Self.bmp(header: 40, depth: 24, compression: 0, rows: 23))
        }
    }

    /// Versions of the item tables, and where the picture data stands.
    @Test(arguments: [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1)])
    func heifTableVersions(_ version: Int, _ method: Int) throws {
        let wide = version == 2 ? 4 : 2
        let properties = Sample.box("ipco", Sample.fullBox("ispe", Sample.big(16, 4) + Sample.big(8, 4)))
        let places: (Int) -> [UInt8] = { offset in
            let item = Sample.big(1, wide) + (version == 0 ? [] : Sample.big(method, 2)) + Sample.big(0, 2)
            let part = Sample.big(offset, 8) + Sample.big(1, 2) + Sample.big(0, 4) + Sample.big(4, 4)
            return Sample.fullBox("iloc", [0x44, 0x80] + Sample.big(1, wide) + item + part, version: version)
        }
        let entry = Sample.fullBox("infe", Sample.big(1, 4) + Sample.big(0, 2) + Array("av01\u{0}".utf8), version: 3)
        let associations = Sample.big(1, 4) + Sample.big(1, 4) + [1] + Sample.big(0x8001, 2)
        let table: [UInt8] = [1, 0, 0, 1] + associations
        let meta = { (offset: Int) in
            Sample.fullBox(
                "meta",
                Sample.fullBox("pitm", Sample.big(1, 4), version: 1)
                    + Sample.fullBox("iinf", Sample.big(1, 4) + entry, version: 1) + places(offset)
                    + Sample.box("iprp", properties + Sample.box("ipma", table)) + Sample.box("idat", [1, 2, 3, 4])
            )
        }
        let type = Sample.box("ftyp", Array("mif1".utf8) + Sample.big(0, 4) + Array("avif".utf8))
        let facts = try Self.read(type + meta(method == 1 ? 0 : 16))
        #expect(facts.mediaType == .avif && facts.width == 16 && facts.height == 8)
        #expect(throws: ImageError.truncated) { try Self.read(type + meta(method == 1 ? 1 : 100_000)) }
    }

    @Test func garbageBetweenSegmentsIsSkipped() throws {
        let bytes = Sample.jpeg(Sample.jfif + [0, 1, 2, 0xFF, 0xFF] + Sample.segment(0xFE, [3]))
        #expect(try Self.read(bytes).width == 16)
        #expect(try MetadataStripper.strip(bytes, policy: .strip) == Sample.jpeg(Sample.jfif))
    }

    @Test func textIsTrimmedAndDecoded() throws {
        var sample = TIFFSample()
        sample.first = [(0x10F, .ascii("\u{0}")), (0x110, .ascii("Ä 1\u{0}rest"))]
        let facts = try Self.read(Sample.jpeg(Sample.exifSegment(sample.bytes)))
        #expect(facts.cameraMake == nil && facts.cameraModel == "Ä 1")
    }

    @Test func digitizedTimeCountsWhereTheOriginalIsNone() throws {
        var sample = TIFFSample()
        sample.exif = [
            (0x9003, .ascii("0000:00:00 00:00:00\u{0}")), (0x9004, .ascii("2020:01:02 03:04:05\u{0}")),
            (0x9011, .ascii("+01:00\u{0}")), (0x9012, .ascii("nonsense")),
        ]
        #expect(try Self.read(Sample.jpeg(Sample.exifSegment(sample.bytes))).takenAt == "2020-01-02T03:04:05")
    }

    /// A sequence's track with a handler and a count of samples.
    private static func movie(_ handler: String, frames: Int) -> [UInt8] {
        let table = Sample.box("stbl", Sample.fullBox("stsz", Sample.big(0, 4) + Sample.big(frames, 4)))
        let kind = Sample.fullBox("hdlr", Sample.big(0, 4) + Array(handler.utf8) + Sample.big(0, 13))
        return Sample.box("moov", Sample.box("trak", Sample.box("mdia", kind + Sample.box("minf", table))))
    }

    @Test(arguments: [
        ("avis", "pict", 12, 12), ("hevc", "pict", 3, 3), ("msf1", "pict", 2, 2), ("avif", "pict", 12, 1),
        ("avis", "vide", 12, 1), ("avis", "pict", 0, 1),
    ])
    func framesOfASequence(_ brand: String, _ handler: String, _ count: Int, _ expected: Int) throws {
        let bytes = Sample.heif(brand: brand, type: "av01") + Self.movie(handler, frames: count)
        #expect(try Self.read(bytes).frames == expected)
    }

    @Test func sequencesAreBoundedAndNeedAStill() {
        let long = Sample.heif(brand: "avis", type: "av01") + Self.movie("pict", frames: 1_001)
        #expect(throws: ImageError.tooManyFrames(1_001, limit: 1_000)) { try Self.read(long) }
        let head = Sample.box("ftyp", Array("avis".utf8) + Sample.big(0, 4) + Array("msf1".utf8))
        #expect(throws: ImageError.unsupportedType("image sequence without a still")) {
            try Self.read(head + Self.movie("pict", frames: 3))
        }
    }

    @Test func companionsAreSeen() throws {
        var index = TIFFSample()
        index.first = [(0xB001, .long([2]))]
        let pictures = Sample.segment(0xE2, Array("MPF\u{0}".utf8) + index.bytes)
        #expect(try Self.read(Sample.jpeg(pictures, tail: Sample.jpeg())).companions == [.pictures])
        let film = Sample.box("ftyp", Array("mp42".utf8))
        #expect(try Self.read(Sample.jpeg(tail: film)).companions == [.film])
        #expect(try Self.read(Sample.jpeg(tail: Array("junk MotionPhoto_Data".utf8))).companions == [.film])
        #expect(try Self.read(Sample.heif() + Sample.box("mpvd", film)).companions == [.film])
        #expect(try Self.read(Sample.jpeg(tail: [1, 2, 3])).companions.isEmpty)
    }

    /// Most of a photograph is its scan; reading its metadata must not cost a walk through it.
    @Test func theScanOfAUsualPictureIsNotWalked() throws {
        // A marker that no scan may hold: whoever walks the scan stumbles over it.
        let broken = Sample.scan + [0xFF, 0xD8, 0xFF, 0xD9]
        let head = [0xFF, 0xD8] + Sample.quantisation + Sample.frame(width: 16, height: 8)
        #expect(try Self.read(head + broken).width == 16)
        #expect(try JPEGHeader.inspect(head + broken).width == 16)
        #expect(throws: ImageError.self) { try MetadataStripper.strip(head + broken, policy: .strip) }
        // Bytes behind the end, and pictures of several scans, have to be walked through.
        #expect(throws: ImageError.self) { try Self.read(head + broken + [0]) }
        let progressive = [0xFF, 0xD8] + Sample.quantisation + Sample.frame(0xC2, width: 16, height: 8)
        #expect(throws: ImageError.self) { try Self.read(progressive + broken) }
    }

    @Test func aScanWithoutAnEndIsCut() throws {
        let whole = Sample.jpeg()
        for count in 1...4 { #expect(throws: ImageError.truncated) { try Self.read(whole.dropLast(count)) } }
    }

    private static func read(_ bytes: ArraySlice<UInt8>) throws -> ImageFacts { try read(Array(bytes)) }
}
