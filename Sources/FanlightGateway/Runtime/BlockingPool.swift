// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Threads of our own for calls that block: the cooperative pool has one thread a core and must never wait for a disk.
public final class BlockingPool: Sendable {
    private let queue = Mutex<[@Sendable () -> Void]>([])
    private let wake: Wakeup

    /// Starts the threads; they live as long as the process.
    public init(threads: Int) {
        wake = Wakeup()
        for _ in 0..<max(1, threads) { start() }
    }

    /// Runs blocking work on one of the threads.
    public func run<T: Sendable>(_ work: @escaping @Sendable () -> T) async -> T {
        await withCheckedContinuation { continuation in
            queue.withLock { $0.append { continuation.resume(returning: work()) } }
            wake.signal()
        }
    }

    private func start() {
        var thread = pthread_t()
        let context = unsafe Unmanaged.passRetained(self)
        // SAFETY: the retained pool is the thread's own and is never released, as the thread never ends.
        let result = unsafe pthread_create(
            &thread,
            nil,
            { raw in
                guard let raw = unsafe raw else { return nil }
                let pool = unsafe Unmanaged<BlockingPool>.fromOpaque(raw).takeUnretainedValue()
                while true { pool.next()() }
            },
            unsafe context.toOpaque()
        )
        if result == 0 { pthread_detach(thread) } else { unsafe context.release() }
    }

    private func next() -> @Sendable () -> Void {
        while true {
            wake.wait()
            if let work = queue.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return work }
        }
    }
}

/// A counting semaphore of the C library at a fixed address.
@safe private final class Wakeup: @unchecked Sendable {
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

    func signal() { unsafe sem_post(semaphore) }

    func wait() { while unsafe sem_wait(semaphore) != 0 {} }
}
