// SPDX-License-Identifier: Apache-2.0

import FanlightCore

extension JournalNote {
    /// True for what has happened outside already: where it cannot be written it is kept, written with the next
    /// transaction that succeeds, and shown meanwhile.
    ///
    /// A wish that cannot be written is refused instead, and whoever has it is told so.
    var isOwed: Bool {
        switch event {
        case .delivery(_, .settled), .notification: true
        case .delivery(_, .deletion(let deletion)): deletion.state == .deleted || deletion.state == .failed
        default: false
        }
    }
}

extension JournalUpload {
    /// Adds what is owed to a record that was read; without it, what was delivered would look pending, and be sent again.
    ///
    /// What was written after the notes were taken is newer and stays.
    mutating func add(_ owed: [JournalNote]) {
        for note in owed where note.upload == id {
            switch note.event {
            case .delivery(let place, let change):
                guard deliveries.indices.contains(place), deliveries[place].lacks(change) else { continue }
                deliveries[place].apply(change)
            case .notification(let state): notification = state
            case .choices: continue
            }
        }
    }
}

extension JournalNotification {
    /// True when the receiver should be called.
    func isDue(at now: Int64) -> Bool { !isDone && (dueAt ?? .max) <= now }
}

extension JournalDelivery {
    fileprivate func lacks(_ change: JournalChange) -> Bool {
        switch change {
        case .settled(let outcome): (eventNumber ?? 0) < outcome.eventNumber
        case .deletion: deletion?.state == .pending
        default: false
        }
    }
}
