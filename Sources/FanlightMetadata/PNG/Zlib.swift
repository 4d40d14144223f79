// SPDX-License-Identifier: Apache-2.0

/// Writes zlib streams.
enum Zlib {
    /// A stream that holds the bytes as they are (RFC 1951, section 3.2.4).
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = [0x78, 0x01]
        var offset = 0
        repeat {
            let count = min(bytes.count - offset, 65_535)
            let isLast = offset + count == bytes.count
            let (low, high) = (UInt8(count & 0xFF), UInt8(count >> 8))
            result += [isLast ? 1 : 0, low, high, ~low, ~high]
            result += bytes[offset..<(offset + count)]
            offset += count
        } while offset < bytes.count
        let checksum = adler(bytes)
        return result + (0..<4).reversed().map { UInt8(truncatingIfNeeded: checksum >> (8 * $0)) }
    }

    /// RFC 1950, section 8.2.
    private static func adler(_ bytes: [UInt8]) -> Int {
        var low = 1
        var high = 0
        for byte in bytes {
            low = (low + Int(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return high << 16 | low
    }
}
