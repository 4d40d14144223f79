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

    @Test("The checksum of a window is that of its bytes", arguments: [0, 1, 65_535, 65_536, 65_537, 200_000])
    func checksum(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 7) }
        #expect(CRC32.checksum(ByteWindow(bytes)) == CRC32.checksum(bytes[...]))
    }
}
