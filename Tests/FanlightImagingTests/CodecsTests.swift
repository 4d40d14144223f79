// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@testable import FanlightCodecs

@Suite("Codecs")
struct CodecsTests {
    @Test("Lossless turning makes every orientation upright", arguments: Orientation.allCases)
    func lossless(orientation: Orientation) throws {
        let jpeg = try Pictures.jpeg(uprightWidth: 64, uprightHeight: 48, orientation: orientation)
        let turned = try LosslessRotation.upright(jpeg, orientation: orientation)
        let found = try Pictures.quarters(turned, .jpeg)
        #expect(found.width == 64)
        #expect(found.height == 48)
        #expect(found.names == [0, 1, 2, 3])
    }

    @Test(
        "Odd sizes are not perfect, except for a transposition",
        arguments: Orientation.allCases.filter { $0 != .upright && $0 != .transposed }
    )
    func notPerfect(orientation: Orientation) throws {
        let jpeg = try Pictures.jpeg(uprightWidth: 67, uprightHeight: 45, orientation: orientation)
        #expect(throws: CodecError.notPerfect) { try LosslessRotation.upright(jpeg, orientation: orientation) }
    }

    @Test("A truncated JPEG is not turned")
    func truncatedRotation() throws {
        let jpeg = try Pictures.jpeg(uprightWidth: 640, uprightHeight: 480, orientation: .right)
        let cut = Array(jpeg.prefix(jpeg.count / 2))
        #expect(throws: CodecError.truncated) { try LosslessRotation.upright(cut, orientation: .right) }
        #expect(throws: CodecError.self) { try LosslessRotation.upright([], orientation: .right) }
    }

    @Test("Pixels are turned, shrunk and encoded", arguments: [MediaType.jpeg, .png, .webp])
    func turned(output: MediaType) throws {
        for orientation in Orientation.allCases {
            let jpeg = try Pictures.jpeg(uprightWidth: 403, uprightHeight: 301, orientation: orientation)
            let small = try Pictures.startedPipeline().make(
                jpeg,
                .init(
                    mediaType: .jpeg,
                    orientation: orientation,
                    width: orientation.swapsSides ? 301 : 403,
                    height: orientation.swapsSides ? 403 : 301
                ),
                .init(output: output, maxWidth: 100, maxHeight: 100)
            )
            let found = try Pictures.quarters(small, output)
            #expect(found.width == 100)
            #expect(found.height == 75)
            #expect(found.names == [0, 1, 2, 3], "orientation \(orientation)")
        }
    }

    @Test("Shrinking while loading gives the same picture")
    func shrinkOnLoad() throws {
        let jpeg = try Pictures.encode(Pictures.bitmap(uprightWidth: 1600, uprightHeight: 1200), as: .jpeg)
        let small = try Pictures.startedPipeline().make(
            jpeg,
            .init(mediaType: .jpeg, width: 1600, height: 1200),
            .init(output: .jpeg, maxWidth: 200, maxHeight: 200)
        )
        let found = try Pictures.quarters(small, .jpeg)
        #expect(found.width == 200)
        #expect(found.height == 150)
        #expect(found.names == [0, 1, 2, 3])
    }

    @Test("A byte limit holds", arguments: [60_000, 20_000, 8_000])
    func byteLimit(limit: Int) throws {
        let noise = Pictures.noise(width: 600, height: 400)
        let made = try Pictures.startedPipeline().make(
            noise,
            .init(mediaType: .bmp),
            .init(output: .jpeg, quality: 90, maxBytes: limit)
        )
        #expect(made.count <= limit)
        #expect(made.count > limit / 2)
    }

