// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// The files that a configuration was read from, as they stood when they were read.
final class FileWatch: Sendable {
    /// What tells a file from the one that was there before.
    private struct Mark: Sendable, Equatable {
        var device: UInt64
        var inode: UInt64
        var size: Int64
        var seconds: Int
        var nanoseconds: Int

        /// The mark of a file or folder; `nil` = there is none.
        init?(_ path: String) {
            var facts = stat()
            // SAFETY: the string and the structure live through the call.
            guard unsafe stat(path, &facts) == 0 else { return nil }
            device = UInt64(facts.st_dev)
            inode = UInt64(facts.st_ino)
            size = Int64(facts.st_size)
            // When anything about it last changed: the time of its bytes can be set back.
            seconds = facts.st_ctim.tv_sec
            nanoseconds = facts.st_ctim.tv_nsec
        }
    }

    private let marks = Mutex<[String: Mark?]>([:])

    /// Notes a file or folder that is about to be read, whether it is there or not; only the first time counts.
    func note(_ path: String) {
        let mark = Mark(path)
        marks.withLock { if $0[path] == nil { $0[path] = .some(mark) } }
    }

    /// Also watches what another watch knows: a configuration that is broken may name fewer files than one that is right.
    func add(_ other: FileWatch) {
        for path in other.marks.withLock({ Array($0.keys) }) { note(path) }
    }

    /// True when a file is another now than when it was read.
    var hasChanged: Bool {
        marks.withLock { $0 }.contains { path, mark in Mark(path) != mark }
    }

    /// True when two looks, a moment apart, find every file the same: nobody is writing one just now.
    func isQuiet() -> Bool {
        let paths = marks.withLock { Array($0.keys) }
        let before = paths.map { Mark($0) }
        usleep(Self.moment)
        return before == paths.map { Mark($0) }
    }

    /// Microseconds between the looks; the thread that waits takes the signals, too.
    private static let moment: UInt32 = 200_000
}
