// SPDX-License-Identifier: Apache-2.0

public import FanlightCore
import Glibc

/// The durable journal: one SQLite file in the state folder, pictures beside it in the spool.
///
/// One thread writes, in one transaction whatever waits at that moment; another reads beside it (WAL). Neither blocks
/// the cooperative pool.
public final class SQLiteJournal: Journal {
    private let settings: JournalSettings
    private let spool: any Spool
    private let queue: CommitQueue
    private let readers: OwnThreads
    private let flushers: OwnThreads
    private let reader: LentReader
    private let folder: StateFolder
    private let path: String

    /// Opens the journal of a state folder, makes it when missing, brings it to this version, and sweeps the spool.
    ///
    /// Blocks: for the composition root, before the server listens.
    ///
    /// - Parameters:
    ///   - state: the folder; it is locked until the journal is closed or the process ends.
    ///   - key: any text, from which the key is derived that seals secrets; `nil` = one that is made once and kept in
    ///     the folder.
    ///   - spool: where the uploads' pictures lie.
    /// - Throws: ``JournalError`` when the gateway must not start; its text says what to do.
    public convenience init(
        state: String,
        key: Secret? = nil,
        settings: JournalSettings = JournalSettings(),
        spool: any Spool
    ) throws(JournalError) {
        try self.init(state: state, key: key, settings: settings, spool: spool, boot: RunMark.currentBoot)
    }

    init(
        state: String,
        key: Secret?,
        settings: JournalSettings,
        spool: any Spool,
        boot: String
    ) throws(JournalError) {
        self.settings = settings
        self.spool = spool
        folder = try StateFolder(path: state)
        path = state + "/journal.sqlite"
        let secret = if let key { Array(key.value.utf8) } else { try folder.generatedKey() }
        guard let seal = Seal(secret: secret), let readers = OwnThreads(count: 1), let flushers = OwnThreads(count: 4)
        else { throw .failed(code: 0, reason: "the system gives no thread or no cipher") }
        self.readers = readers
        self.flushers = flushers
        let path = path
        queue = try CommitQueue(
            makeWriter: { () throws(JournalError) in
                let writer = try Self.writer(path, seal, settings)
                try RunMark(boot: boot, isRelaxed: settings.durability == .relaxed).begin(writer)
                // The log stands there from the first transaction to the end.
                writer.watch([path, path + "-wal", state + "/lock", state + "/state.key"])
                return writer
            },
            removed: { spool.remove($0) },
            ending: { if settings.durability == .relaxed { RunMark.end($0) } }
        )
        reader = LentReader(JournalReader(connection: try Self.connection(path, settings), seal: seal))
        spool.sweep(keeping: try reader.value.pictures())
        if settings.durability == .full { folder.synchronize() }
    }

    private static func connection(_ path: String, _ settings: JournalSettings) throws(JournalError) -> SQLiteConnection
    {
        let wait = Int32(clamping: JournalTimes.milliseconds(settings.busyWait))
        let connection = try SQLiteConnection(path: path, busyMilliseconds: wait)
        // Pages of 4 KB: 2 MB of memory for each of the two connections.
        try connection.execute("PRAGMA cache_size = 500; PRAGMA temp_store = MEMORY")
        return connection
    }

    private static func writer(
        _ path: String,
        _ seal: Seal,
        _ settings: JournalSettings
    ) throws(JournalError) -> JournalWriter {
        // The log and its index get the rights of the file, which is the owner's alone from its first moment.
        try StateFolder.makeFile(path)
        let connection = try connection(path, settings)
        // Before the first table: a file that shrinks again when uploads leave it.
        try connection.execute("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL")
        try connection.execute("PRAGMA journal_size_limit = 8388608")
        try JournalSchema.migrate(connection)
        let pageSize = try connection.integer("PRAGMA page_size") ?? 4_096
        // Retention keeps the file below its bound; this stops it where retention cannot.
        try connection.execute("PRAGMA max_page_count = \(max(256, 2 * Int64(settings.keepBytes) / pageSize))")
        let writer = JournalWriter(connection: connection, seal: seal)
        try writer.checkKey()
        return writer
    }

    /// Puts the uploads of one request on disk, all or none.
    public func accept(
        _ uploads: [JournalUpload],
        key: JournalKey?,
        files: [SpooledFile]
    ) async throws(JournalError) {
        if settings.durability == .full, !files.isEmpty {
            guard await flush(files) else { throw .full }
        }
        for file in files { file.keep() }
        do throws(JournalError) {
            try await queue.write { writer throws(JournalError) in try writer.accept(uploads, key) }
        } catch {
            // Nobody knows these names: they go with their last user.
            for file in files { spool.remove(file.name) }
            throw error
        }
    }

    /// Files at the same time, so that the disk takes them together; then their names.
    private func flush(_ files: [SpooledFile]) async -> Bool {
        let flushers = flushers
        let spool = spool
        let isWritten = await withTaskGroup(of: Bool.self) { group in
            for file in files { group.addTask { await flushers.run { file.synchronize() } ?? false } }
            return await group.reduce(true) { $0 && $1 }
        }
        guard isWritten else { return false }
        return await flushers.run { spool.synchronize() } ?? false
    }

    /// Writes changes, all or none.
    public func record(_ notes: [JournalNote]) async throws(JournalError) {
        try await queue.write(owed: notes.filter(\.isOwed)) { writer throws(JournalError) in
            for note in notes { try writer.apply(note) }
        }
    }

