// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@testable import FanlightMetadata

@Suite("Size of a compressed profile") struct DeflateMeterTests {
    /// zlib's own best packing of 860 bytes, a block with codes of its own.
    private static let packed: [UInt8] = [
        0x78, 0xDA, 0xED, 0x90, 0x8B, 0x8D, 0x00, 0x21, 0x08, 0x44, 0x5B, 0x79, 0xAD, 0xF9, 0x41, 0x65, 0xFD,
        0xED, 0xAA, 0xFD, 0xE7, 0xF0, 0x0A, 0xB8, 0x0A, 0x0E, 0x13, 0xC2, 0x20, 0xCC, 0x8C, 0xAE, 0xB3, 0x1D,
        0xEB, 0x5D, 0x22, 0x38, 0xAC, 0x3C, 0x58, 0x6C, 0x41, 0x94, 0xA7, 0xAF, 0x5D, 0x2F, 0xC4, 0x72, 0x86,
        0xF8, 0x06, 0x19, 0xD8, 0xC4, 0x56, 0x1F, 0x56, 0x46, 0x3D, 0x0D, 0xA6, 0x35, 0xBE, 0x82, 0xAE, 0x41,
        0xB7, 0xC9, 0xC6, 0x6B, 0xED, 0x79, 0x5A, 0xA3, 0x3B, 0xF8, 0x34, 0xD9, 0x46, 0x25, 0x65, 0x0A, 0x79,
        0x6B, 0x40, 0x3E, 0xDB, 0xDA, 0xC3, 0x1D, 0xCA, 0x84, 0xA7, 0x18, 0x7D, 0xF9, 0x2C, 0xB9, 0xF8, 0xB8,
        0x71, 0x64, 0xF9, 0x1C, 0xF5, 0x5A, 0x40, 0xCF, 0xA8, 0x78, 0xBC, 0xE7, 0x4B, 0xAD, 0xB7, 0x2A, 0x1D,
        0x7F, 0xF8, 0xD5, 0x1C, 0x45, 0x19, 0x02, 0xCB, 0xD4, 0x2D, 0x4C, 0x37, 0x1A, 0x0B, 0xA1, 0xBB, 0x68,
        0x05, 0x61, 0x97, 0x68, 0x9E, 0x43, 0xA2, 0x9F, 0x16, 0x0A, 0x69, 0xC3, 0xDB, 0xCD, 0x3F, 0x33, 0x65,
        0xF3, 0xFA, 0x18, 0xBD, 0xA2, 0x7D, 0x57, 0x79, 0xB9, 0x77, 0x97, 0xE1, 0x1A, 0xC9, 0x76, 0xEE, 0x07,
        0xF8, 0x11, 0x94, 0x56, 0x6B, 0xB7, 0x57, 0x4B, 0x64, 0x5C, 0xCB, 0x53, 0x6B, 0x91, 0xD6, 0x26, 0xEF,
        0x9A, 0x49, 0x9B, 0xF0, 0x8F, 0xFE, 0xD1, 0xDF, 0xE8, 0x07, 0x37, 0x86, 0x2E, 0x9A,
    ]

    /// Runs of 258 zeros by the fixed code: 13 bits for each.
    private static func bomb(runs: Int) -> [UInt8] {
        var bits: [UInt8] = [1, 1, 0] + [0, 0, 1, 1, 0, 0, 0, 0]
        for _ in 0..<runs { bits += [1, 1, 0, 0, 0, 1, 0, 1] + [0, 0, 0, 0, 0] }
        bits += [UInt8](repeating: 0, count: 7)
        var bytes: [UInt8] = [0x78, 0xDA]
        for start in stride(from: 0, to: bits.count, by: 8) {
            let part = bits[start..<min(start + 8, bits.count)]
            bytes.append(part.enumerated().reduce(0) { $0 | $1.element << UInt8($1.offset) })
        }
        return bytes
    }

