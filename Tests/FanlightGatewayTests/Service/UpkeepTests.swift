// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@testable import FanlightGateway

@Suite("Work in the background")
struct UpkeepTests {
    /// A clock on which no minute ends, so that only what is taken, or a stop, ends a pause.
    private let clock = EngineClock(now: { Timestamp(milliseconds: 0) }) { _ in
        try? await Task.sleep(for: .seconds(86_400))
    }

    @Test("The history is looked through before the minute is over where much is taken", arguments: [true, false])
    func busy(isDuringPause: Bool) async {
        let upkeep = Upkeep()
        if !isDuringPause { for _ in 0..<4 { upkeep.noteTaken(1_000) } }
        let pause = Task { await upkeep.pause(clock) }
        if isDuringPause { for _ in 0..<4 { upkeep.noteTaken(1_000) } }
        await pause.value
    }

    @Test("What was taken before the last look counts no more")
    func quiet() async {
        let upkeep = Upkeep()
        upkeep.noteTaken(4_000)
        await upkeep.pause(clock)
        upkeep.noteTaken(3_999)
        await confirmation(expectedCount: 0) { ended in
            let pause = Task {
                await upkeep.pause(clock)
                if !Task.isCancelled { ended() }
            }
            try? await Task.sleep(for: .milliseconds(50))
            pause.cancel()
            await pause.value
        }
    }
}
