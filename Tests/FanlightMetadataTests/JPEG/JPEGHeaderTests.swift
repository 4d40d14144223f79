// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@testable import FanlightMetadata

@Suite struct JPEGHeaderTests {
    @Test func tellsLayout() throws {
        let adobe = Sample.segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 2])
        let frame = Sample.frame(0xC2, width: 33, height: 17, factors: [0x22, 0x11, 0x11, 0x22])
        let layout = try JPEGHeader.inspect([0xFF, 0xD8] + adobe + frame + Sample.scan + [0xFF, 0xD9])
        #expect(layout.width == 33 && layout.height == 17 && layout.bitDepth == 8)
        #expect(layout.process == .progressive)
        #expect(layout.components.map(\.identifier) == [1, 2, 3, 4])
        #expect(layout.components[0] == .init(identifier: 1, horizontal: 2, vertical: 2))
        #expect(layout.adobeTransform == 2)
        #expect(layout.iccProfile == nil)
        #expect(layout.unitWidth == 16 && layout.unitHeight == 16)
    }

    @Test func greyHasUnitsOfEight() throws {
        let frame = Sample.frame(width: 9, height: 9, factors: [0x22])
        let layout = try JPEGHeader.inspect([0xFF, 0xD8] + frame + Sample.scan + [0xFF, 0xD9])
        #expect(layout.unitWidth == 8 && layout.unitHeight == 8)
        #expect(layout.process == .baseline && layout.adobeTransform == nil)
    }

    @Test(arguments: [200, 65_519, 65_520, 200_000]) func profilesComeBackWhole(_ size: Int) throws {
        let profile = Sample.profile("GRAY", size: size)
        let tagged = MetadataStripper.insertICC(profile, intoJPEG: Sample.jpeg(Sample.jfif))
        #expect(Array(tagged.prefix(20)) == [0xFF, 0xD8] + Sample.jfif)
        #expect(try JPEGHeader.inspect(tagged).iccProfile == profile)
        #expect(try MetadataStripper.strip(tagged, policy: .strip) == tagged)
        let bare = MetadataStripper.insertICC(profile, intoJPEG: Sample.jpeg())
        #expect(try JPEGHeader.inspect(bare).iccProfile == profile)
    }

    @Test(arguments: [(16, 86), (1, 99), (58, 50), (255, 11)]) func guessesQuality(_ step: Int, _ quality: Int) {
        let table = [UInt8](repeating: UInt8(step), count: 64)
        #expect(JPEGQuality.estimate(ByteWindow([0] + table)) == quality)
        #expect(JPEGQuality.estimate(ByteWindow([0x10] + table.flatMap { [0, $0] })) == quality)
        #expect(JPEGQuality.estimate(ByteWindow([1] + table)) == nil)
        #expect(JPEGQuality.estimate(ByteWindow([0] + table.dropLast())) == nil)
    }

    @Test func impossibleProfilesChangeNothing() {
        let jpeg = Sample.jpeg()
        #expect(MetadataStripper.insertICC([], intoJPEG: jpeg) == jpeg)
        #expect(MetadataStripper.insertICC([1], intoJPEG: [1, 2, 3]) == [1, 2, 3])
        let huge = [UInt8](repeating: 0, count: 255 * 65_519 + 1)
        #expect(MetadataStripper.insertICC(huge, intoJPEG: jpeg) == jpeg)
    }

    @Test(
        arguments: [[(1, 2)], [(1, 2), (1, 2)], [(0, 1)], [(1, 1), (2, 2)], [(3, 2), (1, 2)]] as [[(UInt8, UInt8)]]
    )
    func brokenProfilesAreNone(_ parts: [(UInt8, UInt8)]) throws {
        let segments = parts.flatMap { Sample.segment(0xE2, Array("ICC_PROFILE\u{0}".utf8) + [$0.0, $0.1, 7]) }
        #expect(try JPEGHeader.inspect(Sample.jpeg(segments)).iccProfile == nil)
    }

    @Test func partsMayStandInAnyOrder() throws {
        let profile = Sample.profile("GRAY")
        let segments = [(2, profile[90...]), (1, profile[..<90])].flatMap { number, part in
            Sample.segment(0xE2, Array("ICC_PROFILE\u{0}".utf8) + [UInt8(number), 2] + part)
        }
        #expect(try JPEGHeader.inspect(Sample.jpeg(segments)).iccProfile == profile)
    }

    /// A profile that says it is longer than it is, has another mark, no tags, too many tags, or another picture's channels.
    @Test func unsoundProfilesAreNone() throws {
        let sound = Sample.profile("GRAY")
        #expect(ICCProfile.isSound(sound, components: 1))
        for (place, value) in [(3, 255), (36, 0x41), (131, 0), (131, 200), (16, 0x58)] as [(Int, UInt8)] {
            var profile = sound
            profile[place] = value
            let jpeg = MetadataStripper.insertICC(profile, intoJPEG: Sample.jpeg())
            #expect(try JPEGHeader.inspect(jpeg).iccProfile == nil)
            #expect(try MetadataStripper.strip(jpeg, policy: .strip) == Sample.jpeg())
        }
        #expect(!ICCProfile.isSound(Sample.profile("CMYK"), components: 3))
        #expect(!ICCProfile.isSound(Array(sound.prefix(131)), components: 1))
    }
}
