// SPDX-License-Identifier: Apache-2.0

/// The checksum of PNG chunks (ISO 3309, PNG annex D).
struct CRC32 {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
    }

    /// Bytes of a file that are copied into memory at a time.
    private static let piece = 65_536

    static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 { updated(0xFFFF_FFFF, bytes) ^ 0xFFFF_FFFF }

    /// The checksum of a window of any size, in a small piece of memory.
    static func checksum(_ window: ByteWindow) -> UInt32 {
        var value: UInt32 = 0xFFFF_FFFF
        var rest = window
        while rest.count > 0 {
            let part = rest.head(piece)
            value = updated(value, part)
            guard let next = rest.window(from: part.count) else { break }
            rest = next
        }
        return value ^ 0xFFFF_FFFF
    }

    private static func updated(_ value: UInt32, _ bytes: ArraySlice<UInt8>) -> UInt32 {
        let table = table
        var value = value
        for byte in bytes {
            value = table[Int((value ^ UInt32(byte)) & 0xFF)] ^ value >> 8
        }
        return value
    }
}