    @Test("A limit that cannot be kept is said so")
    func impossibleLimit() throws {
        let pipeline = try Pictures.startedPipeline()
        #expect(throws: CodecError.tooLarge("no encoding of the picture is within 20 bytes")) {
            try pipeline.make(
                Pictures.noise(width: 300, height: 200),
                .init(mediaType: .bmp),
                .init(output: .jpeg, maxBytes: 20)
            )
        }
    }

    @Test("Truncated pictures are refused", arguments: [MediaType.jpeg, .png, .webp])
    func truncated(type: MediaType) throws {
        let whole = try Pictures.encode(Pictures.noise(width: 300, height: 200), as: type)
        let pipeline = try Pictures.startedPipeline()
        #expect(throws: CodecError.self) {
            try pipeline.make(Array(whole.prefix(whole.count / 2)), .init(mediaType: type), .init(output: .jpeg))
        }
    }

    @Test("Transparency becomes white in a JPEG")
    func flattened() throws {
        let pipeline = try Pictures.startedPipeline()
        let png = Pictures.clearPNG(side: 16)
        let jpeg = try pipeline.make(png, .init(mediaType: .png), .init(output: .jpeg, quality: 95))
        let flat = try pipeline.pixels(jpeg, .init(mediaType: .jpeg))
        #expect(flat.rgb == [UInt8](repeating: 255, count: 16 * 16 * 3))
    }

    @Test("The ground shows through where the format has no transparency")
    func ground() throws {
        let pipeline = try Pictures.startedPipeline()
        let blue = GroundColour(red: 10, green: 20, blue: 250)
        let job = PixelJob(output: .jpeg, quality: 95, background: blue)
        let jpeg = try pipeline.make(Pictures.clearPNG(side: 16), .init(mediaType: .png), job)
        let flat = try pipeline.pixels(jpeg, .init(mediaType: .jpeg))
        for (channel, expected) in [10, 20, 250].enumerated() {
            #expect(abs(Int(flat.rgb[channel]) - expected) <= 4)
        }
    }

    @Test("A PNG has fewer colours before it has fewer pixels")
    func palette() throws {
        let pipeline = try Pictures.startedPipeline()
        let noise = Pictures.noise(width: 300, height: 200)
        let whole = try pipeline.make(noise, .init(mediaType: .bmp), .init(output: .png))
        let job = PixelJob(output: .png, maxBytes: whole.count / 2)
        let made = try pipeline.make(noise, .init(mediaType: .bmp), job)
        #expect(made.count <= whole.count / 2)
        #expect(try pipeline.pixels(made, .init(mediaType: .png)).width == 300)
    }

    @Test("The loader is the one that was named")
    func namedLoader() throws {
        let png = try Pictures.encode(Pictures.bitmap(uprightWidth: 20, uprightHeight: 20), as: .png)
        let pipeline = try Pictures.startedPipeline()
        #expect(throws: CodecError.self) { try pipeline.make(png, .init(mediaType: .jpeg), .init(output: .jpeg)) }
        #expect(throws: CodecError.self) { try pipeline.make([], .init(mediaType: .png), .init(output: .jpeg)) }
    }
}

@Suite("Bitmaps")
struct BMPReaderTests {
    @Test("24 bits, bottom row first")
    func plain() throws {
        let bitmap = Pictures.bitmap(width: 3, height: 2) { x, y in [UInt8(x), UInt8(y), 7] }
        let read = try BMPReader.read(bitmap)
        #expect(read == .init(width: 3, height: 2, rgb: [0, 0, 7, 1, 0, 7, 2, 0, 7, 0, 1, 7, 1, 1, 7, 2, 1, 7]))
    }

    @Test("Top row first")
    func topDown() throws {
        var bitmap = Pictures.bitmap(width: 1, height: 2) { _, y in [UInt8(y), 0, 0] }
        bitmap.replaceSubrange(22..<26, with: [0xFE, 0xFF, 0xFF, 0xFF])
        #expect(try BMPReader.read(bitmap).rgb == [1, 0, 0, 0, 0, 0])
    }

    @Test("A palette of 8 bits")
    func palette() throws {
        var bitmap = Array(Pictures.bitmap(width: 1, height: 1) { _, _ in [0, 0, 0] }.prefix(54))
        bitmap[10] = 62
        bitmap[28] = 8
        bitmap[46] = 2
        bitmap += [1, 2, 3, 0, 4, 5, 6, 0] + [1, 0, 0, 0]
        #expect(try BMPReader.read(bitmap).rgb == [6, 5, 4])
    }

    @Test("Every cut and every claim ends in an error")
    func damaged() throws {
        let bitmap = Pictures.bitmap(width: 5, height: 3) { _, _ in [1, 2, 3] }
        for count in 0..<bitmap.count {
            #expect(throws: CodecError.self) { try BMPReader.read(Array(bitmap.prefix(count))) }
        }
        for at in [18, 19, 20, 21, 22, 23, 24, 25, 28, 30] {
            var claim = bitmap
            claim[at] = 0xFF
            _ = try? BMPReader.read(claim)
        }
    }
}
