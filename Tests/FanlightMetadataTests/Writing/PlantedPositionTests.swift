// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@testable import FanlightMetadata

/// No position leaves, wherever it was hidden, whatever the format that is written.
@Suite struct PlantedPositionTests {
    private static let plain: [String: [UInt8]] = [
        "jpeg": Sample.jpeg(Sample.jfif), "png": Sample.png(), "gif": Sample.gif(Sample.gifFrame()),
        "webp": Sample.webp(Sample.vp8()),
    ]

    /// The planted places are real: each picture has a trace of the position before it is rewritten.
    @Test(arguments: PlantedPosition.pictures.keys.sorted()) func isThereBefore(_ format: String) throws {
        let bytes = try #require(PlantedPosition.pictures[format])
        #expect(!Self.traces(in: bytes).isEmpty)
        #expect(try ImageReader.read(bytes, limits: ImageLimits()).width > 0)
    }

    @Test(
        arguments: ["jpeg", "png", "webp", "gif"],
        [MetadataPolicy.strip, .stripGPS, .copyright]
    )
    func leavesNoTraceInTheSameFormat(_ format: String, _ policy: MetadataPolicy) throws {
        let bytes = try #require(PlantedPosition.pictures[format])
        let made = try MetadataStripper.strip(bytes, policy: policy)
        #expect(Self.traces(in: made) == [])
        let facts = try ImageReader.read(made, limits: ImageLimits())
        #expect(facts.geotag == nil && facts.fix == PositionFix())
    }

    /// What an encoder made gets what stays of the source.
    @Test(arguments: PlantedPosition.pictures.keys.sorted(), ["jpeg", "png", "webp", "gif"])
    func leavesNoTraceInAnotherFormat(_ format: String, _ output: String) throws {
        let bytes = try #require(PlantedPosition.pictures[format])
        let encoded = try #require(Self.plain[output])
        for policy in [MetadataPolicy.strip, .stripGPS, .copyright] {
            let made = try MetadataWriter.rewrite(encoded, source: RetainedMetadata(of: bytes, policy: policy))
            #expect(Self.traces(in: made) == [])
            if policy == .strip { #expect(made == encoded) }
        }
    }

    /// An encoder that keeps what it should not is no leak either.
    @Test(arguments: ["jpeg", "png", "webp", "gif"]) func encodersAreNotTrusted(_ format: String) throws {
        let bytes = try #require(PlantedPosition.pictures[format])
        let source = RetainedMetadata(of: PlantedPosition.jpeg, policy: .stripGPS)
        #expect(Self.traces(in: try MetadataWriter.rewrite(bytes, source: source)) == [])
    }

    @Test func keepKeepsTheBytes() throws {
        for bytes in PlantedPosition.pictures.values {
            #expect(try MetadataStripper.strip(bytes, policy: .keep) == bytes)
        }
    }

    /// Names of the traces that are found, also in what is packed.
    private static func traces(in bytes: [UInt8]) -> [String] {
        var parts = [ByteWindow(bytes)]
        if let cursor = try? PNGChunkCursor(ByteWindow(bytes)) {
            var chunks = cursor
            while let chunk = try? chunks.next() {
                if let text = PNGText(chunk) { parts.append(text.text) }
                if let start = chunk.data.firstOffset(of: 0, from: 0), let stream = chunk.data.window(from: start + 2),
                    let unpacked = DeflateMeter.unpack(zlib: stream, limit: 1 << 20, wanted: 1 << 20)
                {
                    parts.append(ByteWindow(unpacked.head))
                }
            }
        }
        return PlantedPosition.traces.filter { trace in parts.contains { found(trace.bytes, in: $0) } }.map(\.name)
    }

    private static func found(_ bytes: [UInt8], in window: ByteWindow) -> Bool {
        guard let first = bytes.first else { return false }
        var position = 0
        while let place = window.firstOffset(of: first, from: position) {
            if window.has(bytes, at: place) { return true }
            position = place + 1
        }
        return false
    }
}
