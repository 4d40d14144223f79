// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Glibc
import Synchronization

/// Threads for work that blocks, which must not be done on the threads that run Swift's tasks.
final class BlockingThreads: Sendable {
    /// Jobs that may wait.
    static let longestQueue = 4096

    typealias Job = @Sendable () -> Void

    private struct State {
        var jobs: [Job] = []
        var head = 0
        var isStopped = false
        var waiting: Int { jobs.count - head }

        mutating func next() -> Job? {
            guard head < jobs.count else { return nil }
            let job = jobs[head]
            head += 1
            if head == jobs.count {
                jobs.removeAll(keepingCapacity: true)
                head = 0
            } else if head > 1024 {
                jobs.removeFirst(head)
                head = 0
            }
            return job
        }
    }

    private let state = Mutex(State())
    private let count: Int
    /// One byte a job: waiting for a job is reading a byte.
    private let wakeReader: Int32
    private let wakeWriter: Int32

    /// Starts the threads; `nil` when the system refuses.
    init?(count: Int) {
        var ends: [Int32] = [-1, -1]
        // SAFETY: the array has room for the two descriptors.
        guard unsafe pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        wakeReader = ends[0]
        wakeWriter = ends[1]
        self.count = count
        for _ in 0..<count {
            guard let thread = OwnThread({ self.run() }) else {
                stop()
                return nil
            }
            thread.detach()
        }
    }

    deinit {
        _ = close(wakeReader)
        _ = close(wakeWriter)
    }

    /// Queues a job; false when stopped or full.
    func submit(_ job: @escaping Job) -> Bool {
        let isQueued = state.withLock { state in
            guard !state.isStopped, state.waiting < Self.longestQueue else { return false }
            state.jobs.append(job)
            return true
        }
        if isQueued { wake() }
        return isQueued
    }

    /// Takes no more jobs; the threads end when those that wait are done.
    func stop() {
        let first = state.withLock { state in
            defer { state.isStopped = true }
            return !state.isStopped
        }
        if first { for _ in 0..<count { wake() } }
    }

    private func wake() {
        var byte: UInt8 = 0
        // SAFETY: one byte from a local variable.
        while unsafe write(wakeWriter, &byte, 1) < 0, errno == EINTR {}
    }

    private func run() {
        while true {
            var byte: UInt8 = 0
            // SAFETY: one byte into a local variable.
            while unsafe read(wakeReader, &byte, 1) < 0, errno == EINTR {}
            if let job = state.withLock({ $0.next() }) {
                job()
            } else if state.withLock({ $0.isStopped }) {
                return
            }
        }
    }
}
