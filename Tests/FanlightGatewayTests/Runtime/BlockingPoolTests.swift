// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization
import Testing

@testable import FanlightGateway

/// Threads for work that blocks.
@Suite("Threads that may block")
struct BlockingPoolTests {
    /// Work that goes on until it is let go.
    private final class Gate: Sendable {
        private let isOpen = Atomic(false)
        private let running = Atomic(0)

        var runningCount: Int { running.load(ordering: .acquiring) }

        func open() { isOpen.store(true, ordering: .releasing) }

        func pass() {
            running.add(1, ordering: .acquiringAndReleasing)
            while !isOpen.load(ordering: .acquiring) {}
        }
    }

    @Test("Heavy work is done one after another and leaves light work its thread")
    func lightPasses() async {
        let pool = BlockingPool(threads: 1)
        let gate = Gate()
        let heavy = (0..<8).map { number in
            Task {
                await pool.run(.heavy) {
                    gate.pass()
                    return number
                }
            }
        }
        while gate.runningCount == 0 { await Task.yield() }
        for number in 0..<100 { #expect(await pool.run { number } == number) }
        #expect(gate.runningCount == 1)
        gate.open()
        for (number, task) in heavy.enumerated() { #expect(await task.value == number) }
    }

    @Test("The thread for heavy work lets others have the processor first")
    func standsBack() async {
        let pool = BlockingPool(threads: 1)
        #expect(await pool.run(.heavy) { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) } == 10)
        #expect(
            await pool.run(.light) { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }
                == getpriority(__priority_which_t(PRIO_PROCESS.rawValue), UInt32(getpid()))
        )
    }

    @Test("What reads sixteen mebibytes is heavy")
    func weights() {
        #expect(BlockingPool.Weight(bytes: 16 << 20) == .heavy)
        #expect(BlockingPool.Weight(bytes: (16 << 20) - 1) == .light)
    }
}