    /// Hands a change over that nobody waits for.
    public func post(_ note: JournalNote) {
        queue.submit(WriteRequest(work: { writer throws(JournalError) in try writer.apply(note) }))
    }

    /// The whole record of one upload.
    public func upload(_ id: String) async throws(JournalError) -> JournalUpload? {
        let owed = queue.owed
        var upload = try await read { reader throws(JournalError) in try reader.upload(id) }
        upload?.add(owed)
        return upload
    }

    /// Uploads with a pending delivery or a pending deletion, oldest first.
    public func unfinished(after: String?, limit: Int) async throws(JournalError) -> [JournalUpload] {
        try await read { reader throws(JournalError) in try reader.unfinished(after: after, limit: limit) }
    }

    /// A page of the history, newest first.
    public func history(_ query: JournalQuery) async throws(JournalError) -> JournalPage {
        let owed = queue.owed
        var page = try await read { reader throws(JournalError) in try reader.history(query) }
        if !owed.isEmpty { for index in page.uploads.indices { page.uploads[index].add(owed) } }
        return page
    }

    /// What an idempotency key of that client stands for.
    public func key(_ key: String, client: String, now: Int64) async throws(JournalError) -> JournalKey? {
        try await read { reader throws(JournalError) in try reader.key(key, client: client, now: now) }
    }

    /// A standing delivery of the same rendition with the same caption at that service.
    public func reusable(
        service: String,
        renditionSHA256: String,
        captionDigest: String
    ) async throws(JournalError) -> JournalReuse? {
        try await read { reader throws(JournalError) in
            try reader.reusable(service: service, picture: renditionSHA256, caption: captionDigest)
        }
    }

    /// Another upload whose standing delivery has the very same links.
    public func sharer(
        of delivery: JournalDelivery,
        renditionSHA256: String,
        besides upload: String
    ) async throws(JournalError) -> String? {
        // An outcome that is not written yet may be that of another holder.
        guard queue.owed.isEmpty else { throw .busy }
        return try await read { reader throws(JournalError) in
            try reader.sharer(of: delivery, picture: renditionSHA256, besides: upload)
        }
    }

    /// Uploads whose webhook is due.
    public func dueNotifications(now: Int64, limit: Int) async throws(JournalError) -> [JournalUpload] {
        let owed = queue.owed
        let due = try await read { reader throws(JournalError) in try reader.dueNotifications(now: now, limit: limit) }
        guard !owed.isEmpty else { return due }
        return due.map { upload in
            var upload = upload
            upload.add(owed)
            return upload
        }.filter { $0.notification?.isDue(at: now) ?? false }
    }

    /// A small value of the gateway that survives a restart.
    public func kept(_ name: String) async throws(JournalError) -> JSONValue? {
        try await read { reader throws(JournalError) in try reader.kept(name) }
    }

    /// All small values whose names begin so.
    public func kept(beginning prefix: String) async throws(JournalError) -> [String: JSONValue] {
        try await read { reader throws(JournalError) in try reader.kept(beginning: prefix) }
    }

    /// Keeps a small value, sealed.
    public func keep(_ value: JSONValue?, as name: String) {
        queue.submit(WriteRequest(work: { writer throws(JournalError) in try writer.keep(value, name) }))
    }

    /// Removes finished uploads from the history.
    public func remove(_ ids: [String]) async throws(JournalError) {
        try await queue.write { writer throws(JournalError) in try writer.remove(ids) }
    }

    /// Applies retention.
    public func prune(now: Int64) async throws(JournalError) -> JournalPruning {
        let result = Slot<JournalPruning>()
        let settings = settings
        try await queue.write { writer throws(JournalError) in result.set(try writer.prune(now: now, settings)) }
        return result.value ?? JournalPruning()
    }

    /// Sizes, for metrics.
    public func counters() async throws(JournalError) -> JournalCounters {
        let path = path
        var counters = try await read { reader throws(JournalError) in
            var counters = try reader.counters()
            for end in ["", "-wal"] {
                var status = stat()
                // SAFETY: the string and the record live through the call.
                if unsafe stat(path + end, &status) == 0 { counters.journalBytes += Int(status.st_size) }
            }
            return counters
        }
        (counters.owed, counters.commits) = queue.counts
        return counters
    }

    /// Outcomes that could not be written yet; they go with the next transaction that succeeds.
    ///
    /// Those that are left after the end are lost.
    public var owedCount: Int { queue.counts.owed }

    /// Tries to write what is owed; does not wait for it.
    public func retryOwed() { queue.retryOwed() }

    /// Writes what waits, and closes.
    public func close() async {
        await withCheckedContinuation { continuation in queue.close { continuation.resume() } }
        end()
    }

    /// The same for a thread that may block.
    public func closeAndWait() {
        let done = Signal()
        queue.close { done.raise() }
        done.wait()
        end()
    }

    private func end() {
        readers.stop()
        flushers.stop()
        folder.unlock()
    }

    private func read<T: Sendable>(
        _ work: @escaping @Sendable (JournalReader) throws(JournalError) -> T
    ) async throws(JournalError) -> T {
        let reader = reader
        let result = await readers.run { () -> Result<T, JournalError> in
            do throws(JournalError) { return .success(try work(reader.value)) } catch { return .failure(error) }
        }
        guard let result else { throw .closed }
        return try result.get()
    }
}

/// The reader, lent to its one thread.
private final class LentReader: @unchecked Sendable {
    // SAFETY: after the initialiser of the journal, only the work of a pool with one thread takes it.
    let value: JournalReader

    init(_ value: JournalReader) { self.value = value }
}
