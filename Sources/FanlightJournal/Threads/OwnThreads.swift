// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Glibc
import Synchronization

/// Threads of our own for calls that block; work is taken in order.
final class OwnThreads: Sendable {
    private struct State {
        var work: [@Sendable () -> Void] = []
        var isStopped = false
    }

    private let state = Mutex(State())
    private let signal = Signal()

    /// Starts threads; `nil` when the system gives none.
    init?(count: Int) {
        var started = 0
        for _ in 0..<count where start() { started += 1 }
        if started == 0 { return nil }
    }

    /// Queues work; false once stopped.
    func submit(_ work: @escaping @Sendable () -> Void) -> Bool {
        let isTaken = state.withLock { state in
            if state.isStopped { return false }
            state.work.append(work)
            return true
        }
        if isTaken { signal.raise() }
        return isTaken
    }

    /// Runs work and waits for its value; `nil` once stopped.
    func run<T: Sendable>(_ work: @escaping @Sendable () -> T) async -> T? {
        await withCheckedContinuation { continuation in
            if !submit({ continuation.resume(returning: work()) }) { continuation.resume(returning: nil) }
        }
    }

    /// Lets the threads end once what is queued is done.
    func stop() {
        state.withLock { $0.isStopped = true }
        signal.raise()
    }

    private func start() -> Bool {
        let thread = OwnThread { [self] in
            while true {
                let (work, isOver) = state.withLock { state in
                    (state.work.isEmpty ? nil : state.work.removeFirst(), state.isStopped)
                }
                if let work {
                    work()
                } else if isOver {
                    // The others have to see it, too.
                    return signal.raise()
                } else {
                    signal.wait()
                }
            }
        }
        thread?.detach()
        return thread != nil
    }
}

/// A counting semaphore of the C library at a fixed address.
@safe final class Signal: @unchecked Sendable {
    // SAFETY: sem_t is made for use from several threads; its memory lives as long as this object and never moves.
    private let semaphore: UnsafeMutablePointer<sem_t>

    init() {
        unsafe semaphore = .allocate(capacity: 1)
        unsafe sem_init(semaphore, 0, 0)
    }

    deinit {
        unsafe sem_destroy(semaphore)
        unsafe semaphore.deallocate()
    }

    func raise() { unsafe sem_post(semaphore) }

    func wait() { while unsafe sem_wait(semaphore) != 0 {} }

    /// Waits at most so long; a moved clock only makes the wait longer or shorter once.
    func wait(milliseconds: Int) {
        var until = timespec()
        // SAFETY: the record is a local that outlives the calls.
        _ = unsafe clock_gettime(CLOCK_REALTIME, &until)
        until.tv_sec += milliseconds / 1_000
        until.tv_nsec += milliseconds % 1_000 * 1_000_000
        if until.tv_nsec >= 1_000_000_000 {
            until.tv_nsec -= 1_000_000_000
            until.tv_sec += 1
        }
        while unsafe sem_timedwait(semaphore, &until) != 0, errno == EINTR {}
    }
}
