// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@Suite("Who may attempt a delivery to one service, and when")
struct ServiceQueueTests {
    private func at(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: 1_000_000_000 + milliseconds) }
    private var far: Timestamp { at(600_000) }

    private func queue(
        _ concurrency: Int,
        rate: RateWindow? = nil,
        breaker: BreakerRules = BreakerRules()
    ) -> ServiceQueue {
        ServiceQueue(.init(concurrency: concurrency, rate: rate, breaker: breaker))
    }

    private func granted(_ decisions: [ServiceQueue.Decision]) -> [UInt64] {
        decisions.compactMap { if case .grant(let ticket) = $0 { ticket } else { nil } }
    }

    private func refused(_ decisions: [ServiceQueue.Decision]) -> [UInt64: ErrorKind] {
        var found: [UInt64: ErrorKind] = [:]
        for case .refuse(let ticket, let failure) in decisions { found[ticket] = failure.kind }
        return found
    }

    @Test("Clients take turns, each one's uploads stay in order")
    func turns() {
        var queue = queue(1)
        for ticket in 1...5 as ClosedRange<UInt64> { queue.add(ticket, group: "many", until: far) }
        queue.add(10, group: "one", until: far)
        queue.add(20, group: "two", until: far)
        queue.add(11, group: "one", until: far)
        var order: [UInt64] = []
        for _ in 0..<8 {
            order += granted(queue.decide(at: at(0)))
            queue.finish(.alive, at: at(0))
        }
        #expect(order == [1, 10, 20, 2, 11, 3, 4, 5])
        #expect(queue.count == 0 && queue.underWay == 0)
    }

    @Test("Never more at the same time than the limit")
    func concurrency() {
        var queue = queue(2)
        for ticket in 0..<5 as Range<UInt64> { queue.add(ticket, group: "", until: far) }
        #expect(granted(queue.decide(at: at(0))) == [0, 1])
        #expect(granted(queue.decide(at: at(0))) == [])
        queue.finish(.alive, at: at(1))
        #expect(granted(queue.decide(at: at(1))) == [2])
    }

    @Test("The circuit opens after failures in a row, lets one probe through, and closes with it")
    func circuit() {
        var queue = queue(10, breaker: BreakerRules(failures: 3, pause: .seconds(10), whenOpen: .wait))
        for ticket in 0..<9 as Range<UInt64> { queue.add(ticket, group: "", until: far) }
        #expect(granted(queue.decide(at: at(0))).count == 9)
        for _ in 0..<3 { queue.finish(.dead, at: at(0)) }
        #expect(queue.circuit == .open && queue.nextProbe == at(10_000))
        queue.add(20, group: "", until: far)
        queue.add(21, group: "", until: far)
        #expect(queue.decide(at: at(9_999)) == [] && queue.wake(after: at(9_999)) == at(10_000))
        #expect(queue.decide(at: at(10_000)) == [.grant(20)])
        #expect(queue.circuit == .halfOpen)
        #expect(queue.decide(at: at(10_001)) == [])
        queue.finish(.dead, at: at(10_100))
        #expect(queue.nextProbe == at(30_100))
        #expect(granted(queue.decide(at: at(30_100))) == [21])
        queue.finish(.alive, at: at(30_200))
        #expect(queue.circuit == .closed)
    }

    @Test("One good answer between failures keeps the circuit closed; zero failures mean no circuit")
    func staysClosed() {
        var queue = queue(10, breaker: BreakerRules(failures: 2))
        for sign in [CircuitBreaker.Sign.dead, .alive, .dead, .none, .alive, .dead] { queue.finish(sign, at: at(0)) }
        #expect(queue.circuit == .closed)
        var never = self.queue(10, breaker: BreakerRules(failures: 0))
        for _ in 0..<100 { never.finish(.dead, at: at(0)) }
        #expect(never.circuit == .closed)
    }

    @Test("With an open circuit some fail at once, some wait, some cannot wait that long")
    func openCircuit() {
        var queue = queue(10, breaker: BreakerRules(failures: 1, pause: .seconds(10), whenOpen: .wait))
        queue.finish(.dead, at: at(0))
        queue.add(1, group: "", until: far, failsFast: true)
        queue.add(2, group: "", until: at(9_000))
        queue.add(3, group: "", until: far)
        #expect(refused(queue.decide(at: at(1))) == [1: .circuitOpen, 2: .circuitOpen])
        #expect(granted(queue.decide(at: at(10_000))) == [3])
        var hasty = self.queue(10, breaker: BreakerRules(failures: 1))
        hasty.finish(.dead, at: at(0))
        hasty.add(1, group: "", until: far)
        hasty.add(2, group: "", until: far, isRepeat: true)
        #expect(refused(hasty.decide(at: at(0))) == [1: .circuitOpen])
        hasty.add(3, group: "", until: far, isRepeat: true)
        #expect(granted(hasty.decide(at: at(30_000))) == [2])
        // The probe failed: this is no passing trouble.
        hasty.finish(.dead, at: at(30_100))
        #expect(refused(hasty.decide(at: at(30_100))) == [3: .circuitOpen])
    }

    @Test("What a service asks for holds all its deliveries; those that cannot wait are told so")
    func held() {
        var queue = queue(10)
        queue.hold(until: at(5_000))
        queue.add(1, group: "", until: far)
        queue.add(2, group: "", until: at(4_000))
        #expect(refused(queue.decide(at: at(0))) == [2: .rateLimited])
        #expect(queue.wake(after: at(0)) == at(5_000))
        #expect(granted(queue.decide(at: at(5_000))) == [1])
    }

    @Test("A delivery that got no place in time is refused, not granted late")
    func late() {
        var queue = queue(1)
        queue.add(1, group: "", until: far)
        queue.add(2, group: "", until: at(100))
        _ = queue.decide(at: at(0))
        #expect(queue.wake(after: at(0)) == at(100))
        #expect(refused(queue.decide(at: at(100))) == [2: .timeout])
        #expect(queue.count == 0)
    }

    @Test("Never more than the rate in any period, also across a restart")
    func rate() {
        var queue = queue(100, rate: RateWindow(limit: 10, period: .seconds(60)))
        for ticket in 0..<40 as Range<UInt64> { queue.add(ticket, group: "", until: at(10_000_000)) }
        var starts: [Int64] = []
        var now: Int64 = 0
        while starts.count < 35 {
            if starts.count == 15 {
                // A restart in the midst of a period.
                let counts = queue.rateCounts ?? RateWindow.Counts(slotLength: 1, slots: [])
                queue = self.queue(100, rate: RateWindow(limit: 10, period: .seconds(60)))
                queue.restoreRate(counts, at: at(now))
                for ticket in 100..<140 as Range<UInt64> { queue.add(ticket, group: "", until: at(10_000_000)) }
            }
            for _ in granted(queue.decide(at: at(now))) where starts.count < 35 { starts.append(now) }
            now += 500
        }
        for start in starts {
            #expect(starts.filter { $0 > start - 60_000 && $0 <= start }.count <= 10)
        }
        #expect(now < 300_000, "slower than the rate")
    }

    @Test("20,000 random runs: each ticket is decided once, in its group's order, within the limits")
    func random() {
        var numbers = SeededNumbers(seed: 7)
        for seed in 0..<20_000 {
            var model = QueueModel(numbers: numbers)
            model.run()
            numbers = model.numbers
            if let breach = model.breach {
                Issue.record("run \(seed): \(breach)")
                return
            }
        }
    }
}

