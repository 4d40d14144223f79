// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Signals that stop the program or have it read its configuration, taken out of the threads' way before any thread starts.
struct StopSignals {
    /// What a signal asks for.
    enum Wish { case stop, reload }

    private var set = sigset_t()

    init() {
        // SAFETY: the set is this value's own; each call only reads or fills it.
        unsafe sigemptyset(&set)
        for number in [SIGTERM, SIGINT, SIGHUP] { unsafe sigaddset(&set, number) }
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        // A peer that closes early must not end the process.
        signal(SIGPIPE, SIG_IGN)
    }

    /// The next signal; `nil` when none comes within that time.
    func next(milliseconds: Int) -> Wish? {
        var copy = set
        var limit = timespec(tv_sec: milliseconds / 1_000, tv_nsec: milliseconds % 1_000 * 1_000_000)
        // SAFETY: both are locals that outlive the call.
        let number = unsafe sigtimedwait(&copy, nil, &limit)
        guard number > 0 else { return nil }
        return number == SIGHUP ? .reload : .stop
    }

    /// True when another stop signal comes within that time.
    func wait(milliseconds: Int) -> Bool { next(milliseconds: milliseconds) == .stop }

    /// Waits for a stop signal.
    func wait() {
        while next(milliseconds: 3_600_000) != .stop {}
    }
}
