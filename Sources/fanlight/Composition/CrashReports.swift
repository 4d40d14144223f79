// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What the process tells when it crashes.
enum CrashReports {
    /// Signals for which Swift's runtime starts its crash reporter where it finds one.
    private static let signals = [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP]

    /// Lets a crash end the process without a word, unless `SWIFT_BACKTRACE` says what is wanted.
    ///
    /// A report shows registers and the memory that they point to; in a gateway that may be a secret or a caption.
    static func silence() {
        // SAFETY: the text is only compared with nil; no thread runs yet that could change the environment.
        guard unsafe getenv("SWIFT_BACKTRACE") == nil else { return }
        for number in signals {
            var current = sigaction()
            // SAFETY: one structure, alive during the call, which fills it.
            guard unsafe sigaction(number, nil, &current) == 0 else { continue }
            // SAFETY: the address of a handler, or one of two small numbers, read as a number and not called.
            let handler = unsafe unsafeBitCast(current.__sigaction_handler.sa_handler, to: Int.self)
            // 0 and 1 are the usual end and silence; what was silenced for us stays so.
            if handler > 1 { signal(number, SIG_DFL) }
        }
    }
}
