// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Reports of this run, the newest kept; the durable record comes with the journal.
final class UploadStore: Sendable {
    private let state = Mutex<(reports: [String: Report], order: [String])>(([:], []))
    private let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    /// Keeps or replaces a report; the oldest goes when there are too many.
    func put(_ report: Report) {
        state.withLock { state in
            if state.reports.updateValue(report, forKey: report.id) == nil { state.order.append(report.id) }
            if state.order.count > capacity { state.reports[state.order.removeFirst()] = nil }
        }
    }

    /// The report of that id.
    func report(_ id: String) -> Report? { state.withLock { $0.reports[id] } }
}
