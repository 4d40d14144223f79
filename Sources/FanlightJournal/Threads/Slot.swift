// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A place for a value that work on another thread makes.
final class Slot<Value: Sendable>: Sendable {
    private let state = Mutex<Value?>(nil)

    var value: Value? { state.withLock { $0 } }

    func set(_ value: Value) { state.withLock { $0 = value } }
}
