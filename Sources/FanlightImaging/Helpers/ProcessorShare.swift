// SPDX-License-Identifier: Apache-2.0

import Glibc

/// How many processors this process may use at the same time.
///
/// A container or a systemd unit on a large machine often has a part of it only (Linux: cgroups of both versions,
/// and the set of allowed processors); one helper for each processor of the machine would then take memory for nothing.
public struct ProcessorShare: Sendable {
    /// Reads a file of the system; `nil` when it cannot be read.
    private let read: @Sendable (_ path: String) -> String?

    /// - Parameter read: Reads a file of the system, by its absolute path; `nil` when it cannot be read.
    public init(read: @escaping @Sendable (_ path: String) -> String? = Self.text) { self.read = read }

    /// The number, 1 at least; quotas are rounded up.
    public var count: Int {
        let online = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        let bounds = [allowed].compactMap { $0 } + quotas
        return bounds.reduce(online) { min($0, $1) }
    }

    /// Processors that the process may run on; `nil` when that is not told.
    private var allowed: Int? {
        lines("/proc/self/status").first { $0.hasPrefix("Cpus_allowed_list:") }
            .flatMap { Self.members(in: $0.dropFirst("Cpus_allowed_list:".count)) }
    }

    /// The quotas of the process's group and of all above it, each of which binds.
    ///
    /// Version 2 of cgroups has one tree and both numbers in a line; version 1 a tree for processors, and a file for each.
    private var quotas: [Int] {
        let groups = lines("/proc/self/cgroup").map { $0.split(separator: ":", maxSplits: 2) }
        return groups.flatMap { words -> [Int] in
            if words.count == 2, words[0] == "0" {
                return folders("/sys/fs/cgroup", words[1]).compactMap { first($0 + "/cpu.max").flatMap(Self.quota) }
            }
            guard words.count == 3, words[1].split(separator: ",").contains("cpu") else { return [] }
            return folders("/sys/fs/cgroup/cpu", words[2]).compactMap { folder in
                guard let time = first(folder + "/cpu.cfs_quota_us"), let period = first(folder + "/cpu.cfs_period_us")
                else { return nil }
                return Self.quota("\(time) \(period)")
            }
        }
    }

    /// The folders from the root of a tree down to a group; those that cannot be seen from inside hold no files.
    private func folders(_ root: String, _ path: Substring) -> [String] {
        var folders = [root]
        for step in path.split(separator: "/") where step != ".." {
            folders.append(folders[folders.count - 1] + "/" + step)
        }
        return folders
    }

    private func first(_ path: String) -> String? { lines(path).first.map(String.init) }

    /// The processors of a quota such as `150000 100000`, rounded up; `nil` where there is none (`max 100000`).
    static func quota(_ line: String) -> Int? {
        let words = line.split(separator: " ").map { Int(String($0)) }
        guard words.count == 2, let time = words[0], let period = words[1], time > 0, period > 0 else { return nil }
        return max(1, (time - 1) / period + 1)
    }

    /// The members of a list such as `0-3,8`; `nil` when it is none.
    static func members(in list: some StringProtocol) -> Int? {
        var count = 0
        for range in list.split(separator: ",") {
            let ends = range.split(separator: "-").map { Int(String($0.filter { !$0.isWhitespace })) }
            guard let first = ends.first ?? nil, let last = ends.last ?? nil, ends.count <= 2, first >= 0, last >= first
            else { return nil }
            count += last - first + 1
        }
        return count > 0 ? count : nil
    }

    private func lines(_ path: String) -> [Substring] { read(path)?.split(separator: "\n") ?? [] }

    /// The beginning of a file, 16 KB at most.
    public static func text(_ path: String) -> String? {
        // SAFETY: the string lives through the call.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { _ = close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 16_384)
        // SAFETY: the buffer lives through the call and its count bounds it.
        let got = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
        return String(decoding: buffer.prefix(max(0, got)), as: UTF8.self)
    }
}
