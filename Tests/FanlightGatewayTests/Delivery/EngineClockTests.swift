// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightTestSupport
import Testing

@testable import FanlightGateway

@Suite("The clock that deliveries go by")
struct EngineClockTests {
    let clock = EngineClock.system()

    @Test("a cancelled sleep ends at once and holds no memory until its time")
    func cancelled() async throws {
        await cancelSleeps(2_000)
        let before = try #require(ProcessFacts.residentMemory())
        await cancelSleeps(40_000)
        // A timer that stays takes some 700 bytes, 40,000 of them nearly 30 MB.
        #expect(try #require(ProcessFacts.residentMemory()) < before + 10_000_000 * Patience.factor)
    }

    private func cancelSleeps(_ count: Int) async {
        let until = clock.now() + .seconds(3_600)
        for _ in 0..<count / 100 {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<100 { group.addTask { await clock.sleep(until) } }
                await Task.yield()
                group.cancelAll()
            }
        }
    }

    @Test("sleepers wake in the order of their times, none before its own, whoever came first")
    func order() async {
        let start = clock.now()
        await withTaskGroup(of: Int.self) { group in
            for wait in [900, 30, 600, 300] {
                group.addTask {
                    let until = start + .milliseconds(wait)
                    await clock.sleep(until)
                    #expect(clock.now() >= until)
                    return wait
                }
            }
            var woken: [Int] = []
            for await wait in group { woken.append(wait) }
            #expect(woken == [30, 300, 600, 900])
        }
    }

    @Test("a time that has passed, and the end of time")
    func ends() async {
        await clock.sleep(clock.now())
        await clock.sleep(Timestamp(milliseconds: .min))
        let sleeper = Task { await clock.sleep(.distantFuture) }
        await clock.sleep(clock.now() + .milliseconds(20))
        sleeper.cancel()
        await sleeper.value
    }

    @Test("a heap gives times in order, whatever came and went")
    func heap() {
        var heap = TimeHeap()
        for ticket in 0..<500 { heap.add(Timestamp(milliseconds: Int64(ticket * 7_919 % 501)), ticket) }
        heap.keep { $0 % 3 != 0 }
        var seen: [Int64] = []
        while let first = heap.first {
            seen.append(first.time.milliseconds)
            heap.removeFirst()
        }
        let kept = (0..<500).filter { $0 % 3 != 0 }
        #expect(seen == kept.map { Int64($0 * 7_919 % 501) }.sorted())
        #expect(heap.count == 0)
    }
}