    private static let stored: [UInt8] = [0x78, 0x01, 1, 3, 0, 0xFC, 0xFF, 7, 8, 9]

    private func size(_ bytes: [UInt8], limit: Int = 1 << 20) -> Int? {
        DeflateMeter.size(ofZlib: ByteWindow(bytes), limit: limit)
    }

    @Test("Every kind of block is measured")
    func kinds() {
        #expect(size(Self.packed) == 860)
        #expect(size(Self.stored) == 3)
        #expect(size(Self.bomb(runs: 10)) == 2581)
    }

    @Test("The limit is to the byte")
    func limit() {
        #expect(size(Self.packed, limit: 860) == 860)
        #expect(size(Self.packed, limit: 859) == nil)
        #expect(size(Self.bomb(runs: 10), limit: 2580) == nil)
    }

    @Test("A stream that is cut anywhere, or is none, has no size")
    func broken() {
        // The last four bytes are the checksum, which is not read.
        for count in 0..<(Self.packed.count - 4) { #expect(size(Array(Self.packed[..<count])) == nil) }
        for count in 0..<Self.stored.count { #expect(size(Array(Self.stored[..<count])) == nil) }
        #expect(size([0x78, 0xDA, 7]) == nil)
        #expect(size([0x79, 0xDA, 1]) == nil)
    }

    @Test("Any single wrong byte ends in an answer")
    func anyByte() {
        for index in Self.packed.indices {
            for value in [0, 0x55, 0xAA, 0xFF] as [UInt8] {
                var bytes = Self.packed
                bytes[index] = value
                #expect((size(bytes, limit: 4096) ?? 0) <= 4096)
            }
        }
    }

    @Test("Thousands of empty blocks are no profile")
    func emptyBlocks() {
        let empty: [UInt8] = [0, 0, 0, 0xFF, 0xFF]
        #expect(size([0x78, 0x01] + (0..<5000).flatMap { _ in empty } + [1, 0, 0, 0xFF, 0xFF]) == nil)
    }

    @Test("A PNG loses a profile that unfolds to more than 4 MiB, and keeps a sound one")
    func png() throws {
        let profile = Zlib.stored(Sample.profile())
        let sound = Sample.png(Sample.chunk("iCCP", Array("icc".utf8) + [0, 0] + profile))
        let name = Array("51.5, -0.1".utf8) + [0, 0]
        // The name of the profile and what stands behind the packed bytes are no part of it.
        let named = Sample.png(Sample.chunk("iCCP", name + profile + Array("51.5, -0.1".utf8)))
        #expect(try MetadataStripper.strip(sound, policy: .strip) == sound)
        #expect(try MetadataStripper.strip(named, policy: .strip) == sound)
        for profile in [Self.bomb(runs: 16300), Zlib.stored(Sample.profile("GRAY")), [1, 2, 3], []] {
            let png = Sample.png(Sample.chunk("iCCP", name + profile))
            #expect(try MetadataStripper.strip(png, policy: .strip) == Sample.png([]))
        }
    }

    @Test("Bytes that go in come out")
    func unpacks() throws {
        let bytes = (0..<140_000).map { UInt8(truncatingIfNeeded: $0 * 7 + $0 / 300) }
        for count in [0, 1, 65_535, 65_536, 140_000] {
            let packed = Zlib.stored(Array(bytes[..<count]))
            let unpacked = try #require(
                DeflateMeter.unpack(zlib: ByteWindow(packed + [1, 2]), limit: count, wanted: count)
            )
            #expect(unpacked.head == Array(bytes[..<count]) && unpacked.size == count)
            #expect(unpacked.packedSize == packed.count)
        }
        let zeros = try #require(DeflateMeter.unpack(zlib: ByteWindow(Self.bomb(runs: 4)), limit: 2000, wanted: 600))
        #expect(zeros.head == [UInt8](repeating: 0, count: 600) && zeros.size == 1033)
    }
}
