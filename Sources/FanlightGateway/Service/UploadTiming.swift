// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Synchronization

/// Where the time of one request went, for `Server-Timing`.
final class UploadTiming: Sendable {
    private struct State {
        var received: ContinuousClock.Instant?
        var prepared: ContinuousClock.Instant?
    }

    private let begin = ContinuousClock.now
    private let state = Mutex(State())

    /// The body is complete.
    func noteReceived() { state.withLock { $0.received = .now } }

    /// Every rendition is made and the upload is in the journal.
    func notePrepared() { state.withLock { $0.prepared = .now } }

    /// The header; steps that the request did not come to are left out.
    var header: HTTPField {
        let now = ContinuousClock.now
        let (received, prepared) = state.withLock { ($0.received ?? now, $0.prepared) }
        var steps = [("receive", received - begin)]
        if let prepared { steps += [("prepare", prepared - received), ("deliver", now - prepared)] }
        steps.append(("total", now - begin))
        let text = steps.map { "\($0.0);dur=\(DecimalText.rounded($0.1.inSeconds * 1_000, digits: 1))" }
        return HTTPField("Server-Timing", text.joined(separator: ", "))
    }
}
