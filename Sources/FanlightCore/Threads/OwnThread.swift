// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A thread outside of the cooperative pool, for work that blocks; either waited for or left to itself.
public struct OwnThread: Sendable {
    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private let thread: pthread_t

    /// Starts the thread (C: pthread_create); `nil` when the system gives none.
    public init?(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let work = unsafe Unmanaged.passRetained(Work(body))
        // SAFETY: the work is retained for the thread, which releases it once.
        let failure = unsafe pthread_create(
            &thread,
            nil,
            { raw in
                guard let raw = unsafe raw else { return nil }
                unsafe Unmanaged<Work>.fromOpaque(raw).takeRetainedValue().body()
                return nil
            },
            work.toOpaque()
        )
        guard failure == 0 else {
            unsafe work.release()
            return nil
        }
        self.thread = thread
    }

    /// Waits for its end (C: pthread_join); once, and not after ``detach()``.
    public func join() { _ = pthread_join(thread, nil) }

    /// Leaves it to itself (C: pthread_detach); once, and not after ``join()``.
    public func detach() { pthread_detach(thread) }
}
