// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Foundation
import Testing

@testable import FanlightJournal

@Suite("The journal over restarts and failures")
struct DurabilityTests {
    private let state = StateFixture()

    @Test("A new start finds every upload as it was", arguments: JournalSettings.Durability.allCases)
    func restart(_ durability: JournalSettings.Durability) async throws {
        let upload = JournalUpload.full("one")
        do {
            let journal = try state.journal(settings: JournalSettings(durability: durability))
            try await journal.accept([upload, .sample("two")], key: nil, files: [])
            try await journal.record([JournalNote(upload: "two", delivery: 1, .releasing(attempt: 1, at: 5))])
            await journal.close()
        }
        let journal = try state.journal()
        #expect(try await journal.upload("one") == upload)
        let unfinished = try await journal.unfinished(after: "one", limit: 9)
        #expect(unfinished.map(\.id) == ["two"])
        #expect(unfinished.first?.deliveries.map(\.phase) == [.waiting, .releasing])
    }

    @Test("What was recorded is in the file although nobody closed it, as after a kill")
    func withoutClosing() async throws {
        let journal = try state.journal()
        try await journal.accept([.sample("one", ["a"])], key: nil, files: [])
        try await journal.record([JournalNote(upload: "one", delivery: 0, .settled(.delivered()))])
        // A copy of the files at this moment is what a killed process leaves.
        let copy = StateFixture()
        try FileManager.default.createDirectory(atPath: copy.folder, withIntermediateDirectories: true)
        for name in ["journal.sqlite", "journal.sqlite-wal", "state.key"] {
            try FileManager.default.copyItem(atPath: state.folder + "/" + name, toPath: copy.folder + "/" + name)
        }
        let found = try await copy.journal().upload("one")
        #expect(found?.deliveries[0].status == .delivered)
        withExtendedLifetime(journal) {}
    }

    @Test(
        "After a power cut, pictures of a relaxed journal are given up; after a kill or an orderly end they are there",
        arguments: [
            (JournalSettings.Durability.relaxed, false, "later", false), (.relaxed, false, "now", true),
            (.relaxed, true, "later", true), (.full, false, "later", true),
        ]
    )
    func powerCut(_ durability: JournalSettings.Durability, isClosed: Bool, boot: String, isThere: Bool) async throws {
        let copy = StateFixture()
        try FileManager.default.createDirectory(atPath: copy.folder, withIntermediateDirectories: true)
        let settings = JournalSettings(durability: durability)
        let key = Secret("k")
        let spool = try state.spool()
        let first = try SQLiteJournal(state: state.folder, key: key, settings: settings, spool: spool, boot: "now")
        let file = try state.picture(spool)
        let name = file.name
        try await first.accept([.sample("one", file: file)], key: nil, files: [file])
        if isClosed { await first.close() }
        for name in ["journal.sqlite", "journal.sqlite-wal", "spool"]
        where FileManager.default.fileExists(atPath: state.folder + "/" + name) {
            try FileManager.default.copyItem(atPath: state.folder + "/" + name, toPath: copy.folder + "/" + name)
        }
        let again = try SQLiteJournal(
            state: copy.folder,
            key: key,
            settings: settings,
            spool: try copy.spool(),
            boot: boot
        )
        let upload = try #require(try await again.upload("one"))
        #expect(upload.status == .pending)
        #expect((upload.renditions[0].file != nil) == isThere)
        // The note that it was sent may be lost with the pictures.
        #expect(upload.deliveries.allSatisfy { $0.isInDoubt == !isThere })
        #expect(try copy.spoolNames == (isThere ? [name] : []))
        withExtendedLifetime((first, state, copy)) {}
    }

