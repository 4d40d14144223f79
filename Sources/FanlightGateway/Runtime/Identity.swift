// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Names and times of uploads; injected, so that tests can fix them.
public struct Identity: Sendable {
    /// Milliseconds since 1970, UTC.
    public var now: @Sendable () -> Int64
    /// 64 random bits.
    public var random: @Sendable () -> UInt64

    /// The system's clock and random numbers.
    public static let system = Identity(
        now: {
            var time = timespec()
            // SAFETY: the record is a local that outlives the call.
            _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
            return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
        },
        random: { UInt64.random(in: .min ... .max) }
    )

    /// Creates an identity source.
    public init(now: @escaping @Sendable () -> Int64, random: @escaping @Sendable () -> UInt64) {
        self.now = now
        self.random = random
    }

    /// A UUID of version 7 (RFC 9562): 48 bits of time, then random bits.
    public func uploadID() -> String {
        let time = UInt64(bitPattern: now())
        let high = time << 16 | 0x7000 | random() & 0x0FFF
        let low = random() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        let digits = Array((high.hexDigits + low.hexDigits).utf8)
        let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
        return groups.map { String(decoding: digits[$0], as: UTF8.self) }.joined(separator: "-")
    }

    /// RFC 3339 with milliseconds, UTC.
    public func timestamp() -> String { Self.timestamp(now()) }

    /// RFC 3339 with milliseconds, UTC, of milliseconds since 1970.
    public static func timestamp(_ milliseconds: Int64) -> String {
        var seconds = time_t(milliseconds / 1_000)
        var parts = unsafe tm()
        // SAFETY: both records are locals that outlive the call.
        _ = unsafe gmtime_r(&seconds, &parts)
        func two(_ number: Int32) -> String { (number < 10 ? "0" : "") + String(number) }
        let fraction = String(milliseconds % 1_000)
        // SAFETY: only numbers are read; the record's pointer to a zone name is not.
        let date = unsafe "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
        let time = unsafe "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
        return "\(date)T\(time)." + String(repeating: "0", count: 3 - fraction.count) + fraction + "Z"
    }
}
