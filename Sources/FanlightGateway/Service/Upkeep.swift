// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Synchronization

/// Work that goes on in the background, whatever the configuration is.
final class Upkeep: Sendable {
    private struct State {
        var tasks: [Task<Void, Never>] = []
        var notifying: Task<Void, Never>?
        var isStarted = false
        var isStopped = false
        /// Deliveries that were taken since the history was last looked through.
        var taken = 0
        /// The wait until it is looked through again.
        var pause: Task<Void, Never>?
    }

    /// So many deliveries, some 2 MB of the history, do not wait for the minute to be over.
    private static let busy = 4_000

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

    /// Notes that the history grows.
    func noteTaken(_ deliveries: Int) {
        state.withLock { state in
            state.taken += deliveries
            if state.taken >= Self.busy { state.pause?.cancel() }
        }
    }

    /// Waits a minute, or until much was taken.
    func pause(_ clock: EngineClock) async {
        let pause = Task { await clock.sleep(clock.now() + .seconds(60)) }
        state.withLock { state in
            state.pause = pause
            if state.taken >= Self.busy { pause.cancel() }
        }
        await withTaskCancellationHandler {
            await pause.value
        } onCancel: {
            pause.cancel()
        }
        state.withLock { state in
            state.pause = nil
            state.taken = 0
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
