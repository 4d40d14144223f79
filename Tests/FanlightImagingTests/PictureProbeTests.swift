// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@testable import FanlightImaging

@Suite("What the head of a file says")
struct PictureProbeTests {
    private let spool: FolderSpool

    init() throws {
        spool = FolderSpool()
    }

    private func probe(_ bytes: [UInt8], _ type: MediaType = .jpeg) throws -> PictureProbe {
        PictureProbe(try spool.file(bytes), type)
    }

    private func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let size = payload.count + 2
        return [0xFF, marker, UInt8(size >> 8), UInt8(size & 0xFF)] + payload
    }

    /// A profile of that colour space and with a text somewhere behind its header.
    private func profile(_ space: String, _ text: String) -> [UInt8] {
        [UInt8](repeating: 0, count: 16) + Array(space.utf8) + [UInt8](repeating: 0, count: 108) + Array(text.utf8)
    }

    private func jpeg(frame: UInt8 = 0xC0, channels: UInt8 = 3, icc: [UInt8] = [], padding: Int = 0) -> [UInt8] {
        var bytes: [UInt8] = [0xFF, 0xD8]
        for _ in 0..<padding { bytes += segment(0xE1, [UInt8](repeating: 1, count: 60_000)) }
        if !icc.isEmpty { bytes += segment(0xE2, Array("ICC_PROFILE\u{0}".utf8) + [1, 1] + icc) }
        bytes += segment(frame, [8, 0, 16, 0, 16, channels] + [UInt8](repeating: 0x11, count: 3 * Int(channels)))
        return bytes + segment(0xDA, [1, 1, 0, 0, 63, 0]) + [0, 0xFF, 0xD9]
    }

    @Test("Quality is that of the encoder", arguments: [50, 75, 90, 95])
    func quality(quality: Int) throws {
        let made = try Pictures.encode(Pictures.noise(width: 64, height: 64), as: .jpeg, quality: quality)
        let found = try #require(try probe(made).quality)
        #expect(abs(found - quality) <= 1)
    }

    @Test("Channels and coding, however far behind they stand")
    func coding() throws {
        for padding in [0, 5] {
            #expect(try probe(jpeg(padding: padding)) == PictureProbe())
            #expect(try probe(jpeg(frame: 0xC2, channels: 1, padding: padding)) == PictureProbe())
            let arithmetic = try probe(jpeg(frame: 0xC9, padding: padding))
            #expect(!arithmetic.isCommon && arithmetic.canTurn)
            let inks = try probe(jpeg(channels: 4, padding: padding))
            #expect(!inks.isCommon && !inks.canTurn)
        }
    }

    @Test("Profiles by their colours and their name")
    func profiles() throws {
        #expect(try probe(jpeg(icc: profile("RGB ", "sRGB IEC61966"))).profile == .srgb)
        #expect(try probe(jpeg(icc: profile("RGB ", "Display P3"))).profile == .other)
        #expect(try probe(jpeg(icc: profile("CMYK", "coated"))).profile == .unfit)
        #expect(try probe(jpeg(channels: 1, icc: profile("GRAY", "dot gain"))).profile == .other)
        #expect(try probe(jpeg(icc: [1, 2, 3])).profile == .unfit)
    }

    @Test("A PNG tells colours beyond sRGB by numbers")
    func codedColours() throws {
        let plain = try Pictures.encode(Pictures.bitmap(uprightWidth: 16, uprightHeight: 16), as: .png)
        #expect(try probe(plain, .png).profile == .none)
        #expect(try probe(Pictures.withColours([12, 13, 0, 1], plain), .png).profile == .other)
        #expect(try probe(Pictures.withColours([1, 13, 0, 1], plain), .png).profile == .none)
    }

    @Test("Every cut ends")
    func cuts() throws {
        let whole = jpeg(icc: profile("RGB ", "Display P3"))
        for count in 0..<whole.count { _ = try probe(Array(whole.prefix(count))) }
        for type in [MediaType.png, .webp] {
            let picture = try Pictures.encode(Pictures.noise(width: 20, height: 20), as: type)
            for count in 0..<picture.count { _ = try probe(Array(picture.prefix(count)), type) }
        }
    }
}
