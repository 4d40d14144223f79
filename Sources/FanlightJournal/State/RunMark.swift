// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Glibc

/// What a run leaves in the journal about itself, so that the next one knows whether the pictures can be trusted.
///
/// With relaxed durability the system writes when it likes. A power cut may then bring back an older journal beside
/// newer files, and a name in it may stand for the picture of somebody else. Nothing but the machine's own start tells
/// a power cut from a kill.
struct RunMark: Sendable, Equatable {
    /// The machine's start, as the kernel names it; empty = not known.
    var boot: String
    /// True while what was written may not be on the disk.
    var isRelaxed: Bool

    private static let name = "run"

    /// Name of the machine's present start.
    static var currentBoot: String {
        // SAFETY: the string lives through the call.
        let file = unsafe open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { _ = close(file) }
        var bytes = [UInt8](repeating: 0, count: 64)
        // SAFETY: the array has room for what is asked for.
        let count = unsafe read(file, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)).filter { $0 > 32 }, as: UTF8.self)
    }

    /// Marks the beginning of a run; pictures of a run that a power cut ended are given up.
    ///
    /// So is the certainty about what was pending: the notes that it was sent may be lost, too.
    func begin(_ writer: JournalWriter) throws(JournalError) {
        let last = try Self.last(writer)
        let isCut = last.map { $0.isRelaxed && $0.boot != boot } ?? false
        try write(writer, forgetsPictures: isCut)
        if isRelaxed { try writer.connection.execute("PRAGMA synchronous = NORMAL") }
    }

    /// Marks the orderly end of a run: all is on the disk (C: sync).
    static func end(_ writer: JournalWriter) {
        sync()
        try? RunMark(boot: "", isRelaxed: false).write(writer, forgetsPictures: false)
    }

    /// Written with full durability, whatever follows.
    private func write(_ writer: JournalWriter, forgetsPictures: Bool) throws(JournalError) {
        try writer.connection.execute("PRAGMA synchronous = FULL")
        try writer.begin()
        if forgetsPictures {
            try writer.connection.run("DELETE FROM pictures")
            try writer.connection.run("UPDATE deliveries SET in_doubt = 1 WHERE status = 'pending'")
        }
        try writer.keep(value, Self.name)
        try writer.commit()
    }

    private var value: JSONValue { .object([.init("boot", .string(boot)), .init("relaxed", .bool(isRelaxed))]) }

    private static func last(_ writer: JournalWriter) throws(JournalError) -> RunMark? {
        var found: RunMark?
        try writer.connection.query("SELECT value FROM kept WHERE name = ?1", [.text(name)]) {
            row throws(JournalError) in
            guard let value = try writer.columns.opened(row.bytes(0), "kept", name, 0) else { return }
            found = RunMark(boot: value["boot"]?.string ?? "", isRelaxed: value["relaxed"]?.bool ?? true)
        }
        return found
    }
}
