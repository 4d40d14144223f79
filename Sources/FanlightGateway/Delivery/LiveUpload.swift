// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore
import Synchronization

/// An upload under way: its report, and those who wait for it.
final class LiveUpload: Sendable {
    private struct State {
        var report: Report
        var waiting: [CheckedContinuation<Void, Never>] = []
        var isAnswered = false
    }

    private let state: Mutex<State>
    let policy: RoutePolicy
    private let store: UploadStore

    init(report: Report, policy: RoutePolicy, store: UploadStore) {
        state = Mutex(State(report: report))
        self.policy = policy
        self.store = store
        store.put(report)
    }

    var report: Report { state.withLock { $0.report } }

    /// Notes an outcome and wakes the waiting client when the route's policy is met.
    func settle(_ index: Int, _ entry: Report.Entry) {
        let woken = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.report.deliveries[index] = entry
            store.put(state.report)
            guard policy.isMet(by: state.report) else { return [] }
            return Self.release(&state)
        }
        for continuation in woken { continuation.resume() }
    }

    /// Wakes the waiting client although deliveries are still pending.
    func giveUpWaiting() {
        let woken = state.withLock { Self.release(&$0) }
        for continuation in woken { continuation.resume() }
    }

    /// Settles what is pending as unknown, because the gateway stops, and wakes the waiting client.
    func interrupt() {
        let failure = DeliveryFailure(
            kind: .interrupted,
            message: "The gateway stopped before the service had answered.",
            retry: .unknownOutcome
        )
        let woken = state.withLock { state in
            for index in state.report.deliveries.indices where state.report.deliveries[index].status == .pending {
                state.report.deliveries[index].status = .unknown
                state.report.deliveries[index].failure = failure
            }
            store.put(state.report)
            return Self.release(&state)
        }
        for continuation in woken { continuation.resume() }
    }

    /// Waits until the policy is met or waiting is given up.
    func answered() async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state -> Bool in
                if state.isAnswered || policy.isMet(by: state.report) { return true }
                state.waiting.append(continuation)
                return false
            }
            if isReady { continuation.resume() }
        }
    }

    private static func release(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
        state.isAnswered = true
        let woken = state.waiting
        state.waiting = []
        return woken
    }
}

extension RoutePolicy {
    /// True when the answer can be given.
    func isMet(by report: Report) -> Bool {
        if report.status != .pending { return true }
        let delivered = report.deliveries.filter { $0.status == .delivered }.count
        switch self {
        case .all, .first: return false
        case .any: return delivered >= 1
        case .quorum(let needed): return delivered >= needed
        }
    }
}
