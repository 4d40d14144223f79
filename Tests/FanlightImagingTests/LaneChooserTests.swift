// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@testable import FanlightImaging

@Suite("Choosing the lane")
struct LaneChooserTests {
    private func steps(
        _ type: MediaType,
        _ width: Int = 1000,
        _ height: Int = 800,
        orientation: Orientation = .upright,
        frames: Int = 1,
        alpha: Bool = false,
        bytes: Int = 100_000,
        for constraints: RenditionConstraints = RenditionConstraints()
    ) throws -> [LaneChooser.Step] {
        let facts = ImageFacts(
            mediaType: type,
            width: width,
            height: height,
            orientation: orientation,
            frames: frames,
            hasAlpha: alpha
        )
        return try LaneChooser.steps(for: facts, bytes: bytes, constraints: constraints)
    }

    private func work(
        _ output: MediaType,
        _ lane: Lane,
        width: Int = 0,
        height: Int = 0,
        allFrames: Bool = false
    ) -> LaneChooser.Step {
        .pixels(.init(width: width, height: height, output: output, allFrames: allFrames, lane: lane))
    }

    @Test("Upright and within bounds: no pixels are touched", arguments: [MediaType.jpeg, .png, .webp, .gif])
    func upright(type: MediaType) throws {
        #expect(try steps(type) == [.stripped])
        #expect(try steps(type, for: RenditionConstraints(metadata: .keep)) == [.untouched])
        #expect(try steps(type, for: RenditionConstraints(metadata: .stripGPS)) == [.stripped])
    }

    @Test("A sideways JPEG is turned without loss, or encoded again where that cannot be")
    func sideways() throws {
        #expect(try steps(.jpeg, orientation: .right) == [.rotated, work(.jpeg, .resized)])
        #expect(try steps(.png, orientation: .right) == [work(.png, .resized)])
        #expect(try steps(.webp, orientation: .left) == [work(.webp, .resized)])
    }

    @Test("Bounds hold for the upright picture and never enlarge")
    func bounds() throws {
        #expect(try steps(.jpeg, 4000, 3000) == [work(.jpeg, .resized, width: 2048, height: 2048)])
        #expect(
            try steps(.jpeg, 4000, 3000, orientation: .right) == [work(.jpeg, .resized, width: 2048, height: 2048)]
        )
        #expect(try steps(.jpeg, 2048, 3) == [.stripped])
        #expect(try steps(.jpeg, 4000, 3000, for: RenditionConstraints(maxEdge: 0)) == [.stripped])
        #expect(try steps(.jpeg, 5000, 1) == [work(.jpeg, .resized, width: 2048, height: 2048)])
        #expect(
            try steps(.jpeg, 2000, 1000, for: RenditionConstraints(maxPixels: 500_000))
                == [work(.jpeg, .resized, width: 1000, height: 500)]
        )
    }

    @Test(
        "Formats that few services take become JPEG, or PNG with alpha",
        arguments: [MediaType.heic, .tiff, .bmp, .avif]
    )
    func converted(type: MediaType) throws {
        #expect(try steps(type) == [work(.jpeg, .converted)])
        #expect(try steps(type, alpha: true) == [work(.png, .converted)])
        #expect(try steps(type, for: RenditionConstraints(formats: [.gif])) == [work(.gif, .converted)])
        #expect(try steps(type, for: RenditionConstraints(formats: [type], metadata: .keep)) == [.untouched])
    }

    @Test("HEIF turns by itself")
    func heif() throws {
        let keep = RenditionConstraints(formats: [.heic], metadata: .keep)
        #expect(try steps(.heic, orientation: .right, for: keep) == [.untouched])
    }

    @Test("Nothing that can be made is taken")
    func noFormat() {
        #expect(throws: ImageError.self) { try steps(.jpeg, for: RenditionConstraints(formats: [.heic])) }
        #expect(throws: ImageError.self) { try steps(.tiff, for: RenditionConstraints(formats: [.tiff])) }
        #expect(throws: ImageError.self) { try steps(.jpeg, for: RenditionConstraints(formats: [])) }
    }

    @Test("Animations pass whole, and stay animations when they must shrink")
    func animations() throws {
        #expect(try steps(.gif, frames: 4) == [.stripped])
        #expect(try steps(.png, frames: 4) == [.stripped])
        #expect(
            try steps(.gif, 4096, 2048, frames: 4)
                == [work(.gif, .resized, width: 2048, height: 2048, allFrames: true)]
        )
        #expect(
            try steps(.webp, frames: 4, for: RenditionConstraints(formats: [.gif, .jpeg]))
                == [work(.gif, .converted, allFrames: true)]
        )
        #expect(try steps(.gif, frames: 4, for: RenditionConstraints(formats: [.jpeg])) == [work(.jpeg, .converted)])
    }

    @Test("Byte limits")
    func bytes() throws {
        let limit = RenditionConstraints(maxBytes: 50_000)
        #expect(try steps(.jpeg, for: limit) == [.stripped, work(.jpeg, .resized)])
        #expect(try steps(.jpeg, orientation: .right, for: limit) == [work(.jpeg, .resized)])
        #expect(try steps(.png, for: limit) == [.stripped, work(.jpeg, .converted)])
        #expect(try steps(.png, alpha: true, for: limit) == [.stripped, work(.png, .resized)])
        #expect(
            try steps(.jpeg, bytes: 40_000, for: RenditionConstraints(maxBytes: 50_000, metadata: .keep)) == [
                .untouched
            ]
        )
    }
}
