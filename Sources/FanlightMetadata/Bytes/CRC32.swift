// SPDX-License-Identifier: Apache-2.0

/// The checksum of PNG chunks (ISO 3309, PNG annex D).
struct CRC32 {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
    }

    static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        let table = table
        var value: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            value = table[Int((value ^ UInt32(byte)) & 0xFF)] ^ value >> 8
        }
        return value ^ 0xFFFF_FFFF
    }
}
