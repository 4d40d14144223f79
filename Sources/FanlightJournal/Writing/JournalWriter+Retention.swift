// SPDX-License-Identifier: Apache-2.0

import FanlightCore

extension JournalWriter {
    /// Uploads, pictures and keys of one round, so that writers wait only shortly.
    private static let round: Int64 = 200

    /// Lets expire what is too old or too much, oldest first.
    func prune(now: Int64, _ settings: JournalSettings) throws(JournalError) -> JournalPruning {
        var done = JournalPruning()
        done.keys = try expireKeys(now)
        done.pictures = try expirePictures(now, settings)
        done.uploads = try expireUploads(now, settings)
        done.hasMore = [done.keys, done.pictures, done.uploads].contains { $0 >= Int(Self.round) }
        return done
    }

    private func expireKeys(_ now: Int64) throws(JournalError) -> Int {
        try connection.run(
            """
            DELETE FROM keys WHERE (client, key) IN
            (SELECT client, key FROM keys WHERE created_at <= ?1 ORDER BY created_at LIMIT ?2)
            """,
            [.integer(now - JournalTimes.keyLifetime), .integer(Self.round)]
        )
        return connection.changes
    }

    /// Pictures of finished uploads; those of unfinished ones are needed.
    private func expirePictures(_ now: Int64, _ settings: JournalSettings) throws(JournalError) -> Int {
        var rows: [(upload: Int64, bytes: Int64, createdAt: Int64)] = []
        try connection.query(
            """
            SELECT pictures.upload, sum(pictures.bytes), uploads.created_at
            FROM (SELECT DISTINCT upload, file, bytes FROM pictures) AS pictures JOIN uploads ON uploads.number = pictures.upload
            WHERE uploads.status <> 'pending' GROUP BY pictures.upload ORDER BY pictures.upload
            """
        ) { row in
            rows.append((row.integer(0) ?? 0, row.integer(1) ?? 0, row.integer(2) ?? 0))
        }
        var excess = rows.reduce(0) { $0 + $1.bytes } - Int64(settings.picturesBytes)
        let oldest = now - JournalTimes.milliseconds(settings.picturesFor)
        var count = 0
        for row in rows where (excess > 0 || row.createdAt < oldest) && count < Int(Self.round) {
            try dropPictures(of: row.upload, but: [])
            excess -= row.bytes
            count += 1
        }
        return count
    }

    private func expireUploads(_ now: Int64, _ settings: JournalSettings) throws(JournalError) -> Int {
        var numbers = try finished(
            "created_at < ?1",
            [.integer(now - JournalTimes.milliseconds(settings.keepFor)), .integer(Self.round)]
        )
        if numbers.isEmpty, try usedBytes() > settings.keepBytes {
            numbers = try finished("?1 = ?1", [.integer(0), .integer(Self.round)])
        }
        for number in numbers { try remove(number) }
        if !numbers.isEmpty { try connection.run("PRAGMA incremental_vacuum(64)") }
        return numbers.count
    }

    private func finished(_ condition: String, _ values: [SQLiteValue]) throws(JournalError) -> [Int64] {
        var numbers: [Int64] = []
        try connection.query(
            """
            SELECT number FROM uploads WHERE \(condition) AND status <> 'pending'
            AND NOT EXISTS (SELECT 1 FROM deliveries WHERE upload = number AND deletion_state = 'pending')
            ORDER BY number LIMIT ?2
            """,
            values
        ) { row in
            if let number = row.integer(0) { numbers.append(number) }
        }
        return numbers
    }

    /// Bytes of the file that hold something (C: page_count, freelist_count).
    private func usedBytes() throws(JournalError) -> Int {
        let pages = try connection.integer("PRAGMA page_count") ?? 0
        let free = try connection.integer("PRAGMA freelist_count") ?? 0
        return Int((pages - free) * (try connection.integer("PRAGMA page_size") ?? 0))
    }

    /// Removes finished uploads by id.
    func remove(_ ids: [String]) throws(JournalError) {
        for id in ids {
            let number = try connection.integer(
                "SELECT number FROM uploads WHERE id = ?1 AND status <> 'pending'",
                [.text(id)]
            )
            if let number { try remove(number) }
        }
    }

    private func remove(_ number: Int64) throws(JournalError) {
        try dropPictures(of: number, but: [])
        try connection.run("DELETE FROM deliveries WHERE upload = ?1", [.integer(number)])
        try connection.run("DELETE FROM uploads WHERE number = ?1", [.integer(number)])
    }
}
