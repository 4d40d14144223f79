// SPDX-License-Identifier: Apache-2.0

/// How a journal keeps what it is given.
public struct JournalSettings: Sendable, Equatable {
    /// What an acknowledged upload survives.
    public enum Durability: String, Sendable, CaseIterable {
        /// A power cut: picture and record are on the disk before the client is answered.
        case full
        /// A kill of the gateway, not a power cut: the system writes when it likes.
        case relaxed
    }

    /// What an acknowledged upload survives.
    public var durability: Durability
    /// Finished uploads stay so long in the history.
    public var keepFor: Duration
    /// Bytes of the journal's own file; beyond it the oldest finished uploads leave.
    public var keepBytes: Int
    /// Pictures of failed deliveries stay so long for a retry.
    public var picturesFor: Duration
    /// Bytes of all such pictures; beyond it the oldest go.
    public var picturesBytes: Int
    /// Longest wait for another process that holds the file.
    public var busyWait: Duration

    /// Creates settings; what is not given has its default.
    public init(
        durability: Durability = .full,
        keepFor: Duration = .seconds(30 * 86_400),
        keepBytes: Int = 500_000_000,
        picturesFor: Duration = .seconds(86_400),
        picturesBytes: Int = 1_000_000_000,
        busyWait: Duration = .seconds(2)
    ) {
        self.durability = durability
        self.keepFor = keepFor
        self.keepBytes = keepBytes
        self.picturesFor = picturesFor
        self.picturesBytes = picturesBytes
        self.busyWait = busyWait
    }
}

/// Times that are part of the interface.
enum JournalTimes {
    /// An idempotency key stands for 24 hours, in milliseconds.
    static let keyLifetime: Int64 = 24 * 3_600_000

    static func milliseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }
}
