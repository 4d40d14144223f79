// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightGateway
import Glibc
import Synchronization

/// Lines of the log on their way to standard error, written by a thread of their own.
///
/// Whoever reads the log may stop reading: uploads go on, lines wait up to a bound, and those beyond it are counted instead.
final class LogLines: Sendable {
    private struct State {
        var waiting: [String] = []
        var waitingBytes = 0
        var isWriting = false
        /// Lines that were lost, and how many of them the log does not know of yet.
        var dropped = 0
        var untold = 0
    }

    private let state = Mutex(State())
    private let pool = BlockingPool(threads: 1)
    private let descriptor: Int32
    private let bound: Int

    /// - Parameter bound: Bytes of lines that may wait.
    init(descriptor: Int32 = STDERR_FILENO, bound: Int = 1_048_576) {
        self.descriptor = descriptor
        self.bound = bound
    }

    /// Lines that were lost because nobody read the log.
    var dropped: Int { state.withLock { $0.dropped } }

    /// Takes a line; never waits.
    func add(_ line: String) {
        let wakes = state.withLock { state in
            guard state.waitingBytes + line.utf8.count <= bound else {
                state.dropped += 1
                state.untold += 1
                return false
            }
            state.waiting.append(line)
            state.waitingBytes += line.utf8.count
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if wakes { Task { await pool.run { self.writeWaiting() } } }
    }

    /// Waits until everything is written, at most so long.
    func finish(within time: Duration) {
        let end = ContinuousClock.now + time
        while state.withLock({ $0.isWriting }), ContinuousClock.now < end { usleep(1_000) }
    }

    private func writeWaiting() {
        while let text = nextText() { Console.write(text, to: descriptor) }
    }

    /// All that waits; `nil` = nothing, and the thread may rest.
    private func nextText() -> String? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isWriting = false
                return nil
            }
            var text = state.waiting.joined(separator: "\n") + "\n"
            if state.untold > 0 { text += Self.lost(state.untold) + "\n" }
            (state.waiting, state.waitingBytes, state.untold) = ([], 0, 0)
            return text
        }
    }

    private static func lost(_ count: Int) -> String {
        EventLog.linesLost(count, at: Identity.system.timestamp()).serialized()
    }
}
