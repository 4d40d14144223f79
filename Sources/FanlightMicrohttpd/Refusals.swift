// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Counts what the server refuses by itself, before the service hears of it.
final class Refusals: Sendable {
    private let counts = Mutex<[Int: Int]>([:])

    /// Counts by status of the answer.
    var all: [Int: Int] { counts.withLock { $0 } }

    /// Counts one answer.
    func count(_ status: Int) { counts.withLock { $0[status, default: 0] += 1 } }
}
