// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@testable import FanlightCodecs

@Suite("Planes of a JPEG")
struct PlanesTests {
    /// A JPEG of slopes in all three channels, with colour as coarse as is said; nothing in it repeats or mirrors.
    private func slopes(_ width: Int, _ height: Int, sampling index: Int) throws -> [UInt8] {
        let planes = JPEGPlanes(width: width, height: height, subsampling: JPEGPlanes.samplings[index])
        for (component, plane) in planes.planes.enumerated() {
            for y in 0..<plane.height {
                for x in 0..<plane.width {
                    let across = Double(x) / Double(plane.width)
                    let down = Double(y) / Double(plane.height)
                    let value =
                        switch component {
                        case 0: 40 + 120 * across + 60 * down * down
                        case 1: 70 + 110 * down
                        default: 180 - 90 * across * down
                        }
                    unsafe plane.samples[y * plane.stride + x] = UInt8(value)
                }
            }
        }
        return try planes.encoded(quality: 95)
    }

    private func distance(_ one: [UInt8], _ other: [UInt8]) -> Double {
        guard one.count == other.count, !one.isEmpty else { return .infinity }
        return Double(zip(one, other).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }) / Double(one.count)
    }

    @Test("Turned and shrunk planes look like turned and shrunk pixels", arguments: JPEGPlanes.samplings.indices)
    func likePixels(sampling: Int) throws {
        let pipeline = try Pictures.startedPipeline()
        for (width, height) in [(157, 103), (160, 112), (33, 250)] {
            let jpeg = try slopes(width, height, sampling: sampling)
            for orientation in Orientation.allCases {
                let source = PixelSource(
                    mediaType: .jpeg,
                    orientation: orientation,
                    width: width,
                    height: height
                )
                let whole = try pipeline.pixels(jpeg, source)
                for box in [0, 60] {
                    for keeps in [false, true] {
                        let job = PixelJob(
                            output: .jpeg,
                            maxWidth: box,
                            maxHeight: box,
                            quality: 95,
                            keepsSampling: keeps
                        )
                        let made = try pipeline.make(jpeg, source, job)
                        let seen = try pipeline.pixels(made, PixelSource(mediaType: .jpeg))
                        var expected = whole
                        if box > 0 {
                            let png = try pipeline.make(
                                bitmap(whole),
                                PixelSource(mediaType: .bmp),
                                PixelJob(output: .png, maxWidth: box, maxHeight: box)
                            )
                            expected = try pipeline.pixels(png, PixelSource(mediaType: .png))
                        }
                        #expect(seen.width == expected.width && seen.height == expected.height)
                        #expect(
                            distance(seen.rgb, expected.rgb) < 2.5,
                            "\(width)x\(height) as \(orientation) in \(box), \(keeps)"
                        )
                    }
                }
            }
        }
    }

    private func bitmap(_ picture: (width: Int, height: Int, rgb: [UInt8])) -> [UInt8] {
        Pictures.bitmap(width: picture.width, height: picture.height) { x, y in
            Array(picture.rgb[((y * picture.width + x) * 3)..<((y * picture.width + x) * 3 + 3)])
        }
    }

    @Test("A picture that only cannot be turned keeps its colour as fine as it was", arguments: [0, 1, 2, 3, 5])
    func samplingStays(sampling: Int) throws {
        let jpeg = try slopes(157, 103, sampling: sampling)
        let source = PixelSource(mediaType: .jpeg, orientation: .right, width: 157, height: 103)
        let job = PixelJob(output: .jpeg, turning: .exact, quality: 90, keepsSampling: true)
        let made = try Pictures.startedPipeline().make(jpeg, source, job)
        let planes = try #require(try JPEGPlanes(made, box: (1000, 1000)))
        let turned = [0, 3, 2, 1, 4, 5][sampling]
        #expect(planes.subsampling == JPEGPlanes.samplings[turned])
        #expect(planes.width == 103 && planes.height == 157)
    }

    @Test("Very flat and very small pictures", arguments: [(5000, 1), (1, 5000), (1, 1), (2, 3), (3000, 7)])
    func extremes(size: (Int, Int)) throws {
        for sampling in JPEGPlanes.samplings.indices {
            let jpeg = try slopes(size.0, size.1, sampling: sampling)
            for orientation in [Orientation.upright, .left, .upsideDown] {
                let source = PixelSource(
                    mediaType: .jpeg,
                    orientation: orientation,
                    width: size.0,
                    height: size.1
                )
                let job = PixelJob(output: .jpeg, maxWidth: 20, maxHeight: 20)
                let made = try Pictures.startedPipeline().make(jpeg, source, job)
                let seen = try Pictures.startedPipeline().pixels(made, PixelSource(mediaType: .jpeg))
                #expect(max(seen.width, seen.height) == min(20, max(size.0, size.1)))
            }
        }
    }

    @Test("A turned drawing is not larger than it was")
    func drawing() throws {
        let drawing = try Pictures.encode(Pictures.bitmap(uprightWidth: 1600, uprightHeight: 1200), as: .jpeg)
        let turned = try LosslessRotation.upright(drawing, orientation: .right)
        #expect(turned.count < drawing.count / 10 * 11)
        #expect(try Pictures.quarters(turned, .jpeg).names == [2, 0, 3, 1])
    }

    @Test("Trimming cuts the partial blocks and nothing else")
    func trimmed() throws {
        let jpeg = try slopes(157, 103, sampling: 0)
        let turned = try LosslessRotation.upright(jpeg, orientation: .right, trims: true)
        let seen = try Pictures.startedPipeline().pixels(turned, PixelSource(mediaType: .jpeg))
        #expect(seen.width == 96 && seen.height == 157)
    }
}
