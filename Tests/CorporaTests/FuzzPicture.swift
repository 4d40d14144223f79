// SPDX-License-Identifier: Apache-2.0

/// Brings fuzzed bytes past the checks that a fuzzer cannot guess.
enum FuzzPicture {
    /// A small JPEG with the bytes in a segment.
    static func jpeg(marker: UInt8, name: String, _ bytes: [UInt8]) -> [UInt8] {
        let payload = Array(name.utf8) + bytes.prefix(65_000)
        let length = payload.count + 2
        let frame: [UInt8] = [0xFF, 0xC0, 0, 11, 8, 0, 8, 0, 16, 1, 1, 0x11, 0]
        let scan: [UInt8] = [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0, 0x12, 0x34]
        return [0xFF, 0xD8, 0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)] + payload + frame + scan
            + [0xFF, 0xD9]
    }

    /// The PNG with right checksums, as far as its chunks can be walked.
    static func withChecksums(_ bytes: [UInt8]) -> [UInt8] {
        var result = bytes
        var offset = 8
        while offset + 12 <= result.count {
            let length = result[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
            let end = offset + 8 + length
            guard end + 4 <= result.count else { break }
            let checksum = checksum(result[(offset + 4)..<end])
            for index in 0..<4 { result[end + index] = UInt8(truncatingIfNeeded: checksum >> (24 - 8 * UInt32(index))) }
            offset = end + 4
        }
        return result
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        var value: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            value ^= UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
        }
        return value ^ 0xFFFF_FFFF
    }
}
