// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Glibc

/// The folder of the gateway's state, held by one gateway at a time.
///
/// The lock is the kernel's (C: flock) and ends with the process, however it ends.
final class StateFolder: Sendable {
    let path: String
    private let lock: Int32

    /// Makes the folder when it is missing and locks it.
    ///
    /// - Throws: ``JournalError/inUse(path:)`` when another gateway has it; ``JournalError/readOnly(path:)`` when it
    ///   cannot be made or written.
    init(path: String) throws(JournalError) {
        self.path = path
        guard Self.make(path) else { throw .readOnly(path: path) }
        // SAFETY: the string lives through the call.
        lock = unsafe open(path + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw Self.error(path) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            _ = close(lock)
            throw code == EWOULDBLOCK ? .inUse(path: path) : Self.error(path, code)
        }
    }

    deinit { _ = close(lock) }

    /// Lets another gateway have the folder.
    func unlock() { _ = flock(lock, LOCK_UN) }

    /// Waits until the names in the folder are on the disk; blocks.
    func synchronize() { _ = Self.synchronize(path) }

    /// Makes an empty file that its owner alone may read; one that stands there gets these rights.
    static func makeFile(_ path: String) throws(JournalError) {
        // SAFETY: the string lives through the calls.
        let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw error(path) }
        // Before the database is opened: closing a descriptor of it later would drop the locks of this process.
        _ = fchmod(file, 0o600)
        _ = close(file)
    }

    /// Waits until the names in a folder are on the disk; false when it fails.
    static func synchronize(_ path: String) -> Bool {
        // SAFETY: the string lives through the call.
        let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return false }
        defer { _ = close(folder) }
        return fsync(folder) == 0
    }

    private static func make(_ path: String) -> Bool {
        var partial = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/") {
            partial += "/" + part
            // SAFETY: the string lives through the call.
            if unsafe mkdir(partial, 0o700) != 0 && errno != EEXIST { return false }
        }
        return true
    }

    private static func error(_ path: String, _ code: Int32 = errno) -> JournalError {
        switch code {
        case EACCES, EPERM, EROFS, ENOENT, ENOTDIR: .readOnly(path: path)
        case ENOSPC, EDQUOT: .full
        case EIO: .disk(code: code)
        default: .failed(code: code, reason: "the state folder \(path) cannot be opened")
        }
    }
}

extension StateFolder {
    /// The key that was made for this folder; made at the first time, readable by the owner only.
    ///
    /// It is written under another name first, so that a kill leaves a whole key or none.
    func generatedKey() throws(JournalError) -> [UInt8] {
        let name = path + "/state.key"
        if let known = Self.read(name), known.count >= 32 { return known }
        var random = SystemRandomNumberGenerator()
        let digits = Array("0123456789abcdef".utf8)
        let key = (0..<64).map { _ in digits[Int.random(in: 0..<16, using: &random)] }
        let temporary = name + ".new"
        // SAFETY: the strings and the array live through their calls.
        let file = unsafe open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Self.error(path) }
        let isWritten = unsafe write(file, key, key.count) == key.count && fsync(file) == 0
        _ = close(file)
        guard isWritten, unsafe rename(temporary, name) == 0 else { throw Self.error(path) }
        synchronize()
        return key
    }

    private static func read(_ name: String) -> [UInt8]? {
        // SAFETY: the string lives through the call.
        let file = unsafe open(name, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { _ = close(file) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        // SAFETY: the array has room for what is asked for.
        let count = unsafe Glibc.read(file, &bytes, bytes.count)
        return count > 0 ? Array(bytes.prefix(count)) : nil
    }
}
