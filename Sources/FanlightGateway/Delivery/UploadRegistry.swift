// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Synchronization

/// Uploads under way, by id: each has one live object, however many requests concern it.
final class UploadRegistry: Sendable {
    private struct State {
        var uploads: [String: LiveUpload] = [:]
        /// Bytes of the pictures of each upload, as it came.
        var sizes: [String: Int] = [:]
        var bytes = 0
        var isStopping = false
    }

    private let state = Mutex(State())

    /// Uploads with work to do.
    var count: Int { state.withLock { $0.uploads.count } }

    /// Bytes of the pictures of all of them.
    var bytes: Int { state.withLock { $0.bytes } }

    /// True when no new work may begin.
    var isStopping: Bool { state.withLock { $0.isStopping } }

    /// The live upload of that id.
    func find(_ id: String) -> LiveUpload? { state.withLock { $0.uploads[id] } }

    /// Adds an upload, or gives the one that is there already, and counts a piece of work on it.
    ///
    /// - Returns: `nil` when the gateway stops.
    func enter(_ upload: LiveUpload) -> LiveUpload? {
        state.withLock { state in
            guard !state.isStopping else { return nil }
            let live = state.uploads[upload.id] ?? upload
            if state.uploads.updateValue(live, forKey: live.id) == nil {
                let size = live.record.renditions.reduce(0) { $0 + ($1.file == nil ? 0 : $1.bytes) }
                state.sizes[live.id] = size
                state.bytes += size
            }
            live.enter()
            return live
        }
    }

    /// Ends a piece of work.
    ///
    /// - Returns: True when it was the last one; the upload has then left.
    func leave(_ upload: LiveUpload) -> Bool {
        state.withLock { state in
            guard upload.leave() else { return false }
            state.uploads[upload.id] = nil
            state.bytes -= state.sizes.removeValue(forKey: upload.id) ?? 0
            return true
        }
    }

    /// Lets no new work begin, and gives what is under way.
    func stop() -> [LiveUpload] {
        state.withLock { state in
            state.isStopping = true
            return Array(state.uploads.values)
        }
    }
}
