// SPDX-License-Identifier: Apache-2.0

/// Connections that say nothing, in the order in which they have to make room for others.
///
/// Each class is a queue by time, so that the next one is found at once, however many there are: a search through all
/// of them, for each of hundreds of connections a second that have no place, held up those that are served. What has
/// begun to speak, or is gone, stays in its queue until it comes to the front or the dead are more than the living.
struct SilenceQueue {
    /// Who goes first: those of an address that has too many, those who said nothing yet, those who were served before.
    enum Claim: Int, CaseIterable { case surplus, newcomer, known }

    /// A connection and when its silence began.
    struct Member: Equatable {
        var key: UInt
        var since: ContinuousClock.Instant
    }

    private struct Line {
        var members: [Member] = []
        /// Members before it are gone.
        var front = 0
    }

    private var lines = [Line](repeating: Line(), count: Claim.allCases.count)

    /// Members in all queues, those included that are silent no more.
    var count: Int { lines.reduce(0) { $0 + $1.members.count - $1.front } }

    /// Notes a connection whose silence begins now; times must not go back.
    mutating func add(_ member: Member, _ claim: Claim) { lines[claim.rawValue].members.append(member) }

    /// Takes out the one that has to go: the one with the least claim, of these the longest silent.
    ///
    /// - Parameters:
    ///   - limit: Only one that has been silent since then.
    ///   - isSilent: Whether a member still is what it was when it was added.
    mutating func next(silentSince limit: ContinuousClock.Instant, where isSilent: (Member) -> Bool) -> Member? {
        for claim in Claim.allCases {
            var line = lines[claim.rawValue]
            lines[claim.rawValue] = Line()
            defer { lines[claim.rawValue] = line }
            while line.front < line.members.count, !isSilent(line.members[line.front]) { line.front += 1 }
            if line.front > 64, line.front > line.members.count / 2 {
                line.members.removeFirst(line.front)
                line.front = 0
            }
            guard line.front < line.members.count, line.members[line.front].since <= limit else { continue }
            line.front += 1
            return line.members[line.front - 1]
        }
        return nil
    }

    /// Forgets those that are silent no more.
    mutating func compact(where isSilent: (Member) -> Bool) {
        for index in lines.indices {
            lines[index] = Line(members: lines[index].members[lines[index].front...].filter(isSilent))
        }
    }
}
