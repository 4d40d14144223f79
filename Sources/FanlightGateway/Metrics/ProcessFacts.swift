// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What the kernel says of this process and of a disk.
enum ProcessFacts {
    /// Resident memory in bytes.
    static func residentMemory() -> Int? {
        let fields = text("/proc/self/statm").split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }

    /// User and system time in seconds.
    static func processorSeconds() -> Double {
        var usage = rusage()
        // SAFETY: one structure, alive during the call.
        guard unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return 0 }
        let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        return Double(seconds) + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1_000_000
    }

    /// Open file descriptors.
    static func openDescriptors() -> Int? {
        // SAFETY: the stream is used between opendir and closedir only.
        guard let folder = unsafe opendir("/proc/self/fd") else { return nil }
        defer { unsafe closedir(folder) }
        var count = 0
        while unsafe readdir(folder) != nil { count += 1 }
        // The two dots, and the folder itself.
        return max(0, count - 3)
    }

    /// Most descriptors that may be open.
    static func maxDescriptors() -> Int? {
        var limit = rlimit()
        // SAFETY: one structure, alive during the call.
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        return Int(clamping: limit.rlim_cur)
    }

    /// Bytes that an ordinary user may still write on the disk of a folder.
    static func freeBytes(_ folder: String) -> Int? {
        var facts = statvfs()
        // SAFETY: the string and the structure live through the call.
        guard unsafe statvfs(folder, &facts) == 0 else { return nil }
        return Int(clamping: UInt64(facts.f_bavail) * UInt64(facts.f_frsize))
    }

    private static func text(_ path: String) -> String {
        // SAFETY: the string and the buffer live through each call.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { _ = close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 1_024)
        let got = unsafe read(descriptor, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(0, got)), as: UTF8.self)
    }
}
