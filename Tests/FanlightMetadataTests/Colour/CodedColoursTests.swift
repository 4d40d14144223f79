// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@testable import FanlightMetadata

@Suite("Colours told by numbers")
struct CodedColoursTests {
    @Test("Numbers that mean more than sRGB, and what they mean", arguments: [13, 1, 4, 5, 8])
    func beyond(transfer: Int) throws {
        for primaries in [9, 12] {
            let colours = try #require(CodedColours(primaries: primaries, transfer: transfer))
            #expect(ICCProfile.isSound(colours.profile, components: 3))
            #expect(colours.profile.count % 4 == 0)
        }
    }

    @Test("sRGB, unknown numbers and light beyond white have no profile")
    func none() {
        for (primaries, transfer) in [(1, 13), (2, 2), (5, 6), (9, 16), (12, 18), (200, 13), (12, 200)] {
            #expect(CodedColours(primaries: primaries, transfer: transfer) == nil)
        }
    }

    @Test("A PNG says so before its picture data, a grey one cannot")
    func png() {
        let colours = Sample.chunk("cICP", [12, 13, 0, 1])
        let rest = Sample.chunk("IDAT", [0]) + Sample.chunk("IEND", [])
        func picture(_ colour: Int, _ chunks: [UInt8]) -> [UInt8] {
            PNGChunkCursor.signature + Sample.header(width: 1, height: 1, colour: colour) + chunks
        }
        #expect(CodedColours(of: picture(2, colours + rest), type: .png)?.primaries == .displayP3)
        #expect(CodedColours(of: picture(0, colours + rest), type: .png) == nil)
        #expect(!CodedColours.goBeyondWhite(of: picture(2, colours + rest), type: .png))
        let light = Sample.chunk("cICP", [9, 16, 0, 1])
        #expect(CodedColours.goBeyondWhite(of: picture(2, light + rest), type: .png))
        #expect(CodedColours(of: picture(2, light + rest), type: .png) == nil)
        #expect(CodedColours(of: picture(2, rest + colours), type: .png) == nil)
        #expect(CodedColours(of: picture(2, Sample.chunk("cICP", [12]) + rest), type: .png) == nil)
        for count in 0..<60 {
            #expect(CodedColours(of: Array(picture(2, rest).prefix(count)), type: .png) == nil)
        }
    }

    @Test("The primary picture of HEIF says so in its colour box")
    func heif() {
        let location = Sample.fullBox("pitm", Sample.big(1, 2))
        func picture(_ colours: [UInt8]) -> [UInt8] {
            let properties = Sample.box("ipco", Sample.box("colr", colours))
            let association = Sample.fullBox("ipma", Sample.big(1, 4) + Sample.big(1, 2) + [1, 1])
            return Sample.fullBox("meta", location + Sample.box("iprp", properties + association))
        }
        let numbers = Array("nclx".utf8) + Sample.big(12, 2) + Sample.big(13, 2) + Sample.big(6, 2) + [0x80]
        #expect(CodedColours(of: Sample.box("ftyp", []) + picture(numbers), type: .heic)?.primaries == .displayP3)
        #expect(CodedColours(of: picture(Array("nclx".utf8)), type: .avif) == nil)
        #expect(CodedColours(of: picture(Array("prof".utf8) + numbers), type: .avif) == nil)
        #expect(CodedColours(of: picture(numbers), type: .jpeg) == nil)
    }
}
