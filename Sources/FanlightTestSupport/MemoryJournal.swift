// SPDX-License-Identifier: Apache-2.0

public import FanlightCore
import Synchronization

/// A journal that forgets everything with the object, and fails when it is told to.
///
/// The same tests run over it and over the durable one.
public final class MemoryJournal: Journal {
    private struct State {
        var order: [String] = []
        var uploads: [String: JournalUpload] = [:]
        var keys: [JournalKey] = []
        var values: [String: JSONValue] = [:]
        var files: [String: [SpooledFile]] = [:]
        var failure: JournalError?
        var releasesToRefuse = 0
        var looksToRefuse = 0
        var lookDelay = Duration.zero
        var notes: [JournalNote] = []
        var commits = 0
    }

    private let state = Mutex(State())
    private let keyLifetime: Int64 = 24 * 3_600_000

    private let holdsFiles: Bool

    /// Creates an empty journal.
    ///
    /// - Parameter holdsFiles: False = files are only kept by their spool, as with a journal on disk.
    public init(holdsFiles: Bool = true) { self.holdsFiles = holdsFiles }

    /// From now on every writing call throws this error; `nil` = they work again.
    public func fail(with error: JournalError?) { state.withLock { $0.failure = error } }

    /// The next notes that a request may leave are refused, so many times.
    public func failNotes(_ count: Int) { state.withLock { $0.releasesToRefuse = count } }

    /// The next looks for unfinished uploads fail, so many times.
    public func failLooks(_ count: Int) { state.withLock { $0.looksToRefuse = count } }

    /// From now on what ``reusable(service:renditionSHA256:captionDigest:)`` found is given so much later.
    public func delayReuse(by delay: Duration) { state.withLock { $0.lookDelay = delay } }

    /// Every note so far, in order.
    public var notes: [JournalNote] { state.withLock { $0.notes } }

    /// All uploads, oldest first.
    public var uploads: [JournalUpload] {
        state.withLock { state in state.order.compactMap { state.uploads[$0] } }
    }

    /// Keeps the uploads and their files.
    public func accept(
        _ uploads: [JournalUpload],
        key: JournalKey?,
        files: [SpooledFile]
    ) async throws(JournalError) {
        let failure = state.withLock { state -> JournalError? in
            if let failure = state.failure { return failure }
            if let key {
                let isTaken = state.keys.contains { known in
                    known.key == key.key && known.client == key.client && known.createdAt + keyLifetime > key.createdAt
                }
                if isTaken { return .keyTaken }
                state.keys.removeAll { $0.key == key.key && $0.client == key.client }
                state.keys.append(key)
            }
            for upload in uploads {
                state.order.append(upload.id)
                state.uploads[upload.id] = upload
                if holdsFiles { state.files[upload.id] = files }
            }
            state.commits += 1
            for file in files where !holdsFiles { file.keep() }
            return nil
        }
        if let failure { throw failure }
    }

    /// Applies the notes.
    public func record(_ notes: [JournalNote]) async throws(JournalError) {
        let failure = state.withLock { state -> JournalError? in
            if let failure = state.failure { return failure }
            if state.releasesToRefuse > 0, notes.contains(where: \.isRelease) {
                state.releasesToRefuse -= 1
                return .full
            }
            for note in notes { Self.apply(note, to: &state) }
            state.commits += 1
            return nil
        }
        if let failure { throw failure }
    }

    /// Applies the note.
    public func post(_ note: JournalNote) { state.withLock { Self.apply(note, to: &$0) } }

    private static func apply(_ note: JournalNote, to state: inout State) {
        state.notes.append(note)
        guard var upload = state.uploads[note.upload] else { return }
        switch note.event {
        case .delivery(let index, let change):
            guard upload.deliveries.indices.contains(index) else { return }
            upload.deliveries[index].apply(change)
        case .notification(let notification): upload.notification = notification
        case .choices(let choices): upload.choices = choices
        }
        state.uploads[note.upload] = upload
        if !upload.deliveries.contains(where: \.needsPicture) { state.files[note.upload] = nil }
    }

    /// The record of one upload.
    public func upload(_ id: String) async throws(JournalError) -> JournalUpload? {
        state.withLock { $0.uploads[id] }
    }