    @Test("Secrets are not readable on disk; another key is refused; files are the owner's alone")
    func sealed() async throws {
        do {
            let journal = try state.journal(key: Secret("first"))
            try await journal.accept([.full("one")], key: nil, files: [])
            journal.keep(.string("kept-secret"), as: "session")
            try await journal.record([JournalNote(upload: "one", delivery: 1, .settled(.delivered()))])
            await journal.close()
        }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: state.folder + "/journal.sqlite"))
        for secret in ["hush", "deletehash", "secret", "kept-secret", "confided"] {
            #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(secret)")
        }
        #expect(bytes.range(of: Data("https://e.org/1.jpg".utf8)) != nil)
        #expect(throws: JournalError.wrongKey) { try state.journal(key: Secret("second")) }
        do {
            let journal = try state.journal(key: Secret("first"))
            #expect(try await journal.kept("session") == .string("kept-secret"))
            await journal.close()
        }
        let again = try state.journal(key: Secret("first"))
        for name in ["journal.sqlite", "journal.sqlite-wal", "journal.sqlite-shm", "lock"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: state.folder + "/" + name)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
        withExtendedLifetime(again) {}
    }

    @Test("Without a key in the configuration one is made, once")
    func generatedKey() async throws {
        do { await (try state.journal()).close() }
        let path = state.folder + "/state.key"
        let first = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(first.count == 64)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        do { await (try state.journal()).close() }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == first)
        try FileManager.default.removeItem(atPath: path)
        #expect(throws: JournalError.wrongKey) { try state.journal() }
    }

    @Test("A folder belongs to one journal at a time")
    func inUse() async throws {
        let first = try state.journal()
        #expect(throws: JournalError.inUse(path: state.folder)) { try state.journal() }
        await first.close()
        let second = try state.journal()
        withExtendedLifetime(second) {}
    }

    @Test("Folders and files that are none are refused with their path")
    func unusable() throws {
        let spool = try state.spool()
        for path in ["/proc/nothing/here", "/dev/null/state"] {
            #expect(throws: JournalError.readOnly(path: path)) { try SQLiteJournal(state: path, spool: spool) }
        }
        try Data("no database, but long enough to look at".utf8).write(
            to: URL(fileURLWithPath: state.folder + "/journal.sqlite")
        )
        #expect {
            _ = try state.journal()
        } throws: { error in
            guard case .damaged = error as? JournalError else { return false }
            return true
        }
    }

    @Test("A database of another program is left alone")
    func foreign() throws {
        _ = try state.spool()
        let path = state.folder + "/journal.sqlite"
        try SQLiteConnection(path: path, busyMilliseconds: 0).execute("CREATE TABLE theirs (x)")
        #expect(throws: JournalError.damaged(path: path, reason: "it is a database of another program")) {
            try state.journal()
        }
        let tables = try SQLiteConnection(path: path, busyMilliseconds: 0).integer("SELECT count(*) FROM sqlite_schema")
        #expect(tables == 1)
    }

    @Test("A newer version's file is refused and not touched")
    func newer() async throws {
        do { await (try state.journal()).close() }
        let path = state.folder + "/journal.sqlite"
        // The thread of the closed journal may still be about to let the file go.
        do { try SQLiteConnection(path: path, busyMilliseconds: 5_000).execute("PRAGMA user_version = 99") }
        #expect(
            throws: JournalError.newerVersion(found: 99, known: JournalSchema.steps.count, path: path)
        ) { try state.journal() }
        #expect(try SQLiteConnection(path: path, busyMilliseconds: 0).integer("PRAGMA user_version") == 99)
    }

    @Test("An older version's file is brought forward step by step, and a step that fails leaves it as it was")
    func migration() async throws {
        do {
            let journal = try state.journal()
            try await journal.accept([.sample("one")], key: nil, files: [])
            await journal.close()
        }
        let connection = try SQLiteConnection(path: state.folder + "/journal.sqlite", busyMilliseconds: 5_000)
        let known = JournalSchema.steps
        let next = "ALTER TABLE uploads ADD COLUMN colour TEXT NOT NULL DEFAULT 'blue';"
        #expect(throws: JournalError.self) {
            try JournalSchema.migrate(connection, steps: known + [next + "CREATE TABLE uploads (x);"])
        }
        #expect(try connection.integer("PRAGMA user_version") == Int64(known.count))
        #expect(throws: JournalError.self) { try connection.run("SELECT colour FROM uploads") }
        try JournalSchema.migrate(connection, steps: known + [next])
        #expect(try connection.integer("PRAGMA user_version") == Int64(known.count + 1))
        #expect(try connection.integer("SELECT count(*) FROM uploads WHERE colour = 'blue'") == 1)
    }

    @Test("Version 1 did not note what may have arrived: what it had begun is in doubt, what it had not is not")
    func doubtsOfVersion1() throws {
        try FileManager.default.createDirectory(atPath: state.folder, withIntermediateDirectories: true)
        let connection = try SQLiteConnection(path: state.folder + "/journal.sqlite", busyMilliseconds: 5_000)
        try JournalSchema.migrate(connection, steps: Array(JournalSchema.steps.prefix(1)))
        let rows = [
            ("pending", "waiting", 0), ("pending", "attempting", 1), ("pending", "releasing", 1),
            ("pending", "waiting", 2), ("delivered", "waiting", 1), ("unknown", "waiting", 1),
        ]
        for (position, row) in rows.enumerated() {
            try connection.run(
                """
                INSERT INTO deliveries (upload, position, service, role, status, phase, attempts, duration_ms)
                VALUES (1, ?1, 'a', 'required', ?2, ?3, ?4, 0)
                """,
                [.integer(Int64(position)), .text(row.0), .text(row.1), .integer(Int64(row.2))]
            )
        }
        try JournalSchema.migrate(connection)
        var doubts: [Int?] = []
        try connection.query("SELECT in_doubt FROM deliveries ORDER BY position", []) { row in
            doubts.append(row.int(0))
        }
        #expect(doubts == [0, 1, 1, 1, 0, 0])
    }

    @Test("While another program holds the file, writing fails as busy, nothing is half-written, and then goes on")
    func busy() async throws {
        let journal = try state.journal(
            settings: JournalSettings(durability: .relaxed, busyWait: .milliseconds(20))
        )
        try await journal.accept([.sample("one", ["a"])], key: nil, files: [])
        let other = try SQLiteConnection(path: state.folder + "/journal.sqlite", busyMilliseconds: 0)
        try other.execute("BEGIN IMMEDIATE")
        await #expect(throws: JournalError.busy) {
            try await journal.accept([.sample("two")], key: nil, files: [])
        }
        await #expect(throws: JournalError.busy) {
            try await journal.record([JournalNote(upload: "one", delivery: 0, .settled(.delivered()))])
        }
        let wish = JournalDeletion(state: .pending, at: 5)
        await #expect(throws: JournalError.busy) {
            try await journal.record([JournalNote(upload: "one", delivery: 0, .deletion(wish))])
        }
        // The outcome has happened and is shown; a wish that was refused is not.
        #expect(try await journal.upload("one")?.status == .delivered)
        #expect(try await journal.history(JournalQuery()).uploads.map(\.status) == [.delivered])
        #expect(try await journal.upload("one")?.deliveries[0].deletion == nil)
        #expect(try await journal.counters().owed == 1)
        // Nobody can say now who else has the same links.
        let delivery = try #require(try await journal.upload("one")).deliveries[0]
        await #expect(throws: JournalError.busy) {
            try await journal.sharer(of: delivery, renditionSHA256: "abc", besides: "one")
        }
        try other.execute("ROLLBACK")
        try await journal.accept([.sample("three")], key: nil, files: [])
        // The outcome that was owed came with it.
        #expect(try await journal.upload("one")?.status == .delivered)
        #expect(try await journal.upload("two") == nil)
        #expect(try await journal.counters().owed == 0)
    }

    /// SQLite's result codes and what they mean to an operator.
    private static let codes: [(Int32, JournalError)] = [
        // SQLITE_FULL, SQLITE_IOERR_SHMSIZE.
        (13, .full), (10 | 19 << 8, .full),
        // SQLITE_PERM, SQLITE_READONLY, _DBMOVED, _DIRECTORY, SQLITE_CANTOPEN, _ISDIR.
        (3, .readOnly(path: "p")), (8, .readOnly(path: "p")), (8 | 4 << 8, .moved),
        (8 | 6 << 8, .readOnly(path: "p")), (14, .readOnly(path: "p")), (14 | 2 << 8, .readOnly(path: "p")),
        // SQLITE_BUSY, _SNAPSHOT, SQLITE_LOCKED.
        (5, .busy), (5 | 2 << 8, .busy), (6, .busy),
        // SQLITE_CORRUPT, _INDEX, SQLITE_NOTADB.
        (11, .damaged(path: "p", reason: "r")), (11 | 3 << 8, .damaged(path: "p", reason: "r")),
        (26, .damaged(path: "p", reason: "r")),
        // SQLITE_IOERR, _WRITE, _FSYNC.
        (10, .disk(code: 10)), (778, .disk(code: 778)), (1_034, .disk(code: 1_034)),
        // SQLITE_ERROR, SQLITE_NOMEM, SQLITE_CONSTRAINT_UNIQUE.
        (1, .failed(code: 1, reason: "r")), (7, .failed(code: 7, reason: "r")),
        (2_067, .failed(code: 2_067, reason: "r")),
    ]

    @Test("Each result code of the library has its meaning", arguments: codes)
    func meanings(code: Int32, error: JournalError) {
        #expect(SQLiteConnection.meaning(of: code, path: "p", reason: "r") == error)
    }

    @Test(
        "What a new start would not find is not told as taken; what is put back goes on",
        arguments: ["journal.sqlite", "journal.sqlite-wal", "lock", "state.key"],
        [true, false]
    )
    func moved(file: String, isReplaced: Bool) async throws {
        let journal = try state.journal()
        try await journal.accept([.sample("one", ["a"])], key: nil, files: [])
        let files = FileManager.default
        let (path, away) = (state.folder + "/" + file, state.folder + "/away")
        try files.moveItem(atPath: path, toPath: away)
        if isReplaced { try files.copyItem(atPath: away, toPath: path) }
        await #expect(throws: JournalError.moved) {
            try await journal.accept([.sample("two")], key: nil, files: [])
        }
        await #expect(throws: JournalError.moved) {
            try await journal.record([JournalNote(upload: "one", delivery: 0, .settled(.delivered()))])
        }
        #expect(journal.owedCount == 1)
        if isReplaced { try files.removeItem(atPath: path) }
        try files.moveItem(atPath: away, toPath: path)
        journal.retryOwed()
        try await journal.accept([.sample("three")], key: nil, files: [])
        #expect(journal.owedCount == 0)
        await journal.close()
        let next = try state.journal()
        #expect(try await next.upload("one")?.status == .delivered)
        #expect(try await next.upload("two") == nil)
        #expect(try await next.upload("three") != nil)
    }

    @Test("What is owed is written at the end when that works again, and counted when it does not")
    func owedAtTheEnd() async throws {
        for isFree in [true, false] {
            let journal = try state.journal(
                settings: JournalSettings(durability: .relaxed, busyWait: .milliseconds(20))
            )
            let id = "free \(isFree)"
            try await journal.accept([.sample(id, ["a"])], key: nil, files: [])
            let other = try SQLiteConnection(path: state.folder + "/journal.sqlite", busyMilliseconds: 0)
            try other.execute("BEGIN IMMEDIATE")
            await #expect(throws: JournalError.busy) {
                try await journal.record([JournalNote(upload: id, delivery: 0, .settled(.delivered()))])
            }
            if isFree { try other.execute("ROLLBACK") }
            await journal.close()
            #expect(journal.owedCount == (isFree ? 0 : 1))
            if !isFree { try other.execute("ROLLBACK") }
            let next = try state.journal()
            #expect(try await next.upload(id)?.status == (isFree ? .delivered : .pending))
            await next.close()
        }
    }

    @Test("A full journal refuses uploads whole, and takes them again when old ones have gone")
    func full() async throws {
        let journal = try state.journal(settings: JournalSettings(durability: .relaxed, keepBytes: 0))
        let spool = try state.spool()
        var accepted = 0
        var failure: JournalError?
        while failure == nil, accepted < 1_000 {
            let file = try state.picture(spool)
            var upload = JournalUpload.sample("u\(accepted)", ["a"], file: file)
            upload.caption.description = String(repeating: "x", count: 50_000)
            upload.deliveries[0].status = .delivered
            do throws(JournalError) {
                try await journal.accept([upload, .sample("v\(accepted)", [])], key: nil, files: [file])
                accepted += 1
            } catch {
                failure = error
            }
        }
        #expect(failure == .full)
        #expect(try await journal.upload("u\(accepted)") == nil)
        #expect(try await journal.upload("v\(accepted)") == nil)
        #expect(try state.spoolNames.isEmpty)
        #expect(try await journal.prune(now: 2_000).uploads > 0)
        try await journal.accept([.sample("again")], key: nil, files: [])
        #expect(try await journal.upload("again") != nil)
    }

    @Test("A request that cannot be written for its own reason does not spoil those beside it")
    func oneOfMany() async throws {
        let journal = try state.journal()
        let key = JournalKey(key: "k", client: "", bodyDigest: "d", uploads: ["u"], createdAt: 1_000)
        let outcomes = await withTaskGroup(of: JournalError?.self) { group in
            for number in 0..<50 {
                group.addTask {
                    do throws(JournalError) {
                        try await journal.accept([.sample("u\(number)")], key: number < 10 ? key : nil, files: [])
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.filter { $0 == .keyTaken }.count == 9)
        #expect(outcomes.filter { $0 == nil }.count == 41)
        #expect(try await journal.counters().uploads == 41)
        #expect(try await journal.upload("u49") != nil)
        await #expect(throws: JournalError.self) {
            try await journal.accept([.sample("new"), .sample("u49")], key: nil, files: [])
        }
        #expect(try await journal.upload("new") == nil)
    }

    @Test("Many at the same time share transactions")
    func groupCommit() async throws {
        let journal = try state.journal(settings: JournalSettings(durability: .full))
        let before = try await journal.counters().commits
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<400 {
                group.addTask { try? await journal.accept([.sample("u\(number)")], key: nil, files: []) }
            }
        }
        let counters = try await journal.counters()
        #expect(counters.uploads == 400)
        #expect(counters.commits - before < 400)
    }
}
