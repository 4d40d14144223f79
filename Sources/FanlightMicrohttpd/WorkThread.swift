// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A thread of the server's own, which somebody waits for at the end.
struct WorkThread: Sendable {
    private final class Box: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private let thread: pthread_t

    /// Starts the thread (C: pthread_create); `nil` when the system gives none.
    init?(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let box = unsafe Unmanaged.passRetained(Box(body))
        // SAFETY: the box is retained for the thread, which releases it once.
        let failure = unsafe pthread_create(
            &thread,
            nil,
            { raw in
                guard let raw = unsafe raw else { return nil }
                unsafe Unmanaged<Box>.fromOpaque(raw).takeRetainedValue().body()
                return nil
            },
            box.toOpaque()
        )
        guard failure == 0 else {
            unsafe box.release()
            return nil
        }
        self.thread = thread
    }

    /// Waits for the end (C: pthread_join); once only.
    func join() { _ = pthread_join(thread, nil) }
}
