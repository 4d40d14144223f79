// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Threads of our own for calls that block: the cooperative pool has one thread a core and must never wait for a disk.
public final class BlockingPool: Sendable {
    /// How long work takes.
    enum Weight: Sendable {
        case light
        /// Tens of milliseconds; one thread is kept free of it, so that large pictures do not hold up small ones.
        case heavy

        /// The weight of work that reads all of a file.
        init(bytes: Int) { self = bytes < 16 << 20 ? .light : .heavy }
    }

    private struct Job: Sendable {
        let weight: Weight
        let work: @Sendable () -> Void
    }

    private struct State {
        var queue: [Job] = []
        /// Threads that work on something heavy.
        var burdened = 0
    }

    private let state = Mutex(State())
    private let wake = Wakeup()
    /// Threads that may work on something heavy at the same time.
    private let mostBurdened: Int

    /// Starts the threads; they live as long as the process.
    public init(threads: Int) {
        mostBurdened = max(1, threads - 1)
        for _ in 0..<max(1, threads) { start() }
    }

    /// Runs blocking work on one of the threads.
    public func run<T: Sendable>(_ work: @escaping @Sendable () -> T) async -> T { await run(.light, work) }

    /// Runs blocking work of a known weight on one of the threads.
    func run<T: Sendable>(_ weight: Weight, _ work: @escaping @Sendable () -> T) async -> T {
        await withCheckedContinuation { continuation in
            submit(weight) { continuation.resume(returning: work()) }
        }
    }

    /// Has blocking work done that nobody waits for.
    func submit(_ weight: Weight, _ work: @escaping @Sendable () -> Void) {
        state.withLock { $0.queue.append(Job(weight: weight, work: work)) }
        wake.signal()
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
                while true { pool.work(on: pool.next()) }
            },
            unsafe context.toOpaque()
        )
        if result == 0 { pthread_detach(thread) } else { unsafe context.release() }
    }

    private func work(on job: Job) {
        job.work()
        guard job.weight == .heavy else { return }
        let isMore = state.withLock { state in
            state.burdened -= 1
            return !state.queue.isEmpty
        }
        // The signal of what still waits may have been used up by a thread that was not allowed to take it.
        if isMore { wake.signal() }
    }

    private func next() -> Job {
        while true {
            wake.wait()
            if let job = state.withLock({ take(from: &$0) }) { return job }
        }
    }

    /// The oldest that may be done now.
    private func take(from state: inout State) -> Job? {
        let isFree = state.burdened < mostBurdened
        guard let place = state.queue.firstIndex(where: { isFree || $0.weight == .light }) else { return nil }
        let job = state.queue.remove(at: place)
        if job.weight == .heavy { state.burdened += 1 }
        return job
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
