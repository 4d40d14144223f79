// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@testable import FanlightImaging

@Suite("Choosing the lane")
struct LaneChooserTests {
    private func plan(
        _ type: MediaType,
        _ width: Int = 1000,
        _ height: Int = 800,
        orientation: Orientation = .upright,
        frames: Int = 1,
        alpha: Bool = false,
        bytes: Int = 100_000,
        probe: PictureProbe = PictureProbe(),
        for constraints: RenditionConstraints = RenditionConstraints()
    ) throws -> LanePlan {
        let facts = ImageFacts(
            mediaType: type,
            width: width,
            height: height,
            orientation: orientation,
            frames: frames,
            hasAlpha: alpha
        )
        return try LaneChooser.plan(for: facts, probe: probe, bytes: bytes, constraints: constraints)
    }

    private func box(_ width: Int, _ height: Int) -> PixelJob {
        PixelJob(output: .jpeg, maxWidth: width, maxHeight: height)
    }

    @Test("Upright and within bounds: no pixels are touched", arguments: LaneChooser.usualFormats)
    func upright(type: MediaType) throws {
        #expect(try plan(type) == LanePlan([.stripped]))
        #expect(try plan(type, for: RenditionConstraints(metadata: .keep)) == LanePlan([.untouched]))
        #expect(try plan(type, for: RenditionConstraints(metadata: .stripGPS)) == LanePlan([.stripped]))
    }

    @Test("A sideways JPEG is turned without loss, or encoded again as well as it was")
    func sideways() throws {
        var job = PixelJob(output: .jpeg, turning: .exact, quality: 93, keepsSampling: true)
        #expect(try plan(.jpeg, orientation: .right, probe: PictureProbe(quality: 93)).steps == [.pixels(job)])
        job.quality = 95
        #expect(try plan(.jpeg, orientation: .right, probe: PictureProbe(quality: 99)).steps == [.pixels(job)])
        #expect(try plan(.png, orientation: .right).steps == [.pixels(PixelJob(output: .png))])
        #expect(try plan(.webp, orientation: .left).steps == [.pixels(PixelJob(output: .webp))])
    }

