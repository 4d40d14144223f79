// SPDX-License-Identifier: Apache-2.0

import FanlightGateway
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

    /// What the program needs for itself: libraries, journal, log, helpers.
    private static let ownUse = 40
    /// An upload's connection, its picture and two renditions of it.
    private static let ofUpload = 4
    /// Fewer serve nobody well.
    static let least = 96

    /// How descriptors are shared out between clients and services.
    struct Shares {
        /// Bounds for clients.
        var limits: ServerLimits
        /// Transfers to services at a time.
        var transfers: Int
        /// Renditions that stay open for the next delivery.
        var openRenditions = Gateway.defaultOpenRenditions
        /// Spool files that stay open for the next picture.
        var freeFiles = DiskSpool.Reuse().files
    }

    /// The shares that so many descriptors are enough for; clients beyond would be taken from the kernel, and their
    /// pictures have no file.
    ///
    /// - Parameters:
    ///   - wanted: As the configuration has it.
    ///   - descriptors: At least ``least``.
    static func fit(_ wanted: Shares, within descriptors: Int) -> Shares {
        var shares = wanted
        shares.transfers = min(wanted.transfers, descriptors / 8)
        shares.limits.spareConnections = min(wanted.limits.spareConnections, descriptors / 32)
        shares.openRenditions = min(wanted.openRenditions, descriptors / 32)
        shares.freeFiles = min(wanted.freeFiles, descriptors / 32)
        let others =
            ownUse + shares.transfers + shares.limits.spareConnections + shares.openRenditions + shares.freeFiles
        shares.limits.maxConnections = max(1, min(wanted.limits.maxConnections, (descriptors - others) / ofUpload))
        return shares
    }
}
