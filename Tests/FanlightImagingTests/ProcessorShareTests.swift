// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import FanlightImaging

@Suite("Share of the processors")
struct ProcessorShareTests {
    @Test(arguments: [
        ("max 100000", nil), ("100000 100000", 1), ("150000 100000", 2), ("200000 100000", 2), ("1000 100000", 1),
        ("400000 50000", 8), ("", nil), ("100000", nil), ("0 100000", nil), ("100000 0", nil), ("-1 100000", nil),
        ("9223372036854775807 1", Int.max), ("100000 100000 100000", nil),
    ])
    func quotaIsRoundedUp(line: String, count: Int?) {
        #expect(ProcessorShare.quota(line) == count)
    }

    @Test(arguments: [
        ("0-3", 4), ("\t0-3,8", 5), ("7", 1), ("0,2,4", 3), ("", nil), ("3-1", nil), ("0-1-2", nil), ("a-b", nil),
    ])
    func membersAreCounted(list: String, count: Int?) {
        #expect(ProcessorShare.members(in: list) == count)
    }

    /// On a machine whose files tell this.
    private func count(group: String, allowed: String? = nil, quotas: [String: String]) -> Int {
        var files = ["/proc/self/cgroup": "0::\(group)\n"]
        files["/proc/self/status"] = allowed.map { "Name:\tx\nCpus_allowed_list:\t\($0)\n" }
        for (path, text) in quotas { files["/sys/fs/cgroup\(path)/cpu.max"] = text + "\n" }
        return ProcessorShare { [files] in files[$0] }.count
    }

    private let online = sysconf(Int32(_SC_NPROCESSORS_ONLN))

    @Test("The tightest quota on the way down binds")
    func quotasBind() {
        #expect(count(group: "/", quotas: ["": "100000 100000"]) == 1)
        #expect(count(group: "/a/b", quotas: ["/a": "50000 100000", "/a/b": "max 100000"]) == 1)
        #expect(count(group: "/a/b", quotas: ["/a": "max 100000", "/a/b": "100000 100000"]) == 1)
        #expect(count(group: "/a", quotas: ["/other": "100000 100000"]) == online)
    }

    @Test("Also those of the first version of groups bind")
    func olderQuotasBind() {
        func count(_ folder: String, _ quota: String) -> Int {
            let files = [
                "/proc/self/cgroup": "3:cpuset:/\n2:cpu,cpuacct:/a/b\n1:name=systemd:/a\n0::/\n",
                "/sys/fs/cgroup/\(folder)/cpu.cfs_quota_us": quota + "\n",
                "/sys/fs/cgroup/\(folder)/cpu.cfs_period_us": "100000\n",
            ]
            return ProcessorShare { files[$0] }.count
        }
        for folder in ["cpu", "cpu/a", "cpu/a/b"] {
            #expect(count(folder, "100000") == 1)
            #expect(count(folder, "-1") == online)
        }
        #expect(count("cpuset/a", "100000") == online)
    }

    @Test("A process that is held to one processor has one")
    func allowedSetBinds() {
        #expect(count(group: "/", allowed: "0", quotas: [:]) == 1)
    }

    @Test("This process has one at least")
    func systemIsRead() {
        #expect(ProcessorShare.text("/proc/self/status")?.contains("Cpus_allowed_list:") == true)
        #expect(ProcessorShare.text("/proc/self/nothing") == nil)
        #expect((1...online).contains(ProcessorShare().count))
    }

    @Test("Without bounds it is all of the machine's")
    func machineIsTheBound() {
        #expect(count(group: "/", allowed: "0-4095", quotas: ["": "99900000 100000"]) == online)
        #expect(ProcessorShare { _ in nil }.count == online)
    }
}
