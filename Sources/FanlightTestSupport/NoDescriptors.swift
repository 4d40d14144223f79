// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The system does not say or set how many files may be open.
public struct NoLimit: Error {}

/// Does something while this process may open no further file (C: setrlimit).
public func withoutDescriptors<T>(_ work: () throws -> T) throws -> T {
    var limit = rlimit()
    // SAFETY: one structure, alive during the call; the same below.
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { throw NoLimit() }
    var tight = limit
    // The lowest number that is free: no file opened from now on can have one below the limit.
    let free = dup(0)
    close(free)
    tight.rlim_cur = rlim_t(free)
    guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &tight) == 0 else { throw NoLimit() }
    defer { _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) }
    return try work()
}
