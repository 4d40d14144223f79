// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FanlightCodecs

// One memory for the process: what is kept is everybody's, and these sizes are nobody else's.
@Suite("Memory of planes", .serialized)
struct PlaneMemoryTests {
    @Test("What was given back is taken again, also for a little less")
    func reuse() {
        let block = PlaneMemory.take(31_000_001)
        PlaneMemory.giveBack(block)
        #expect(PlaneMemory.take(31_000_001) === block)
        PlaneMemory.giveBack(block)
        #expect(PlaneMemory.take(26_000_000) === block)
        PlaneMemory.giveBack(block)
        #expect(PlaneMemory.take(32_000_000) !== block)
        #expect(PlaneMemory.take(15_000_000) !== block)
        PlaneMemory.discard()
    }

    @Test("Nobody gets what another still holds")
    func exclusive() {
        let first = PlaneMemory.take(30_000_003)
        #expect(PlaneMemory.take(30_000_003) !== first)
    }

    @Test("The oldest go when too much is kept, and what is too large is not kept")
    func bound() {
        let blocks = (0..<3).map { _ in PlaneMemory.Block(size: 30_000_005) }
        for block in blocks { PlaneMemory.giveBack(block) }
        let taken = (0..<3).map { _ in PlaneMemory.take(30_000_005) }
        #expect(taken[0] === blocks[1] && taken[1] === blocks[2] && taken[2] !== blocks[0])
        let large = PlaneMemory.Block(size: 65_000_000)
        PlaneMemory.giveBack(large)
        #expect(PlaneMemory.take(65_000_000) !== large)
        PlaneMemory.discard()
    }
}
