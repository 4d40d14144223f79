// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// The tables, and the way to them from every earlier version.
///
/// `user_version` holds the version. A released step is never edited: a change is a new step at the end.
enum JournalSchema {
    /// Marks a file as a journal of this program ("FLJ1").
    static let applicationID: Int64 = 0x464C_4A31

    /// Each step leads from the version that is its place to the next.
    static let steps: [String] = [version1, version2]

    /// Brings a file to this program's version, each step in a transaction of its own.
    ///
    /// - Parameter steps: from an empty file on; their count is the version that the program writes.
    static func migrate(
        _ connection: SQLiteConnection,
        steps: [String] = steps
    ) throws(JournalError) {
        let version = steps.count
        let found = Int(try connection.integer("PRAGMA user_version") ?? 0)
        let mark = try connection.integer("PRAGMA application_id") ?? 0
        let isEmpty = try connection.integer("SELECT count(*) FROM sqlite_schema") == 0
        guard mark == applicationID || isEmpty else {
            throw .damaged(path: connection.path, reason: "it is a database of another program")
        }
        guard found <= version else {
            throw .newerVersion(found: found, known: version, path: connection.path)
        }
        for step in found..<version {
            do throws(JournalError) {
                try connection.execute(
                    """
                    BEGIN IMMEDIATE;
                    \(steps[step])
                    PRAGMA application_id = \(applicationID);
                    PRAGMA user_version = \(step + 1);
                    COMMIT;
                    """
                )
            } catch {
                if connection.isInTransaction { try? connection.execute("ROLLBACK") }
                throw error
            }
        }
    }

    /// Rows are small; the pictures lie in the spool under the names in `pictures`.
    private static let version1 = """
        CREATE TABLE uploads (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            created_at INTEGER NOT NULL,
            client TEXT NOT NULL,
            status TEXT NOT NULL,
            notify_attempts INTEGER,
            notify_due INTEGER,
            notify_done INTEGER,
            choices TEXT NOT NULL,
            record TEXT NOT NULL
        );
        CREATE INDEX uploads_open ON uploads (status, number) WHERE status <> 'delivered';
        CREATE INDEX uploads_time ON uploads (created_at);
        CREATE INDEX uploads_due ON uploads (notify_due) WHERE notify_due IS NOT NULL;

        CREATE TABLE deliveries (
            upload INTEGER NOT NULL,
            position INTEGER NOT NULL,
            service TEXT NOT NULL,
            role TEXT NOT NULL,
            rendition INTEGER,
            status TEXT NOT NULL,
            phase TEXT NOT NULL,
            attempts INTEGER NOT NULL,
            first_attempt_at INTEGER,
            not_before INTEGER,
            settled_at INTEGER,
            event_number INTEGER,
            duration_ms INTEGER NOT NULL,
            picture_digest TEXT,
            caption_digest TEXT,
            deletion_state TEXT,
            deletion TEXT,
            links TEXT,
            failure TEXT,
            options BLOB,
            progress BLOB,
            handle BLOB,
            PRIMARY KEY (upload, position)
        ) WITHOUT ROWID;
        CREATE INDEX deliveries_same ON deliveries (service, picture_digest, caption_digest, settled_at)
            WHERE status = 'delivered' AND caption_digest IS NOT NULL AND picture_digest IS NOT NULL;
        CREATE INDEX deliveries_deleting ON deliveries (upload) WHERE deletion_state = 'pending';

        CREATE TABLE pictures (
            upload INTEGER NOT NULL,
            position INTEGER NOT NULL,
            file TEXT NOT NULL,
            bytes INTEGER NOT NULL,
            part_head BLOB,
            part_start INTEGER,
            PRIMARY KEY (upload, position)
        ) WITHOUT ROWID;

        CREATE TABLE keys (
            client TEXT NOT NULL,
            key TEXT NOT NULL,
            body_digest TEXT NOT NULL,
            uploads TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            PRIMARY KEY (client, key)
        ) WITHOUT ROWID;
        CREATE INDEX keys_time ON keys (created_at);

        CREATE TABLE kept (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
        """

    /// Whether a pending delivery may have arrived.
    ///
    /// Version 1 did not note it, so that what had been begun may have.
    private static let version2 = """
        ALTER TABLE deliveries ADD COLUMN in_doubt INTEGER NOT NULL DEFAULT 0;
        UPDATE deliveries SET in_doubt = 1 WHERE status = 'pending' AND (phase <> 'waiting' OR attempts > 0);
        """
}
