// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Glibc
import Synchronization

/// Threads of our own for calls that block: the cooperative pool has one thread a core and must never wait for a disk.
public final class BlockingPool: Sendable {
    /// How long work takes.
    enum Weight: Sendable {
        case light
        /// Tens of milliseconds; such work has a thread of its own, which lets others have the processor first, so that large
        /// pictures do not hold up small ones.
        case heavy

        /// The weight of work that reads all of a file.
        init(bytes: Int) { self = bytes < 16 << 20 ? .light : .heavy }
    }

    /// How much the thread for heavy work stands back (C: setpriority): a tenth of the others' share.
    private static let niceness: Int32 = 10

    private let light = WorkQueue()
    private let heavy = WorkQueue()

    /// Starts the threads, and one for heavy work; they live as long as the process.
    public init(threads: Int) {
        for _ in 0..<max(1, threads) { Self.start(light, niceness: 0) }
        Self.start(heavy, niceness: Self.niceness)
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
        switch weight {
        case .light: light.add(work)
        case .heavy: heavy.add(work)
        }
    }

    private static func start(_ queue: WorkQueue, niceness: Int32) {
        let thread = OwnThread {
            // Of the thread alone, as Linux has it; nobody has to be allowed to stand back.
            if niceness > 0 { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness) }
            while true { queue.next()() }
        }
        thread?.detach()
    }
}

/// Work that waits for a thread, in the order in which it came.
private final class WorkQueue: Sendable {
    private let waiting = Mutex<[@Sendable () -> Void]>([])
    private let wake = Wakeup()

    func add(_ work: @escaping @Sendable () -> Void) {
        waiting.withLock { $0.append(work) }
        wake.signal()
    }

    /// The oldest; waits for it.
    func next() -> @Sendable () -> Void {
        while true {
            wake.wait()
            if let work = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return work }
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