    /// Uploads with something pending.
    public func unfinished(after: String?, limit: Int) async throws(JournalError) -> [JournalUpload] {
        let isRefused = state.withLock { state in
            state.looksToRefuse -= 1
            return state.looksToRefuse >= 0
        }
        if isRefused { throw .busy }
        return state.withLock { state in
            let start = after.flatMap { state.order.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
            let left = state.order[start...].compactMap { state.uploads[$0] }.filter { upload in
                upload.status == .pending || upload.deliveries.contains { $0.deletion?.state == .pending }
            }
            return Array(left.prefix(limit))
        }
    }

    /// A page, newest first.
    public func history(_ query: JournalQuery) async throws(JournalError) -> JournalPage {
        state.withLock { state in
            let end = query.cursor.flatMap(Int.init) ?? state.order.count
            var found: [JournalUpload] = []
            for place in (0..<max(0, min(end, state.order.count))).reversed() {
                guard let upload = state.uploads[state.order[place]], query.matches(upload) else { continue }
                found.append(upload)
                if found.count == query.limit { return JournalPage(uploads: found, next: place > 0 ? "\(place)" : nil) }
            }
            return JournalPage(uploads: found, next: nil)
        }
    }

    /// What a key stands for.
    public func key(_ key: String, client: String, now: Int64) async throws(JournalError) -> JournalKey? {
        state.withLock { state in
            state.keys.first { $0.key == key && $0.client == client && $0.createdAt + keyLifetime > now }
        }
    }

    /// A standing delivery of the same picture and caption.
    public func reusable(
        service: String,
        renditionSHA256: String,
        captionDigest: String
    ) async throws(JournalError) -> JournalReuse? {
        let delay = state.withLock { $0.lookDelay }
        let found = standing(service, renditionSHA256, captionDigest)
        if delay > .zero { try? await Task.sleep(for: delay) }
        return found
    }

    private func standing(_ service: String, _ renditionSHA256: String, _ captionDigest: String) -> JournalReuse? {
        state.withLock { state in
            let gone = state.uploads.values.flatMap(\.deliveries).filter {
                $0.deletion != nil && $0.deletion?.state != .shared && $0.service == service
            }
            for upload in state.order.reversed().compactMap({ state.uploads[$0] }) {
                for delivery in upload.deliveries
                where delivery.service == service && delivery.status == .delivered
                    && delivery.captionDigest == captionDigest && !gone.contains(where: { $0.links == delivery.links })
                {
                    guard let place = delivery.rendition, upload.renditions[place].sha256 == renditionSHA256,
                        let time = delivery.settledAt
                    else { continue }
                    return JournalReuse(upload: upload.id, links: delivery.links, settledAt: time)
                }
            }
            return nil
        }
    }

    /// Another upload whose standing delivery has the very same links.
    public func sharer(
        of delivery: JournalDelivery,
        renditionSHA256: String,
        besides upload: String
    ) async throws(JournalError) -> String? {
        state.withLock { state in
            state.uploads.values.first { other in
                other.id != upload
                    && other.deliveries.contains { twin in
                        twin.service == delivery.service && twin.captionDigest == delivery.captionDigest
                            && twin.links == delivery.links && twin.status == .delivered && twin.deletion == nil
                            && twin.rendition.map { other.renditions[$0].sha256 } == renditionSHA256
                    }
            }?.id
        }
    }

    /// Uploads whose webhook is due.
    public func dueNotifications(now: Int64, limit: Int) async throws(JournalError) -> [JournalUpload] {
        state.withLock { state in
            let due = state.uploads.values.filter { upload in
                guard let notification = upload.notification, let time = notification.dueAt else { return false }
                return !notification.isDone && time <= now
                    && !upload.deliveries.contains { $0.status == .pending && $0.role != .shadow }
            }
            return Array(due.sorted { ($0.notification?.dueAt ?? 0) < ($1.notification?.dueAt ?? 0) }.prefix(limit))
        }
    }

    /// A small value.
    public func kept(_ name: String) async throws(JournalError) -> JSONValue? { state.withLock { $0.values[name] } }

    /// All small values whose names begin so; fails while the journal is busy, not where it just takes no more.
    public func kept(beginning prefix: String) async throws(JournalError) -> [String: JSONValue] {
        if case .busy? = state.withLock({ $0.failure }) { throw .busy }
        return state.withLock { $0.values.filter { $0.key.hasPrefix(prefix) } }
    }

    /// Keeps a small value.
    public func keep(_ value: JSONValue?, as name: String) { state.withLock { $0.values[name] = value } }

    /// Removes finished uploads.
    public func remove(_ ids: [String]) async throws(JournalError) {
        if let failure = state.withLock({ $0.failure }) { throw failure }
        state.withLock { state in
            for id in ids where state.uploads[id].map({ $0.status != .pending }) ?? false {
                state.uploads[id] = nil
                state.files[id] = nil
                state.order.removeAll { $0 == id }
            }
        }
    }

    /// Lets keys expire; nothing else.
    public func prune(now: Int64) async throws(JournalError) -> JournalPruning {
        state.withLock { state in
            var done = JournalPruning()
            let before = state.keys.count
            state.keys.removeAll { $0.createdAt + keyLifetime <= now }
            done.keys = before - state.keys.count
            return done
        }
    }

    /// Sizes; no bytes.
    public func counters() async throws(JournalError) -> JournalCounters {
        state.withLock { state in
            var counters = JournalCounters()
            counters.uploads = state.order.count
            counters.unfinished = state.uploads.values.filter { $0.status == .pending }.count
            counters.commits = state.commits
            return counters
        }
    }

    /// Later writing calls throw.
    public func close() async { state.withLock { $0.failure = .closed } }
}

extension JournalQuery {
    func matches(_ upload: JournalUpload) -> Bool {
        (status == nil || upload.status == status)
            && (service == nil || upload.deliveries.contains { $0.service == service })
            && (client == nil || upload.client == client)
            && upload.createdAt >= since ?? .min && upload.createdAt < until ?? .max
    }
}

extension JournalNote {
    fileprivate var isRelease: Bool {
        switch event {
        case .delivery(_, .releasing), .delivery(_, .doubting): true
        default: false
        }
    }
}
