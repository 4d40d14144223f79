// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A number that several tasks may count up.
final class Counter: Sendable {
    private let value = Mutex(0)

    /// The number before this call.
    func next() -> Int {
        value.withLock { value in
            defer { value += 1 }
            return value
        }
    }
}
