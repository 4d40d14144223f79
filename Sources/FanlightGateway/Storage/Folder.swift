// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Folder calls of the C library.
public enum Folder {
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

    /// True for a folder whose files can be listed and opened.
    public static func isReadable(_ path: String) -> Bool {
        // SAFETY: the string lives through the call.
        guard unsafe access(path, R_OK | X_OK) == 0, let stream = unsafe opendir(path) else { return false }
        // SAFETY: opened above, closed once.
        _ = unsafe closedir(stream)
        return true
    }

    /// Removes a file; nothing happens when it is not there.
    static func remove(_ path: String) {
        // SAFETY: the string lives through the call.
        _ = unsafe unlink(path)
    }

    /// Names in a folder, in no order; empty when it cannot be read.
    public static func names(_ path: String) -> [String] {
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
