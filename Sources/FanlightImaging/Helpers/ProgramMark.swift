// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Tells a program's file from another one that lies in its place later.
struct ProgramMark: Sendable, Equatable {
    private var device: UInt64
    private var inode: UInt64
    private var size: Int64
    private var seconds: Int
    private var nanoseconds: Int

    /// The mark of a file that may be run; `nil` = there is none.
    init?(_ path: String) {
        var facts = stat()
        // SAFETY: the string and the structure live through each call.
        guard unsafe access(path, X_OK) == 0, unsafe stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        device = UInt64(facts.st_dev)
        inode = UInt64(facts.st_ino)
        size = Int64(facts.st_size)
        seconds = facts.st_ctim.tv_sec
        nanoseconds = facts.st_ctim.tv_nsec
    }
}
