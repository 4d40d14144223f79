// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@testable import FanlightCodecs

@Suite("Profiles of decoded pictures")
struct ProfileTests {
    @Test("A profile outlives the picture that it came with")
    func lifetime() throws {
        _ = try Pictures.startedPipeline()
        var profiles = 0
        for entry in Corpus.accepted where [.heic, .avif, .jpeg, .png, .webp].contains(entry.type) {
            let bytes = try #require(Corpus.read(entry.path))
            let source = PixelSource(mediaType: entry.type)
            try unsafe bytes.withUnsafeBytes { raw in
                // SAFETY: the pictures are gone when this closure returns.
                var opened: Picture? = try unsafe SourceLoader.open(raw, bytes, source, frames: 1, box: nil)
                let expected = opened?.profile
                let held = try opened?.inMemory()
                opened = nil
                // Whoever asks for memory of that size now gets the profile's, if that was given up.
                let others = (0..<100).map { _ in [UInt8](repeating: 0xAA, count: max(1, (expected?.count ?? 1) - 32)) }
                #expect(held?.profile == expected, "\(entry)")
                #expect(others.allSatisfy { $0.first == 0xAA })
                profiles += expected == nil ? 0 : 1
            }
        }
        #expect(Corpus.entries.isEmpty || profiles > 5)
    }
}
