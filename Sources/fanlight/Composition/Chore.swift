// SPDX-License-Identifier: Apache-2.0

import FanlightGateway
import Synchronization

/// Blocking work that is wanted again and again: on a thread of its own, one piece at a time.
final class Chore: Sendable {
    private let thread = BlockingPool(threads: 1)
    private let began = Mutex<ContinuousClock.Instant?>(nil)

    /// True while a piece is under way.
    var isBusy: Bool { began.withLock { $0 != nil } }

    /// Begins the work; while the piece before is not done, nothing happens.
    ///
    /// - Returns: How long the piece before has been under way; `nil` = the work begins.
    @discardableResult
    func begin(_ work: @escaping @Sendable () -> Void) -> Duration? {
        let before = began.withLock { began -> ContinuousClock.Instant? in
            defer { if began == nil { began = .now } }
            return began
        }
        if let before { return .now - before }
        Task {
            await thread.run(work)
            began.withLock { $0 = nil }
        }
        return nil
    }
}
