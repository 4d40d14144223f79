// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@testable import FanlightCodecs

@Suite("Lossless rotation")
struct LosslessRotationTests {
    /// Sizes of whole units of every subsampling, and with partial blocks at one edge or both.
    private static let sizes = [(192, 128), (157, 128), (192, 103), (157, 103), (33, 250), (7, 5)]

    @Test("Every sample goes to its new place", arguments: JPEGPlanes.samplings.indices)
    func samples(sampling: Int) throws {
        for (width, height) in Self.sizes {
            let jpeg = try grain(width, height, sampling: sampling)
            let planes = try #require(try JPEGPlanes(jpeg, box: (1000, 1000)))
            // TurboJPEG has no name for 4:1:1 on its side, and gives no planes of it.
            for orientation in Orientation.allCases where !(sampling == 4 && orientation.swapsSides) {
                for trims in [false, true] {
                    let what: Comment = "\(width)x\(height) as \(orientation), trims \(trims)"
                    do {
                        let made = try LosslessRotation.upright(jpeg, orientation: orientation, trims: trims)
                        let turned = try #require(try JPEGPlanes(made, box: (1000, 1000)))
                        let size = Self.size(planes, orientation, sampling: sampling, trims: trims)
                        #expect((turned.width, turned.height) == size, what)
                        #expect(difference(planes, turned, orientation) <= 1, what)
                    } catch CodecError.notPerfect {
                        #expect(Self.leavesPartialUnits(planes, orientation, sampling: sampling, trims: trims), what)
                    }
                }
            }
        }
    }

    @Test("A turn and its opposite give the same coefficients", arguments: JPEGPlanes.samplings.indices)
    func thereAndBack(sampling: Int) throws {
        let jpeg = try grain(192, 128, sampling: sampling)
        let plain = try LosslessRotation.upright(jpeg, orientation: .upright)
        let pairs = [(Orientation.right, Orientation.left), (.mirrored, .mirrored), (.transversed, .transversed)]
        for (there, back) in pairs {
            let turned = try LosslessRotation.upright(jpeg, orientation: there)
            #expect(turned != plain)
            #expect(try LosslessRotation.upright(turned, orientation: back) == plain)
        }
    }

    @Test("Resolutions across and down change places where the sides do")
    func density() throws {
        var jpeg = try grain(192, 128, sampling: 0)
        // JFIF: marker 2, length 2, identifier 5, version 2, unit 1, density across 2, density down 2.
        try #require(Array(jpeg[2..<4]) == [0xFF, 0xE0])
        jpeg.replaceSubrange(13..<18, with: [1, 0, 72, 1, 44])
        #expect(Array(try LosslessRotation.upright(jpeg, orientation: .right)[13..<18]) == [1, 1, 44, 0, 72])
        #expect(Array(try LosslessRotation.upright(jpeg, orientation: .upsideDown)[13..<18]) == [1, 0, 72, 1, 44])
    }

