// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightTestSupport
import Glibc
import Synchronization

/// A spool in a folder of its own, removed with its last user.
final class FolderSpool: Spool {
    private let place = TemporaryFolder("imaging")
    private let made = Mutex(0)

    var folder: String { place.path }

    struct Refused: Error {}

    func create() -> (any SpoolWriter)? {
        let number = made.withLock { count in
            count += 1
            return count
        }
        return FolderSpoolWriter(path: "\(folder)/\(number)")
    }

    // No journal stands behind these tests.
    func reopen(_ name: String, size: Int) -> SpooledFile? { nil }
    func remove(_ name: String) {}
    func sweep(keeping names: Set<String>) {}
    func synchronize() -> Bool { true }

    /// A file with these bytes.
    func file(_ bytes: [UInt8]) throws -> SpooledFile {
        guard let writer = create(), unsafe bytes.withUnsafeBytes({ unsafe writer.append($0) }),
            let file = writer.finish()
        else { throw Refused() }
        return file
    }
}

private final class FolderSpoolWriter: SpoolWriter {
    let path: String
    private let descriptor: Int32
    private let size = Mutex(0)

    init?(path: String) {
        self.path = path
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor < 0 { return nil }
    }

    var count: Int { size.withLock { $0 } }

    func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        // SAFETY: pointer and count are of the same buffer, which the caller keeps alive.
        guard unsafe write(descriptor, bytes.baseAddress, bytes.count) == bytes.count else { return false }
        size.withLock { $0 += bytes.count }
        return true
    }

    func finish() -> SpooledFile? { SpooledFile(path: path, descriptor: descriptor, size: count) }

    func discard() {
        _ = close(descriptor)
        _ = unsafe unlink(path)
    }
}
