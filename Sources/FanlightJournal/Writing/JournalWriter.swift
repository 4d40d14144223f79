// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Writes into an open transaction; used by the writer thread alone.
final class JournalWriter {
    let connection: SQLiteConnection
    let columns: SealedColumns
    /// Uploads whose deliveries changed in this transaction: their status and pictures are looked at once, at its end.
    private var touched: Set<Int64> = []
    /// Files without which a new start does not find what is written here.
    private var places: [FilePlace] = []
    /// Spool files that nobody needs once the transaction is committed.
    private(set) var unneeded: [String] = []

    init(connection: SQLiteConnection, seal: Seal) {
        self.connection = connection
        columns = SealedColumns(seal: seal)
    }

    /// Begins a transaction.
    func begin() throws(JournalError) {
        touched = []
        unneeded = []
        try connection.run("BEGIN IMMEDIATE")
    }

    /// Notes which files stand there now; each commit looks whether they still do.
    ///
    /// - Parameter paths: What does not exist is not looked at.
    func watch(_ paths: [String]) { places = paths.compactMap { FilePlace($0) } }

    /// Commits; the files in ``unneeded`` may be removed afterwards.
    func commit() throws(JournalError) {
        for upload in touched { try finish(upload) }
        // Told as written, it would be lost with the next start.
        guard places.allSatisfy({ $0.change == nil }) else { throw .moved }
        try connection.run("COMMIT")
    }

    /// Undoes everything since the beginning.
    func rollBack() {
        touched = []
        unneeded = []
        if connection.isInTransaction { try? connection.run("ROLLBACK") }
    }

    func accept(_ uploads: [JournalUpload], _ key: JournalKey?) throws(JournalError) {
        if let key { try insert(key) }
        for upload in uploads { try insert(upload) }
    }

    private func insert(_ key: JournalKey) throws(JournalError) {
        try connection.run(
            """
            INSERT INTO keys (client, key, body_digest, uploads, created_at) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT DO UPDATE SET body_digest = ?3, uploads = ?4, created_at = ?5 WHERE created_at <= ?6
            """,
            [
                .text(key.client), .text(key.key), .text(key.bodyDigest),
                .text(JSONValue.array(key.uploads.map { .string($0) }).serialized()), .integer(key.createdAt),
                .integer(key.createdAt - JournalTimes.keyLifetime),
            ]
        )
        if connection.changes == 0 { throw .keyTaken }
    }

    private func insert(_ upload: JournalUpload) throws(JournalError) {
        try connection.run(
            """
            INSERT INTO uploads
            (id, created_at, client, status, notify_attempts, notify_due, notify_done, choices, record)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            """,
            [
                .text(upload.id), .integer(upload.createdAt), .text(upload.client), .text(upload.status.rawValue),
                SQLiteValue(upload.notification?.attempts), Self.due(upload.notification),
                SQLiteValue(upload.notification.map { $0.isDone ? 1 : 0 }),
                .text(upload.choices.serialized()), .text(RecordCodec.text(of: upload)),
            ]
        )
        let number = connection.lastInserted
        for (position, delivery) in upload.deliveries.enumerated() {
            try insert(delivery, upload, number, position)
        }
        for (position, rendition) in upload.renditions.enumerated() {
            guard let file = rendition.file else { continue }
            try connection.run(
                """
                INSERT INTO pictures (upload, position, file, bytes, part_head, part_start)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                """,
                [
                    .integer(number), .integer(Int64(position)), .text(file),
                    .integer(Int64(rendition.storedBytes)),
                    SQLiteValue(rendition.part?.head), SQLiteValue(rendition.part?.start),
                ]
            )
        }
        // Where nothing is to be sent, the pictures are not needed either.
        if upload.status != .pending { touched.insert(number) }
    }

    private func insert(
        _ delivery: JournalDelivery,
        _ upload: JournalUpload,
        _ number: Int64,
        _ position: Int
    ) throws(JournalError) {
        let place = delivery.rendition
        let digest = place.flatMap { upload.renditions.indices.contains($0) ? upload.renditions[$0].sha256 : nil }
        try connection.run(
            """
            INSERT INTO deliveries
            (upload, position, service, role, rendition, status, phase, attempts, first_attempt_at, not_before,
             settled_at, event_number, duration_ms, picture_digest, caption_digest, deletion_state, deletion, links,
             failure, options, progress, handle, in_doubt)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22,
                ?23)
            """,
            [
                .integer(number), .integer(Int64(position)), .text(delivery.service), .text(delivery.role.rawValue),
                SQLiteValue(delivery.rendition), .text(delivery.status.rawValue), .text(delivery.phase.rawValue),
                .integer(Int64(delivery.attempts)), SQLiteValue(delivery.firstAttemptAt),
                SQLiteValue(delivery.notBefore), SQLiteValue(delivery.settledAt), SQLiteValue(delivery.eventNumber),
                .integer(Int64(delivery.durationMilliseconds)), SQLiteValue(digest),
                SQLiteValue(delivery.captionDigest), SQLiteValue(delivery.deletion?.state.rawValue),
                SQLiteValue(delivery.deletion.map(OutcomeCodec.text)),
                SQLiteValue(OutcomeCodec.text(of: delivery.links)),
                SQLiteValue(delivery.failure.map(OutcomeCodec.text)),
                try columns.sealed(SealedColumns.json(of: delivery.options), "options", upload.id, position),
                try columns.sealed(delivery.progress, "progress", upload.id, position),
                try columns.sealed(OutcomeCodec.handle(of: delivery.links), "handle", upload.id, position),
                .integer(delivery.isInDoubt ? 1 : 0),
            ]
        )
    }

    static func due(_ notification: JournalNotification?) -> SQLiteValue {
        guard let notification, !notification.isDone else { return .null }
        return SQLiteValue(notification.dueAt)
    }

    /// Throws where the file was sealed with another key; a new file is marked with this one.
    func checkKey() throws(JournalError) {
        let name = "key"
        var sealed: [UInt8]?
        try connection.query("SELECT value FROM kept WHERE name = ?1", [.text(name)]) { row in sealed = row.bytes(0) }
        if let sealed {
            _ = try columns.opened(sealed, "kept", name, 0)
        } else {
            try keep(.bool(true), name)
        }
    }

    func keep(_ value: JSONValue?, _ name: String) throws(JournalError) {
        guard let value else { return try connection.run("DELETE FROM kept WHERE name = ?1", [.text(name)]) }
        try connection.run(
            "INSERT INTO kept (name, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2",
            [.text(name), try columns.sealed(value, "kept", name, 0)]
        )
    }

    /// Number of an upload's row; `nil` when there is none (it may have been removed meanwhile).
    func number(_ id: String) throws(JournalError) -> Int64? {
        try connection.integer("SELECT number FROM uploads WHERE id = ?1", [.text(id)])
    }

    /// The upload's status and pictures are looked at when the transaction ends.
    func touch(_ upload: Int64) { touched.insert(upload) }

    /// Notes that a picture's file is to be removed after the commit.
    func giveUp(_ file: String) { unneeded.append(file) }
}
