// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FanlightCore

@Suite("What a rate has counted")
struct RateWindowTests {
    private func at(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }
    private let day: Int64 = 86_400_000
    /// Some day, at noon.
    private let noon: Int64 = 20_000 * 86_400_000 + 43_200_000

    @Test("A rate with another period counts what began before, for no shorter than it would have")
    func otherPeriod() {
        let periods: [Duration] = [.seconds(60), .seconds(3_600), .seconds(86_400), .seconds(30 * 86_400)]
        for before in periods {
            for after in periods {
                var old = RateWindow(limit: 5, period: before)
                for _ in 0..<5 { old.take(at: at(noon)) }
                var new = RateWindow(limit: 5, period: after)
                new.restore(old.counts, at: at(noon + 1))
                #expect(new.left(at: at(noon + 1)) == 0, "\(before) to \(after)")
                #expect(new.next(at: at(noon + 1)) >= at(noon) + after, "\(before) to \(after)")
                #expect(new.left(at: at(noon) + after * 2 + before) == 5)
            }
        }
    }

    @Test("A clock that was set back between two runs allows nothing anew, and blocks for one period at most")
    func clockSetBack() {
        var old = RateWindow(limit: 3, period: .seconds(86_400))
        for _ in 0..<3 { old.take(at: at(noon + 400 * day)) }
        var new = RateWindow(limit: 3, period: .seconds(86_400))
        new.restore(old.counts, at: at(noon))
        #expect(new.left(at: at(noon)) == 0)
        #expect(new.left(at: at(noon + day + day / 20)) == 3)
    }

    @Test("Ten thousand random restarts: never more in any period than the limit")
    func restarts() {
        var numbers = SeededNumbers(seed: 11)
        for run in 0..<200 {
            let period = Int64.random(in: 60...100_000, using: &numbers)
            let limit = Int.random(in: 1...20, using: &numbers)
            var window = RateWindow(limit: limit, period: .milliseconds(period))
            var starts: [Int64] = []
            var now = noon
            for _ in 0..<50 {
                for _ in 0..<Int.random(in: 0...8, using: &numbers) where window.left(at: at(now)) > 0 {
                    window.take(at: at(now))
                    starts.append(now)
                }
                let kept = window.counts
                now += Int64.random(in: 0...period, using: &numbers)
                window = RateWindow(limit: limit, period: .milliseconds(period))
                window.restore(kept, at: at(now))
            }
            for start in starts {
                #expect(starts.count { $0 > start - period && $0 <= start } <= limit, "run \(run)")
            }
        }
    }

    @Test("Counts that are no times are left out")
    func hostile() {
        var window = RateWindow(limit: 3, period: .seconds(60))
        let slots = [-5, .max, .min, .max / 2].map { RateWindow.Slot(number: $0, count: .max) }
        window.restore(.init(slotLength: .max, slots: slots), at: at(noon))
        window.restore(.init(slotLength: 0, slots: [.init(number: 1, count: -4)]), at: at(noon))
        #expect(window.left(at: at(noon)) == 3)
    }
}
