// SPDX-License-Identifier: Apache-2.0

/// The durable record of uploads: what was acknowledged survives a kill and a restart.
///
/// The rule that keeps promise 4, for whoever delivers:
///
/// 1. ``accept(_:key:files:)`` before the client is told that the upload is taken, and before its first delivery.
/// 2. For a publishing request that must not be sent twice, ``record(_:)`` with ``JournalChange/releasing(attempt:at:)``
///    before the last bytes of the request may leave. When it throws, the request must not be completed. The same with
///    ``JournalChange/doubting(attempt:at:)`` where it may be sent twice.
/// 3. ``record(_:)`` with ``JournalChange/settled(_:)`` before a client is shown the outcome.
/// 4. After a restart, ``unfinished(after:limit:)``: a delivery in phase `releasing` of a service that must not get a
///    request twice is settled as `unknown`; every other pending one is sent again. One that is in doubt, and is not
///    delivered then, is settled as `unknown`, too.
///
/// Changes of one delivery are applied in the order in which they were given. Times are milliseconds since 1970, UTC,
/// and are always passed in.
public protocol Journal: Sendable {
    /// Puts the uploads of one request on disk, all or none; they are durable when this returns.
    ///
    /// - Parameters:
    ///   - uploads: in the order of the request's pictures.
    ///   - key: the request's idempotency key, if it has one; its ``JournalKey/uploads`` must name these uploads.
    ///   - files: every spool file that ``JournalRendition/file`` names, each once. When this returns, the journal
    ///     owns their names: they outlive the objects and are removed when the last delivery is done with them.
    /// - Throws: ``JournalError/keyTaken`` when an upload with that key stands already; nothing is written then.
    func accept(_ uploads: [JournalUpload], key: JournalKey?, files: [SpooledFile]) async throws(JournalError)

    /// Writes changes, all or none; they are durable when this returns.
    ///
    /// A settled outcome whose writing fails for want of space or access is kept in memory and written with the next
    /// transaction that succeeds; the call throws nevertheless. What was handed over before with ``post(_:)`` or
    /// ``keep(_:as:)`` is durable, too, when this returns, also where there are no notes.
    func record(_ notes: [JournalNote]) async throws(JournalError)

    /// Hands a change over that nobody waits for: it is written with the next transaction, or within a second.
    ///
    /// For what only makes a report after a restart more exact: attempts and waits.
    func post(_ note: JournalNote)

    /// The whole record of one upload; `nil` when there is none.
    func upload(_ id: String) async throws(JournalError) -> JournalUpload?

    /// Uploads with a pending delivery or a pending deletion, oldest first.
    ///
    /// - Parameter after: id of the last upload of the page before; `nil` = from the start.
    func unfinished(after: String?, limit: Int) async throws(JournalError) -> [JournalUpload]

    /// A page of the history, newest first.
    func history(_ query: JournalQuery) async throws(JournalError) -> JournalPage

    /// What an idempotency key of that client stands for; `nil` when it is free or has expired.
    func key(_ key: String, client: String, now: Int64) async throws(JournalError) -> JournalKey?

    /// A standing delivery of the same rendition with the same caption at that service, the newest; `nil` = none.
    func reusable(
        service: String,
        renditionSHA256: String,
        captionDigest: String
    ) async throws(JournalError) -> JournalReuse?

    /// Another upload whose standing delivery has the very same links, because one of both reused the other's.
    ///
    /// - Parameters:
    ///   - delivery: at the same service, with the same caption and the same links, what deletes the picture included.
    ///   - renditionSHA256: of the picture that was sent.
    ///   - upload: the one that the delivery belongs to.
    /// - Returns: Its id; `nil` = nobody else holds that picture.
    func sharer(
        of delivery: JournalDelivery,
        renditionSHA256: String,
        besides upload: String
    ) async throws(JournalError) -> String?

    /// Uploads whose webhook is due at `now`, the longest due first; none that the answer would show as pending.
    func dueNotifications(now: Int64, limit: Int) async throws(JournalError) -> [JournalUpload]

    /// A small value of the gateway that survives a restart, for example the state of a service's rate.
    func kept(_ name: String) async throws(JournalError) -> JSONValue?

    /// All small values whose names begin so, by name.
    func kept(beginning prefix: String) async throws(JournalError) -> [String: JSONValue]

    /// Keeps a small value, sealed; `nil` removes it. Written like ``post(_:)``.
    func keep(_ value: JSONValue?, as name: String)

    /// Removes finished uploads from the history, with their pictures; unfinished ones stay.
    func remove(_ ids: [String]) async throws(JournalError)

    /// Applies retention by age and by bytes, and lets idempotency keys and kept pictures expire.
    ///
    /// To be called from time to time, for example once a minute; a call does a bounded amount of work.
    func prune(now: Int64) async throws(JournalError) -> JournalPruning

    /// Sizes, for metrics.
    func counters() async throws(JournalError) -> JournalCounters

    /// Writes what waits, and closes; later calls throw ``JournalError/closed``.
    func close() async
}

/// Why the journal cannot do what it was asked for.
public enum JournalError: Error, Sendable, Equatable {
    /// The disk, or the bound of the journal's size, is full.
    case full
    /// The state folder or a file in it cannot be written.
    case readOnly(path: String)
    /// The journal's file, its log, its lock or its key was moved away, deleted or replaced: what is written into what is
    /// still open, a new start would not find.
    case moved
    /// Another process held the journal's file locked for too long.
    case busy
    /// Another gateway uses the state folder.
    case inUse(path: String)
    /// A newer version of the program wrote the file.
    case newerVersion(found: Int, known: Int, path: String)
    /// The file is no journal, or is damaged.
    case damaged(path: String, reason: String)
    /// Sealed values cannot be opened: the key is another than the one that sealed them.
    case wrongKey
    /// An upload with that idempotency key exists.
    case keyTaken
    /// The journal is closed.
    case closed
    /// The disk under the state folder reports an error; `code` is SQLite's extended result code or an errno.
    case disk(code: Int32)
    /// Anything else; `code` is SQLite's extended result code or an errno.
    case failed(code: Int32, reason: String)

    /// True when the same call may succeed a little later.
    public var isTemporary: Bool {
        switch self {
        case .full, .busy, .readOnly, .moved: true
        case .inUse, .newerVersion, .damaged, .wrongKey, .keyTaken, .closed, .disk, .failed: false
        }
    }
}
