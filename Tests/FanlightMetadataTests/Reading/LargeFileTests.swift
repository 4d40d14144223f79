// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Glibc
import Testing

@testable import FanlightMetadata

/// How much of a large file is looked at.
@Suite("Large files")
struct LargeFileTests {
    private static let size = 256 << 20

    /// Bytes of the file that the system had to bring into memory (C: mincore).
    private static func touched(_ descriptor: Int32) -> Int {
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        guard let address = unsafe mmap(nil, size, PROT_READ, MAP_SHARED, descriptor, 0) else { return size }
        defer { unsafe munmap(address, size) }
        var states = [UInt8](repeating: 0, count: size / page)
        // SAFETY: one byte for each page of the mapping.
        guard unsafe mincore(address, size, &states) == 0 else { return size }
        return states.count { $0 & 1 == 1 } * page
    }

    @Test("A large file that is no picture is refused by its first bytes", arguments: ["", "<html", "%PDF", "PK"])
    func refusedByFirstBytes(start: String) throws {
        // On a real disk: the pages of a file in memory are always there.
        let name = "/var/tmp/fanlight-large-\(getpid())-\(start.utf8.count)"
        let descriptor = unsafe open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        defer {
            unsafe unlink(name)
            close(descriptor)
        }
        try #require(ftruncate(descriptor, Self.size) == 0)
        let head = Array(start.utf8)
        try #require(unsafe pwrite(descriptor, head, head.count, 0) == head.count)
        let bytes = try #require(PictureBytes(mapping: descriptor, size: Self.size))
        #expect(throws: ImageError.self) { try ImageReader.read(bytes, limits: ImageLimits()) }
        // The system reads some megabytes ahead.
        #expect(Self.touched(descriptor) < 64 << 20)
    }

    @Test("The checksum is that of ISO 3309, of bytes in an array and of a part of them")
    func checksum() {
        // The check value that catalogues of checksums give for the digits 1 to 9.
        let digits = Array("123456789".utf8)
        #expect(CRC32.checksum(digits[...]) == 0xCBF4_3926)
        #expect(CRC32.checksum([]) == 0)
        let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 7) }
        let window = ByteWindow(bytes)
        for (start, count) in [(0, 0), (0, 1), (1, 7), (3, 8), (5, 9), (2, 64), (7, 993)] {
            #expect(
                window.window(at: start, count: count).map(CRC32.checksum) == Self.byBits(bytes[start..<start + count])
            )
        }
    }

    /// The definition: a division by the polynomial, bit by bit.
    private static func byBits(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        var value: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            value ^= UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
        }
        return value ^ 0xFFFF_FFFF
    }
}