    @Test("The policy for turning")
    func rotationPolicy() throws {
        let trim = RenditionConstraints(rotation: .trim)
        let probe = PictureProbe(quality: 80)
        let trimmed = PixelJob(output: .jpeg, turning: .trimmed, quality: 80, keepsSampling: true)
        #expect(try plan(.jpeg, orientation: .right, probe: probe, for: trim).steps == [.pixels(trimmed)])
        let again = RenditionConstraints(quality: 77, rotation: .reencode)
        #expect(
            try plan(.jpeg, orientation: .right, probe: probe, for: again).steps
                == [.pixels(PixelJob(output: .jpeg, quality: 77))]
        )
    }

    @Test("A JPEG that many hosts cannot read is made common")
    func uncommon() throws {
        let arithmetic = PictureProbe(isCommon: false, canTurn: true, quality: 70)
        let turned = PixelJob(output: .jpeg, turning: .exact, quality: 70, keepsSampling: true)
        #expect(try plan(.jpeg, probe: arithmetic).steps == [.pixels(turned)])
        let inks = PictureProbe(isCommon: false, canTurn: false, quality: 70)
        let plain = PixelJob(output: .jpeg, quality: 70, keepsSampling: true)
        #expect(try plan(.jpeg, probe: inks).steps == [.pixels(plain)])
        #expect(try plan(.jpeg, probe: inks, for: RenditionConstraints(metadata: .keep)).steps == [.pixels(plain)])
    }

    @Test("Only colours beyond sRGB are converted, and only where that is asked for")
    func colours() throws {
        let srgb = RenditionConstraints(colour: .srgb)
        let wide = PictureProbe(profile: .other)
        #expect(try plan(.jpeg, probe: wide).steps == [.stripped])
        #expect(try plan(.jpeg, probe: wide, for: srgb).steps == [.pixels(PixelJob(output: .jpeg, srgb: true))])
        for profile in [PictureProbe.Profile.none, .srgb, .unfit] {
            #expect(try plan(.jpeg, probe: PictureProbe(profile: profile), for: srgb).steps == [.stripped])
        }
    }

    @Test("Bounds hold for the upright picture and never enlarge")
    func bounds() throws {
        #expect(try plan(.jpeg, 4000, 3000).steps == [.pixels(box(2048, 2048))])
        #expect(try plan(.jpeg, 4000, 3000, orientation: .right).steps == [.pixels(box(2048, 2048))])
        #expect(try plan(.jpeg, 2048, 3).steps == [.stripped])
        #expect(try plan(.jpeg, 4000, 3000, for: RenditionConstraints(maxEdge: 0)).steps == [.stripped])
        #expect(try plan(.jpeg, 5000, 1).steps == [.pixels(box(2048, 2048))])
        #expect(
            try plan(.jpeg, 2000, 1000, for: RenditionConstraints(maxPixels: 500_000)).steps
                == [.pixels(box(1000, 500))]
        )
    }

    @Test(
        "Formats that few services take become JPEG, or PNG with alpha",
        arguments: [MediaType.heic, .tiff, .bmp, .avif]
    )
    func converted(type: MediaType) throws {
        #expect(try plan(type).steps == [.pixels(PixelJob(output: .jpeg))])
        #expect(try plan(type, alpha: true).steps == [.pixels(PixelJob(output: .png))])
        let gif = RenditionConstraints(formats: [.gif])
        #expect(try plan(type, for: gif).steps == [.pixels(PixelJob(output: .gif))])
        #expect(try plan(type, for: RenditionConstraints(formats: [type], metadata: .keep)).steps == [.untouched])
    }

    @Test("The format that is asked for is made")
    func format() throws {
        let webp = RenditionConstraints(format: .webp)
        #expect(try plan(.jpeg, for: webp).steps == [.pixels(PixelJob(output: .webp))])
        #expect(try plan(.webp, for: webp).steps == [.stripped])
        let ground = GroundColour(red: 1, green: 2, blue: 3)
        let jpeg = RenditionConstraints(format: .jpeg, background: ground)
        #expect(try plan(.png, alpha: true, for: jpeg).steps == [.pixels(PixelJob(output: .jpeg, background: ground))])
    }

    @Test("HEIF turns by itself")
    func heif() throws {
        let keep = RenditionConstraints(formats: [.heic], metadata: .keep)
        #expect(try plan(.heic, orientation: .right, for: keep).steps == [.untouched])
    }

    @Test("Nothing that can be made is taken")
    func noFormat() {
        #expect(throws: ImageError.self) { try plan(.jpeg, for: RenditionConstraints(formats: [.heic])) }
        #expect(throws: ImageError.self) { try plan(.tiff, for: RenditionConstraints(formats: [.tiff])) }
        #expect(throws: ImageError.self) { try plan(.jpeg, for: RenditionConstraints(formats: [])) }
    }

    @Test("Animations pass whole, and stay animations when they must shrink")
    func animations() throws {
        #expect(try plan(.gif, frames: 4) == LanePlan([.stripped]))
        #expect(try plan(.png, frames: 4) == LanePlan([.stripped]))
        let small = PixelJob(output: .gif, maxWidth: 2048, maxHeight: 2048, frames: 4)
        #expect(try plan(.gif, 4096, 2048, frames: 4) == LanePlan([.pixels(small)]))
        var apng = small
        apng.output = .png
        #expect(try plan(.png, 4096, 2048, frames: 4) == LanePlan([.pixels(apng)]))
        apng.output = .webp
        (apng.maxWidth, apng.maxHeight) = (0, 0)
        #expect(try plan(.png, frames: 4, for: RenditionConstraints(formats: [.webp])) == LanePlan([.pixels(apng)]))
        let converted = RenditionConstraints(formats: [.gif, .jpeg])
        #expect(try plan(.webp, frames: 4, for: converted) == LanePlan([.pixels(PixelJob(output: .gif, frames: 4))]))
    }

    @Test("What an animation or a document loses is said")
    func losses() throws {
        let still = try plan(.gif, frames: 4, for: RenditionConstraints(formats: [.jpeg]))
        #expect(still.steps == [.pixels(PixelJob(output: .jpeg))])
        #expect(still.warnings.map(\.code) == ["animation_lost"])
        let few = try plan(.gif, frames: 9, for: RenditionConstraints(maxFrames: 3))
        #expect(few.steps == [.pixels(PixelJob(output: .gif, frames: 3))])
        #expect(few.warnings.map(\.code) == ["frames_limited"])
        let one = try plan(.webp, frames: 9, for: RenditionConstraints(maxFrames: 1))
        #expect(one.warnings.map(\.code) == ["animation_lost"])
        #expect(try plan(.gif, frames: 3, for: RenditionConstraints(maxFrames: 3)) == LanePlan([.stripped]))
        #expect(try plan(.tiff, frames: 3).warnings.map(\.code) == ["pages_lost"])
        #expect(try plan(.avif, frames: 3).warnings.map(\.code) == ["animation_lost"])
    }

    @Test("Byte limits")
    func bytes() throws {
        let limit = RenditionConstraints(maxBytes: 50_000)
        let probe = PictureProbe(quality: 90)
        let job = PixelJob(output: .jpeg, maxBytes: 50_000)
        #expect(try plan(.jpeg, probe: probe, for: limit).steps == [.stripped, .pixels(job)])
        #expect(try plan(.jpeg, orientation: .right, probe: probe, for: limit).steps == [.pixels(job)])
        let turned = PixelJob(output: .jpeg, turning: .exact, quality: 90, keepsSampling: true, maxBytes: 50_000)
        #expect(
            try plan(.jpeg, orientation: .right, bytes: 40_000, probe: probe, for: limit).steps == [.pixels(turned)]
        )
        #expect(try plan(.png, for: limit).steps == [.stripped, .pixels(job)])
        let png = PixelJob(output: .png, maxBytes: 50_000)
        #expect(try plan(.png, alpha: true, for: limit).steps == [.stripped, .pixels(png)])
        let kept = RenditionConstraints(maxBytes: 50_000, metadata: .keep)
        #expect(try plan(.jpeg, bytes: 40_000, for: kept).steps == [.untouched])
    }
}
