// SPDX-License-Identifier: Apache-2.0

public import FanlightCore
import Glibc
import Synchronization

/// A folder of spool files; what an earlier run left behind is removed at the start.
///
/// A gateway that is started beside a running one, even by mistake, leaves the other's files alone.
public final class DiskSpool: Spool {
    private let folder: String
    /// The folder itself; the lock on it says that its files are in use, and ends with the process.
    private let lock: Int32
    private let next = Atomic<UInt64>(1)

    /// Opens the folder, makes it when missing, and sweeps it unless another gateway uses it.
    ///
    /// - Returns: `nil` when the folder cannot be made or written.
    public init?(folder: String) {
        self.folder = folder
        guard Folder.make(folder), Folder.isWritable(folder) else { return nil }
        // SAFETY: the string lives through the call.
        lock = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard lock >= 0 else { return nil }
        if flock(lock, LOCK_EX | LOCK_NB) == 0 { Folder.sweep(folder, prefix: "spool-") }
        while flock(lock, LOCK_SH) != 0, errno == EINTR {}
    }

    deinit { _ = close(lock) }

    /// Opens a new empty file.
    public func create() -> (any SpoolWriter)? {
        let number = next.wrappingAdd(1, ordering: .relaxed).oldValue
        return DiskSpoolWriter(path: "\(folder)/spool-\(getpid())-\(lock)-\(number)")
    }
}

/// A spool file while it is written.
final class DiskSpoolWriter: SpoolWriter {
    let path: String
    private let state: Mutex<(descriptor: Int32, count: Int)>

    var count: Int { state.withLock { $0.count } }

    init?(path: String) {
        self.path = path
        // SAFETY: the string lives through the call.
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        state = Mutex((descriptor, 0))
    }

    deinit { discard() }

    func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        // SAFETY: the caller's buffer outlives this synchronous call.
        state.withLock { state in
            var done = 0
            while done < bytes.count {
                let written = unsafe write(state.descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
                if written < 0 && errno == EINTR { continue }
                if written <= 0 { return false }
                done += written
            }
            state.count += done
            return true
        }
    }

    func finish() -> SpooledFile? {
        state.withLock { state in
            guard state.descriptor >= 0 else { return nil }
            let file = SpooledFile(path: path, descriptor: state.descriptor, size: state.count)
            state.descriptor = -1
            return file
        }
    }

    func discard() {
        state.withLock { state in
            guard state.descriptor >= 0 else { return }
            _ = close(state.descriptor)
            // SAFETY: the string lives through the call.
            _ = unsafe unlink(path)
            state.descriptor = -1
        }
    }
}
