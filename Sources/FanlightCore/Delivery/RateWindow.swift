// SPDX-License-Identifier: Apache-2.0

/// At most so many attempts in any period of that length.
///
/// A token bucket would let twice the count through in its first period; this counts what began within the last period,
/// in slots of a sixtieth of it. It may be late by one slot and is never early. Pure: time is passed in.
public struct RateWindow: Sendable, Equatable {
    /// What began in one slot.
    public struct Slot: Sendable, Equatable {
        /// Slots since 1970.
        public var number: Int64
        /// Attempts.
        public var count: Int

        /// Creates a slot.
        public init(number: Int64, count: Int) {
            self.number = number
            self.count = count
        }
    }

    /// What a window has counted: the state that is to survive a restart, or a change of the limit.
    public struct Counts: Sendable, Equatable {
        /// Milliseconds of a slot, at least 1.
        public var slotLength: Int64
        /// What counts still, oldest first.
        public var slots: [Slot]

        /// Creates counts.
        public init(slotLength: Int64, slots: [Slot]) {
            self.slotLength = max(1, slotLength)
            self.slots = slots
        }

        /// The last millisecond in which an attempt of that slot can have begun; `nil` where it is no time.
        fileprivate func end(of slot: Slot) -> Int64? {
            let (next, overflow) = slot.number.addingReportingOverflow(1)
            let (end, isTooLate) = next.multipliedReportingOverflow(by: slotLength)
            return overflow || isTooLate || slot.number < 0 ? nil : end - 1
        }
    }

    private static let slotsInPeriod: Int64 = 60
    /// Attempts in a period.
    public let limit: Int
    private let slotLength: Int64
    private var slots: [Slot]

    /// Creates a window.
    ///
    /// - Parameter limit: Attempts in a period, at least 1.
    /// - Parameter period: At least 60 milliseconds; shorter ones count as that.
    public init(limit: Int, period: Duration) {
        self.limit = max(1, limit)
        slotLength = max(1, period.roundedUpMilliseconds / Self.slotsInPeriod)
        slots = []
    }

    /// Attempts that may begin now.
    public mutating func left(at now: Timestamp) -> Int {
        forget(before: now)
        return max(0, limit - slots.reduce(0) { $0 + $1.count })
    }

    /// When the next attempt may begin; now, or later when none is left.
    public mutating func next(at now: Timestamp) -> Timestamp {
        guard left(at: now) == 0, let oldest = slots.first else { return now }
        return Timestamp(milliseconds: (oldest.number + Self.slotsInPeriod + 1) * slotLength)
    }

    /// Counts an attempt that begins now.
    public mutating func take(at now: Timestamp) {
        let number = now.milliseconds / slotLength
        if let last = slots.last, last.number >= number {
            slots[slots.count - 1].count += 1
        } else {
            slots.append(Slot(number: number, count: 1))
        }
    }

    /// What counts.
    public var counts: Counts { Counts(slotLength: slotLength, slots: slots) }

    /// Adds what an earlier run of the gateway began, or another window counted.
    ///
    /// What cannot be told exactly counts for longer rather than shorter: attempts of a longer slot as if they had begun
    /// at its end, and those that a clock which was set back since left in the future as if they began now.
    public mutating func restore(_ earlier: Counts, at now: Timestamp) {
        let current = now.milliseconds / slotLength
        var counts: [Int64: Int] = [:]
        for slot in slots { counts[slot.number, default: 0] += slot.count }
        for slot in earlier.slots where slot.count > 0 {
            guard let end = earlier.end(of: slot) else { continue }
            counts[min(end / slotLength, current), default: 0] += min(slot.count, limit)
        }
        slots = counts.map { Slot(number: $0.key, count: $0.value) }.sorted { $0.number < $1.number }
    }

    /// The same count under this limit, with what another window counted.
    public func continuing(_ other: RateWindow, at now: Timestamp) -> RateWindow {
        var window = self
        window.slots = []
        window.restore(other.counts, at: now)
        return window
    }

    private mutating func forget(before now: Timestamp) {
        let number = now.milliseconds / slotLength
        slots.removeAll { $0.number < number - Self.slotsInPeriod }
    }
}
