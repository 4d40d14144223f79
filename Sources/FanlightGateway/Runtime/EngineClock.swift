// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

/// The time that deliveries, queues and deadlines go by; injected, so that tests can move it by hand.
public struct EngineClock: Sendable {
    /// The time now; never goes back while the gateway runs.
    public var now: @Sendable () -> Timestamp
    /// Waits until that time, or until the task is cancelled.
    public var sleep: @Sendable (Timestamp) async -> Void

    /// Creates a clock.
    public init(now: @escaping @Sendable () -> Timestamp, sleep: @escaping @Sendable (Timestamp) async -> Void) {
        self.now = now
        self.sleep = sleep
    }

    /// The time of day at the start, then what has passed since: a clock that is set back moves no deadline.
    public static func system(startingAt milliseconds: Int64 = Identity.system.now()) -> EngineClock {
        let start = ContinuousClock.now
        let now: @Sendable () -> Timestamp = {
            let passed = (ContinuousClock.now - start).components
            let part = passed.attoseconds / 1_000_000_000_000_000
            return Timestamp(milliseconds: milliseconds + passed.seconds * 1_000 + part)
        }
        let queue = SleepQueue(now: now)
        return EngineClock(now: now) { until in await queue.sleep(until: until) }
    }
}
