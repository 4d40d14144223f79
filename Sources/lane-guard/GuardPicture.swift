// SPDX-License-Identifier: Apache-2.0

import FanlightCodecs
import FanlightCore
import FanlightMetadata

/// A photograph-like JPEG, the same in every run, and the helper's work on it.
struct GuardPicture {
    private let pipeline: PixelPipeline
    private let plain: [UInt8]

    /// Stored upright, with a position that must not be passed on.
    var upright: [UInt8] { stored(as: 1) }

    /// Makes a picture of that many pixels; `nil` when the libraries refuse.
    init?(width: Int, height: Int) {
        guard let pipeline = PixelPipeline() else { return nil }
        self.pipeline = pipeline
        let source = PixelSource(mediaType: .bmp, width: width, height: height)
        let job = PixelJob(output: .jpeg, quality: 88)
        guard let jpeg = try? pipeline.make(Self.bitmap(width, height), source, job) else { return nil }
        plain = jpeg
    }

    /// Reads and makes upright, or smaller, so many times.
    func make(_ count: Int, _ job: PixelJob) -> Bool {
        let sideways = stored(as: 6)
        for _ in 0..<count {
            guard let facts = try? ImageReader.read(sideways, limits: ImageLimits()),
                let file = try? pipeline.make(sideways, PixelSource(facts), job), !file.isEmpty
            else { return false }
        }
        return true
    }

    private func stored(as orientation: UInt8) -> [UInt8] {
        let head: [UInt8] = [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 2]
        let entries: [UInt8] = [
            0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0,
            0x88, 0x25, 0, 4, 0, 0, 0, 1, 0, 0, 0, 38,
            0, 0, 0, 0,
        ]
        let place: [UInt8] = [
            0, 4,
            0, 1, 0, 2, 0, 0, 0, 2, 0x4E, 0, 0, 0,
            0, 2, 0, 5, 0, 0, 0, 3, 0, 0, 0, 92,
            0, 3, 0, 2, 0, 0, 0, 2, 0x45, 0, 0, 0,
            0, 4, 0, 5, 0, 0, 0, 3, 0, 0, 0, 116,
            0, 0, 0, 0,
        ]
        let degrees: [UInt8] = [48, 1, 12, 1, 29, 1, 16, 1, 22, 1, 25, 1].flatMap { [0, 0, 0, $0] }
        let payload = Array("Exif\0\0".utf8) + head + entries + place + degrees
        let count = payload.count + 2
        return [0xFF, 0xD8, 0xFF, 0xE1, UInt8(count >> 8), UInt8(count & 0xFF)] + payload + plain.dropFirst(2)
    }

    /// Slow gradients with grain on every pixel.
    private static func bitmap(_ width: Int, _ height: Int) -> [UInt8] {
        func little(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 0xFF) } }
        let bytes = width * height * 3
        var file = Array("BM".utf8) + little(54 + bytes, 4) + little(0, 4) + little(54, 4) + little(40, 4)
        file += little(width, 4) + little(height, 4) + little(1, 2) + little(24, 2) + little(0, 4) + little(bytes, 4)
        file += little(2_835, 4) + little(2_835, 4) + little(0, 8)
        file.reserveCapacity(54 + bytes)
        var grain: UInt32 = 7
        for y in 0..<height {
            for x in 0..<width {
                grain = grain &* 1_664_525 &+ 1_013_904_223
                let noise = UInt8(grain >> 24 & 15)
                file.append(UInt8(64 + x * 96 / width) ^ noise)
                file.append(UInt8(90 + y * 64 / height) ^ noise)
                file.append(UInt8(160 - x * 96 / width) ^ noise)
            }
        }
        return file
    }
}
