// SPDX-License-Identifier: Apache-2.0

import FanlightMicrohttpd
import Glibc

/// How many files and connections the process may hold open.
enum DescriptorLimit {
    /// Raises the soft limit to the hard one (C: setrlimit): shells and service managers set the soft one low for old programs.
    ///
    /// - Returns: What may be open now; `nil` when the system does not say.
    @discardableResult
    static func raise() -> Int? {
        var limit = rlimit()
        // SAFETY: one structure, alive during both calls.
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        if limit.rlim_cur < limit.rlim_max {
            let before = limit.rlim_cur
            limit.rlim_cur = limit.rlim_max
            if unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) != 0 { limit.rlim_cur = before }
        }
        return Int(clamping: limit.rlim_cur)
    }

    /// The limits that so many descriptors are enough for: half of them are for clients, the others for pictures and services.
    ///
    /// Clients beyond would be taken from the kernel, and their pictures have no file.
    static func fit(_ limits: ServerLimits, within descriptors: Int) -> ServerLimits {
        let places = max(16, descriptors / 2)
        guard limits.maxConnections + limits.spareConnections > places else { return limits }
        var limits = limits
        limits.spareConnections = min(limits.spareConnections, places / 4)
        limits.maxConnections = min(limits.maxConnections, places - limits.spareConnections)
        return limits
    }
}
