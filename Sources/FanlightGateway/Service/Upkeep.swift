// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Work that goes on in the background, whatever the configuration is.
final class Upkeep: Sendable {
    private struct State {
        var tasks: [Task<Void, Never>] = []
        var notifying: Task<Void, Never>?
        var isStarted = false
        var isStopped = false
    }

    private let state = Mutex(State())

    /// True once everything that an earlier run left is under way.
    var isStarted: Bool { state.withLock { $0.isStarted } }

    /// Begins.
    func start(_ task: Task<Void, Never>, _ notifier: Notifier?) {
        let isLate = state.withLock { state in
            state.isStarted = true
            if !state.isStopped { state.tasks.append(task) }
            return state.isStopped
        }
        if isLate { task.cancel() } else { notify(with: notifier) }
    }

    /// Calls another webhook from now on; `nil` = none.
    func notify(with notifier: Notifier?) {
        state.withLock { state in
            state.notifying?.cancel()
            state.notifying = nil
            guard state.isStarted, !state.isStopped, let notifier else { return }
            state.notifying = Task { await notifier.run() }
        }
    }

    /// Ends all of it.
    func stop() {
        let tasks = state.withLock { state in
            state.isStopped = true
            defer { (state.tasks, state.notifying) = ([], nil) }
            return state.tasks + [state.notifying].compactMap { $0 }
        }
        for task in tasks { task.cancel() }
    }
}
