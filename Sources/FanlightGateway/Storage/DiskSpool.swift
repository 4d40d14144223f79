// SPDX-License-Identifier: Apache-2.0

public import FanlightCore
import Glibc
import Synchronization

/// A folder of spool files; what an earlier run left behind is removed at the start.
public final class DiskSpool: Spool {
    private let folder: String
    private let next = Atomic<UInt64>(1)

    /// Opens the folder, makes it when missing, and sweeps it.
    ///
    /// - Returns: `nil` when the folder cannot be made or written.
    public init?(folder: String) {
        self.folder = folder
        guard Folder.make(folder), Folder.isWritable(folder) else { return nil }
        Folder.sweep(folder, prefix: "spool-")
    }

    /// Opens a new empty file.
    public func create() -> (any SpoolWriter)? {
        let number = next.wrappingAdd(1, ordering: .relaxed).oldValue
        return DiskSpoolWriter(path: "\(folder)/spool-\(getpid())-\(number)")
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

/// Folder calls of the C library.
enum Folder {
    /// Makes a folder with its parents; true when it stands afterwards.
    static func make(_ path: String) -> Bool {
        var partial = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/") {
            partial += "/" + part
            // SAFETY: the string lives through the call.
            if unsafe mkdir(partial, 0o700) != 0 && errno != EEXIST { return false }
        }
        return true
    }

    /// True when files can be made there.
    static func isWritable(_ path: String) -> Bool {
        // SAFETY: the string lives through the call.
        unsafe access(path, W_OK | X_OK) == 0
    }

    /// Removes the files whose names start so.
    static func sweep(_ path: String, prefix: String) {
        for name in names(path) where name.hasPrefix(prefix) {
            // SAFETY: the string lives through the call.
            _ = unsafe unlink("\(path)/\(name)")
        }
    }

    private static func names(_ path: String) -> [String] {
        // SAFETY: the directory stream is closed before leaving; an entry is copied before the next is read.
        guard let stream = unsafe opendir(path) else { return [] }
        defer { _ = unsafe closedir(stream) }
        var found: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: entry.pointee.d_name) { tuple in
                unsafe tuple.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            found.append(name)
        }
        return found
    }
}
