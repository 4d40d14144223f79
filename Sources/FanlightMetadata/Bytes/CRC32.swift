// SPDX-License-Identifier: Apache-2.0

/// The checksum of PNG chunks (ISO 3309, PNG annex D).
///
/// Eight bytes at a time, each with a table of its own that looks as far ahead as the byte stands before the end
/// (Kounavis and Berry, 2005): the bytes' look-ups do not wait for each other, which makes it ten times as fast as one by one.
struct CRC32 {
    /// Eight tables of 256 values, one behind the other; the first is that of a single byte.
    private static let tables: [UInt32] = {
        var tables = (0..<256).map { byte in remainder(of: UInt32(byte)) }
        for place in 256..<2_048 {
            let before = tables[place - 256]
            tables.append(tables[Int(before & 0xFF)] ^ (before >> 8))
        }
        return tables
    }()

    /// What is left of a byte when it was divided by the polynomial.
    private static func remainder(of byte: UInt32) -> UInt32 {
        (0..<8).reduce(byte) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
    }

    static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        // SAFETY: the buffer is not kept.
        unsafe bytes.withUnsafeBytes { unsafe checksum($0) }
    }

    /// The checksum of a window, read where it stands.
    static func checksum(_ window: ByteWindow) -> UInt32 {
        // SAFETY: the buffer is not kept.
        unsafe window.withBytes { unsafe checksum($0) }
    }

    private static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        // SAFETY: an index into the tables is a byte and the number of a table; every load lies before `count`.
        unsafe tables.withUnsafeBufferPointer { tables in
            var value: UInt32 = 0xFFFF_FFFF
            var place = 0
            while place + 8 <= bytes.count {
                let word = unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
                let mixed = word ^ UInt64(value)
                value = 0
                for byte in 0..<8 {
                    value ^= unsafe tables[(7 - byte) << 8 | Int(truncatingIfNeeded: mixed >> (byte << 3)) & 0xFF]
                }
                place += 8
            }
            while place < bytes.count {
                value = unsafe tables[Int((value ^ UInt32(bytes[place])) & 0xFF)] ^ (value >> 8)
                place += 1
            }
            return value ^ 0xFFFF_FFFF
        }
    }
}
