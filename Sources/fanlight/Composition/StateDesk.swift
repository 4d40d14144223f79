// SPDX-License-Identifier: Apache-2.0

import FanlightGateway
import Synchronization

/// Tells the log when the state folder is lost and when it is found again: one line a change.
final class StateDesk: Sendable {
    private let watch: StateWatch
    private let log: EventLog
    private let told = Mutex<StateWatch.Trouble?>(nil)

    /// Starts with a folder that is in place.
    init(_ watch: StateWatch, log: EventLog) {
        self.watch = watch
        self.log = log
    }

    /// Looks once; may block, one call at a time.
    func look() {
        let trouble = watch.trouble()
        let isNew = told.withLock { told in
            defer { told = trouble }
            return told != trouble
        }
        if isNew { log.stateFolder(trouble, at: Identity.system.timestamp()) }
    }
}