/// Feeds a queue with random events and notes every breach of its promises.
private struct QueueModel {
    var numbers: SeededNumbers
    private(set) var breach: String?
    private var queue: ServiceQueue
    private let concurrency: Int
    private var waiting: [UInt64: (group: String, until: Timestamp)] = [:]
    private var lastGranted: [String: UInt64] = [:]
    private var underWay = 0
    private var next: UInt64 = 1
    private var now = Timestamp(milliseconds: 5_000_000)

    init(numbers: SeededNumbers) {
        var numbers = numbers
        concurrency = Int.random(in: 1...4, using: &numbers)
        let hasRate = Bool.random(using: &numbers)
        let breaker = BreakerRules(
            failures: Int.random(in: 0...3, using: &numbers),
            pause: .milliseconds(Int.random(in: 1...2_000, using: &numbers)),
            whenOpen: Bool.random(using: &numbers) ? .wait : .fail
        )
        queue = ServiceQueue(
            .init(
                concurrency: concurrency,
                rate: hasRate ? RateWindow(limit: 3, period: .seconds(2)) : nil,
                breaker: breaker
            )
        )
        self.numbers = numbers
    }

    mutating func run() {
        for _ in 0..<40 where breach == nil { step() }
        // In the end everything is decided: time goes on, and what is granted ends well.
        for _ in 0..<400 where breach == nil && (!waiting.isEmpty || underWay > 0) {
            if underWay > 0 {
                underWay -= 1
                queue.finish(.alive, at: now)
            }
            if let wake = queue.wake(after: now), wake > now { now = wake }
            decide()
        }
        if !waiting.isEmpty { breach = breach ?? "\(waiting.count) never decided" }
        if queue.count != 0 || queue.underWay != 0 { breach = breach ?? "counts are wrong" }
    }

    private mutating func step() {
        switch Int.random(in: 0..<8, using: &numbers) {
        case 0...3:
            let group = ["a", "b", "c"][Int.random(in: 0..<3, using: &numbers)]
            let until = now + .milliseconds(Int.random(in: 0...6_000, using: &numbers))
            waiting[next] = (group, until)
            queue.add(
                next,
                group: group,
                until: until,
                failsFast: Bool.random(using: &numbers),
                isRepeat: Bool.random(using: &numbers)
            )
            next += 1
        case 4 where underWay > 0:
            underWay -= 1
            let signs: [CircuitBreaker.Sign] = [.alive, .dead, .dead, .none]
            queue.finish(signs[Int.random(in: 0..<4, using: &numbers)], at: now)
        case 5: if let ticket = waiting.keys.min() { queue.cancel(ticket); waiting[ticket] = nil }
        case 6: queue.hold(until: now + .milliseconds(Int.random(in: 0...500, using: &numbers)))
        default: now = now + .milliseconds(Int.random(in: 0...900, using: &numbers))
        }
        decide()
    }

    private mutating func decide() {
        for decision in queue.decide(at: now) {
            switch decision {
            case .grant(let ticket):
                guard let entry = waiting.removeValue(forKey: ticket) else { breach = "decided twice"; return }
                if now >= entry.until { breach = "granted late" }
                if ticket < lastGranted[entry.group] ?? 0 { breach = "out of order" }
                lastGranted[entry.group] = ticket
                underWay += 1
                if underWay > concurrency { breach = "too many at once" }
            case .refuse(let ticket, _):
                if waiting.removeValue(forKey: ticket) == nil { breach = "decided twice" }
            }
        }
    }
}
