// SPDX-License-Identifier: Apache-2.0

import Glibc

/// How many files and connections the process may hold open.
enum DescriptorLimit {
    /// Raises the soft limit to the hard one (C: setrlimit): shells and service managers set the soft one low for old programs.
    static func raise() {
        var limit = rlimit()
        // SAFETY: one structure, alive during both calls.
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        guard limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
