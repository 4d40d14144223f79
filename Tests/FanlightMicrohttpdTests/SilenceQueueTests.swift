// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FanlightMicrohttpd

@Suite("Who makes room")
struct SilenceQueueTests {
    private let start = ContinuousClock.now

    private func member(_ key: UInt, _ seconds: Int) -> SilenceQueue.Member {
        SilenceQueue.Member(key: key, since: start + .seconds(seconds))
    }

    @Test("The least claim goes first, of equal ones the longest silent; the young stay")
    func order() {
        var queue = SilenceQueue()
        queue.add(member(1, 0), .known)
        queue.add(member(2, 1), .newcomer)
        queue.add(member(3, 2), .newcomer)
        queue.add(member(4, 3), .surplus)
        func next(_ seconds: Int) -> UInt? { queue.next(silentSince: start + .seconds(seconds)) { _ in true }?.key }
        #expect(next(-1) == nil)
        #expect(next(2) == 2)
        #expect(next(9) == 4)
        #expect(next(9) == 3)
        #expect(next(9) == 1)
        #expect(next(9) == nil)
        #expect(queue.count == 0)
    }

    @Test("One that spoke is passed over, also where it is silent again later")
    func passedOver() {
        var queue = SilenceQueue()
        queue.add(member(1, 0), .newcomer)
        queue.add(member(2, 1), .newcomer)
        queue.add(member(1, 2), .known)
        let silent = [member(2, 1), member(1, 2)]
        func next() -> SilenceQueue.Member? { queue.next(silentSince: start + .seconds(9)) { silent.contains($0) } }
        #expect(next() == member(2, 1))
        #expect(next() == member(1, 2))
        #expect(next() == nil)
    }

    @Test("It does what a search through all would do, and does not grow with those that are gone")
    func asASearch() {
        var queue = SilenceQueue()
        var alive: [UInt: (member: SilenceQueue.Member, claim: SilenceQueue.Claim)] = [:]
        var random = SystemRandomNumberGenerator()
        for step in 0..<5_000 {
            let key = UInt.random(in: 0..<300, using: &random)
            if Bool.random(using: &random) {
                let claim = SilenceQueue.Claim.allCases[Int.random(in: 0..<3, using: &random)]
                alive[key] = (member(key, step), claim)
                queue.add(member(key, step), claim)
            } else {
                alive[key] = nil
            }
            if step % 3 == 0 {
                let limit = start + .seconds(step - 50)
                let wanted = alive.values.filter { $0.member.since <= limit }
                    .min { ($0.claim.rawValue, $0.member.since) < ($1.claim.rawValue, $1.member.since) }
                let found = queue.next(silentSince: limit) { alive[$0.key]?.member == $0 }
                #expect(found == wanted?.member)
                if let found { alive[found.key] = nil }
            }
            if queue.count > 2 * alive.count + 64 { queue.compact { alive[$0.key]?.member == $0 } }
            #expect(queue.count <= 2 * alive.count + 64)
        }
    }
}