    @Test("A picture of hundreds of scans is refused")
    func scans() throws {
        _ = try LosslessRotation.upright(scans(upTo: 5), orientation: .right)
        #expect(throws: CodecError.corrupt("more than 500 scans")) {
            try LosslessRotation.upright(scans(upTo: 63), orientation: .right)
        }
    }

    @Test("A coefficient without a code is not written as another", arguments: [(0, 11), (0, 13), (1, 10), (63, 13)])
    func tooLarge(frequency: UInt8, bit: UInt8) throws {
        #expect(throws: CodecError.self) {
            try LosslessRotation.upright(single(frequency, bit: bit), orientation: .right)
        }
    }

    @Test("One that has a code in tables made for it stays what it was", arguments: [(0, 10), (1, 9), (63, 9)])
    func large(frequency: UInt8, bit: UInt8) throws {
        let jpeg = single(frequency, bit: bit)
        let turned = try LosslessRotation.upright(jpeg, orientation: .right)
        let back = try LosslessRotation.upright(turned, orientation: .left)
        #expect(try back == LosslessRotation.upright(jpeg, orientation: .upright))
        let planes = try #require(try JPEGPlanes(jpeg, box: (100, 100)))
        let seen = try #require(try JPEGPlanes(turned, box: (100, 100)))
        #expect(difference(planes, seen, .right) <= 1)
    }

    @Test("Colour in a coarseness without a name goes another way than by planes")
    func unnamedSampling() throws {
        var jpeg = try grain(192, 128, sampling: 0)
        let frame = try #require(jpeg.indices.first { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xC0 })
        // Brightness as coarse as one of the colours, the other finer than both.
        jpeg[frame + 17] = 0x12
        #expect(try JPEGPlanes(jpeg, box: (100, 100)) == nil)
        #expect(throws: CodecError.self) { try JPEGPlanes(Array(jpeg.prefix(frame)), box: (100, 100)) }
    }

    /// A JPEG of noise, which the tables of the standard suit.
    private func grain(_ width: Int, _ height: Int, sampling: Int) throws -> [UInt8] {
        let planes = JPEGPlanes(width: width, height: height, subsampling: JPEGPlanes.samplings[sampling])
        var state: UInt32 = 7
        for plane in planes.planes {
            for y in 0..<plane.height {
                for x in 0..<plane.width {
                    state = state &* 1_664_525 &+ 1_013_904_223
                    unsafe plane.samples[y * plane.stride + x] = UInt8(64 + (x + 2 * y) % 64 + Int(state >> 26))
                }
            }
        }
        return try planes.encoded(quality: 85)
    }

    /// Pixels across and down of the smallest part that can be moved whole, by the index of the subsampling.
    private static let units = [(8, 8), (16, 8), (16, 16), (8, 16), (32, 8), (8, 8)]

    private static func mirrors(_ orientation: Orientation) -> (x: Bool, y: Bool) {
        let number = orientation.rawValue
        return ([2, 3, 6, 7].contains(number), [3, 4, 7, 8].contains(number))
    }

    /// The turned picture's size, and what of it is beyond whole units at edges that are mirrored.
    private static func turnedSize(
        _ planes: JPEGPlanes,
        _ orientation: Orientation,
        sampling: Int
    ) -> (width: Int, height: Int, overX: Int, overY: Int) {
        let unit = units[sampling]
        let swaps = orientation.swapsSides
        let (width, height) = swaps ? (planes.height, planes.width) : (planes.width, planes.height)
        let (across, down) = swaps ? (unit.1, unit.0) : unit
        let mirrors = mirrors(orientation)
        return (width, height, mirrors.x ? width % across : 0, mirrors.y ? height % down : 0)
    }

    private static func size(
        _ planes: JPEGPlanes,
        _ orientation: Orientation,
        sampling: Int,
        trims: Bool
    ) -> (Int, Int) {
        let turned = turnedSize(planes, orientation, sampling: sampling)
        return trims ? (turned.width - turned.overX, turned.height - turned.overY) : (turned.width, turned.height)
    }

    private static func leavesPartialUnits(
        _ planes: JPEGPlanes,
        _ orientation: Orientation,
        sampling: Int,
        trims: Bool
    ) -> Bool {
        let turned = turnedSize(planes, orientation, sampling: sampling)
        return trims
            ? turned.overX == turned.width || turned.overY == turned.height : turned.overX > 0 || turned.overY > 0
    }

    /// The largest difference of a sample from the one that should have come to its place.
    private func difference(_ planes: JPEGPlanes, _ turned: JPEGPlanes, _ orientation: Orientation) -> Int {
        let mirrors = Self.mirrors(orientation)
        var largest = 0
        for (source, target) in zip(planes.planes, turned.planes) {
            for y in 0..<target.height {
                for x in 0..<target.width {
                    let across = mirrors.x ? target.width - 1 - x : x
                    let down = mirrors.y ? target.height - 1 - y : y
                    let (column, row) = orientation.swapsSides ? (down, across) : (across, down)
                    let expected = unsafe Int(source.samples[row * source.stride + column])
                    largest = max(largest, abs(expected - Int(unsafe target.samples[y * target.stride + x])))
                }
            }
        }
        return largest
    }

    /// A progressive JPEG of one grey block with a single coefficient, two to the power of `bit`.
    private func single(_ frequency: UInt8, bit: UInt8) -> [UInt8] {
        var file: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0] + [UInt8](repeating: 1, count: 64)
        file += [0xFF, 0xC2, 0, 11, 8, 0, 8, 0, 8, 1, 1, 0x11, 0]
        // Codes 0 and 10: nothing, and a value of one bit.
        for kind: UInt8 in [0x00, 0x10] {
            file += [0xFF, 0xC4, 0, 21, kind, 1, 1] + [UInt8](repeating: 0, count: 14) + [0, 1]
        }
        file += [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 0, bit, frequency == 0 ? 0xBF : 0x7F]
        if frequency > 0 { file += [0xFF, 0xDA, 0, 8, 1, 1, 0, frequency, frequency, bit, 0xBF] }
        // Behind the picture, so that the tables of the standard seem to make it no larger.
        return file + [0xFF, 0xD9] + [UInt8](repeating: 0, count: 20_000)
    }

    /// A progressive JPEG of one grey block, each of whose frequencies comes bit by bit, in a scan of its own.
    private func scans(upTo last: UInt8) -> [UInt8] {
        var file: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0] + [UInt8](repeating: 1, count: 64)
        file += [0xFF, 0xC2, 0, 11, 8, 0, 8, 0, 8, 1, 1, 0x11, 0]
        // One code of one bit in each table: no difference, and no more coefficients.
        for kind: UInt8 in [0x00, 0x10] {
            file += [0xFF, 0xC4, 0, 20, kind, 1] + [UInt8](repeating: 0, count: 15) + [0]
        }
        for frequency in 0...last {
            for (high, low) in [(0, 13)] + (0..<13).reversed().map({ ($0 + 1, $0) }) {
                file += [0xFF, 0xDA, 0, 8, 1, 1, 0, frequency, frequency, UInt8(high << 4 | low), 0x7F]
            }
        }
        return file + [0xFF, 0xD9]
    }
}
