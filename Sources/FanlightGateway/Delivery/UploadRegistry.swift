// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Synchronization

/// Uploads under way, by id: each has one live object, however many requests concern it.
///
/// A record is read from the journal at some moment. When another object of the upload has worked and left since, the
/// record may show as pending what was delivered meanwhile; such a record is not let in.
final class UploadRegistry: Sendable {
    /// What became of the wish to work on an upload.
    enum Entry {
        /// One piece of work on this object, which may be another one than that which was brought, is counted.
        case entered(LiveUpload)
        /// The record is older than what was done since: read it again.
        case outdated
        /// The gateway stops.
        case stopping
    }

    private struct State {
        var uploads: [String: LiveUpload] = [:]
        /// Bytes of the pictures of each upload, as it came.
        var sizes: [String: Int] = [:]
        var bytes = 0
        var isClosed = false
        var isStopping = false
        var departures = Departures()
    }

    private let state = Mutex(State())

    /// Uploads with work to do.
    var count: Int { state.withLock { $0.uploads.count } }

    /// Bytes of the pictures of all of them.
    var bytes: Int { state.withLock { $0.bytes } }

    /// True when clients get no new work begun; what is under way goes on.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// True when no new work may begin.
    var isStopping: Bool { state.withLock { $0.isStopping } }

    /// Counts those that left; to be asked before a record is read.
    var moment: Int { state.withLock { $0.departures.count } }

    /// The live upload of that id.
    func find(_ id: String) -> LiveUpload? { state.withLock { $0.uploads[id] } }

    /// Adds an upload, or gives the one that is there already, and counts a piece of work on it.
    func enter(_ upload: LiveUpload) -> Entry {
        state.withLock { state in
            guard !state.isStopping else { return .stopping }
            if let live = state.uploads[upload.id] {
                live.enter()
                return .entered(live)
            }
            guard state.departures.last(of: upload.id) <= upload.moment else { return .outdated }
            let size = upload.record.renditions.reduce(0) { $0 + ($1.file == nil ? 0 : $1.bytes) }
            state.sizes[upload.id] = size
            state.bytes += size
            state.uploads[upload.id] = upload
            upload.enter()
            return .entered(upload)
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
            state.departures.add(upload.id)
            return true
        }
    }

    /// Lets clients begin no new work.
    func close() { state.withLock { $0.isClosed = true } }

    /// Lets no new work begin, and gives what is under way.
    func stop() -> [LiveUpload] {
        state.withLock { state in
            state.isClosed = true
            state.isStopping = true
            return Array(state.uploads.values)
        }
    }
}

/// Which uploads left lately, numbered.
struct Departures {
    /// Ids that are remembered at least.
    private static let memory = 1_024

    /// Uploads that left so far.
    private(set) var count = 0
    private var numbers: [String: Int] = [:]
    private var order: [(id: String, number: Int)] = []
    /// The latest that is remembered no more; any upload may have been that one.
    private var forgotten = 0

    /// Number of the last departure of that upload, or of one that is not remembered.
    func last(of id: String) -> Int { numbers[id] ?? forgotten }

    /// Notes that an upload left.
    mutating func add(_ id: String) {
        count += 1
        numbers[id] = count
        order.append((id, count))
        guard order.count >= 2 * Self.memory else { return }
        for (id, number) in order.prefix(Self.memory) {
            if numbers[id] == number { numbers[id] = nil }
            forgotten = number
        }
        order.removeFirst(Self.memory)
    }
}
