// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Reads beside the writer, on a connection and a thread of its own.
final class JournalReader {
    private let connection: SQLiteConnection
    private let columns: SealedColumns

    init(connection: SQLiteConnection, seal: Seal) {
        self.connection = connection
        columns = SealedColumns(seal: seal)
    }

    /// Columns of an upload, in the order in which `upload(row)` takes them.
    private static let fields =
        "number, id, created_at, client, notify_attempts, notify_due, notify_done, choices, record"

    func upload(_ id: String) throws(JournalError) -> JournalUpload? {
        try uploads("SELECT \(Self.fields) FROM uploads WHERE id = ?1", [.text(id)]).first?.upload
    }

    func unfinished(after: String?, limit: Int) throws(JournalError) -> [JournalUpload] {
        let start = try after.flatMap { id throws(JournalError) in
            try connection.integer("SELECT number FROM uploads WHERE id = ?1", [.text(id)])
        }
        return try uploads(
            """
            SELECT \(Self.fields) FROM uploads WHERE number IN (
            SELECT number FROM uploads WHERE status = 'pending' AND status <> 'delivered' AND number > ?1
            UNION SELECT upload FROM deliveries WHERE deletion_state = 'pending' AND upload > ?1)
            ORDER BY number LIMIT ?2
            """,
            [.integer(start ?? -1), .integer(Int64(limit))]
        ).map(\.upload)
    }

    func dueNotifications(now: Int64, limit: Int) throws(JournalError) -> [JournalUpload] {
        try uploads(
            """
            SELECT \(Self.fields) FROM uploads WHERE notify_due <= ?1 AND NOT EXISTS
            (SELECT 1 FROM deliveries WHERE upload = number AND deliveries.status = 'pending' AND role <> 'shadow')
            ORDER BY notify_due LIMIT ?2
            """,
            [.integer(now), .integer(Int64(limit))]
        ).map(\.upload)
    }

    func history(_ query: JournalQuery) throws(JournalError) -> JournalPage {
        let limit = max(1, min(query.limit, 1_000))
        var conditions = ["number < ?1"]
        var values: [SQLiteValue] = [.integer(query.cursor.flatMap { Int64($0, radix: 36) } ?? .max)]
        func add(_ condition: (String) -> String, _ value: SQLiteValue?) {
            guard let value else { return }
            values.append(value)
            conditions.append(condition("?\(values.count)"))
        }
        add({ "status = \($0)" }, query.status.map { .text($0.rawValue) })
        // Lets SQLite use the index of what is not simply delivered.
        if let status = query.status, status != .delivered { conditions.append("status <> 'delivered'") }
        add(
            { "EXISTS (SELECT 1 FROM deliveries WHERE upload = number AND service = \($0))" },
            query.service.map { .text($0) }
        )
        add({ "client = \($0)" }, query.client.map { .text($0) })
        add({ "created_at >= \($0)" }, query.since.map { .integer($0) })
        add({ "created_at < \($0)" }, query.until.map { .integer($0) })
        values.append(.integer(Int64(limit + 1)))
        let found = try uploads(
            """
            SELECT \(Self.fields) FROM uploads WHERE \(conditions.joined(separator: " AND "))
            ORDER BY number DESC LIMIT ?\(values.count)
            """,
            values
        )
        let page = found.prefix(limit)
        let next = found.count > limit ? page.last.map { String($0.number, radix: 36) } : nil
        return JournalPage(uploads: page.map(\.upload), next: next)
    }

    func key(_ key: String, client: String, now: Int64) throws(JournalError) -> JournalKey? {
        var found: JournalKey?
        try connection.query(
            "SELECT body_digest, uploads, created_at FROM keys WHERE client = ?1 AND key = ?2 AND created_at > ?3",
            [.text(client), .text(key), .integer(now - JournalTimes.keyLifetime)]
        ) { row in
            let uploads = row.bytes(1).flatMap { try? JSONParser.parse($0) }?.array ?? []
            found = JournalKey(
                key: key,
                client: client,
                bodyDigest: row.text(0) ?? "",
                uploads: uploads.compactMap(\.string),
                createdAt: row.integer(2) ?? 0
            )
        }
        return found
    }

    func reusable(service: String, picture: String, caption: String) throws(JournalError) -> JournalReuse? {
        var found: JournalReuse?
        try connection.query(
            """
            SELECT uploads.id, deliveries.position, links, handle, settled_at
            FROM deliveries JOIN uploads ON uploads.number = deliveries.upload
            WHERE service = ?1 AND picture_digest = ?2 AND caption_digest = ?3 AND deliveries.status = 'delivered'
            AND caption_digest IS NOT NULL AND picture_digest IS NOT NULL AND deletion_state IS NULL
            ORDER BY settled_at DESC LIMIT 1
            """,
            [.text(service), .text(picture), .text(caption)]
        ) { row throws(JournalError) in
            guard let id = row.text(0), let position = row.int(1), let time = row.integer(4) else { return }
            var links = OutcomeCodec.links(row.bytes(2))
            OutcomeCodec.add(try columns.opened(row.bytes(3), "handle", id, position), to: &links)
            found = JournalReuse(upload: id, links: links, settledAt: time)
        }
        return found
    }

    func sharer(
        of delivery: JournalDelivery,
        picture: String,
        besides upload: String
    ) throws(JournalError) -> String? {
        guard let caption = delivery.captionDigest, let text = OutcomeCodec.text(of: delivery.links) else { return nil }
        var found: String?
        try connection.query(
            """
            SELECT uploads.id, deliveries.position, links, handle
            FROM deliveries JOIN uploads ON uploads.number = deliveries.upload
            WHERE service = ?1 AND picture_digest = ?2 AND caption_digest = ?3 AND deliveries.status = 'delivered'
            AND caption_digest IS NOT NULL AND picture_digest IS NOT NULL AND deletion_state IS NULL
            AND links = ?4 AND uploads.id <> ?5 ORDER BY settled_at DESC LIMIT 100
            """,
            [.text(delivery.service), .text(picture), .text(caption), .text(text), .text(upload)]
        ) { row throws(JournalError) in
            guard found == nil, let id = row.text(0), let position = row.int(1) else { return }
            var links = OutcomeCodec.links(row.bytes(2))
            // Two pictures may be shown on one page: what deletes them tells them apart, and is sealed.
            OutcomeCodec.add(try columns.opened(row.bytes(3), "handle", id, position), to: &links)
            if links == delivery.links { found = id }
        }
        return found
    }

    func kept(_ name: String) throws(JournalError) -> JSONValue? {
        var found: JSONValue?
        try connection.query("SELECT value FROM kept WHERE name = ?1", [.text(name)]) { row throws(JournalError) in
            found = try columns.opened(row.bytes(0), "kept", name, 0)
        }
        return found
    }

    func kept(beginning prefix: String) throws(JournalError) -> [String: JSONValue] {
        var found: [String: JSONValue] = [:]
        try connection.query(
            "SELECT name, value FROM kept WHERE substr(name, 1, length(?1)) = ?1",
            [.text(prefix)]
        ) { row throws(JournalError) in
            guard let name = row.text(0) else { return }
            found[name] = try columns.opened(row.bytes(1), "kept", name, 0)
        }
        return found
    }

    /// Names of all files that the journal owns.
    func pictures() throws(JournalError) -> Set<String> {
        var names: Set<String> = []
        try connection.query("SELECT file FROM pictures") { row in
            if let name = row.text(0) { names.insert(name) }
        }
        return names
    }

    func counters() throws(JournalError) -> JournalCounters {
        var counters = JournalCounters()
        counters.uploads = Int(try connection.integer("SELECT count(*) FROM uploads") ?? 0)
        counters.unfinished = Int(
            try connection.integer(
                "SELECT count(*) FROM uploads WHERE status = 'pending' AND status <> 'delivered'"
            ) ?? 0
        )
        try connection.query("SELECT count(*), sum(bytes) FROM (SELECT DISTINCT file, bytes FROM pictures)") { row in
            counters.pictures = row.int(0) ?? 0
            counters.pictureBytes = row.int(1) ?? 0
        }
        return counters
    }
}

extension JournalReader {
    private func uploads(
        _ sql: String,
        _ values: [SQLiteValue]
    ) throws(JournalError) -> [(number: Int64, upload: JournalUpload)] {
        var found: [(number: Int64, upload: JournalUpload)] = []
        let path = connection.path
        // One view of all tables, whatever is written meanwhile.
        try connection.run("BEGIN")
        defer { try? connection.run("COMMIT") }
        try connection.query(sql, values) { row throws(JournalError) in
            guard let number = row.integer(0), let upload = Self.upload(row) else {
                throw .damaged(path: path, reason: "the record of an upload cannot be read")
            }
            found.append((number, upload))
        }
        for index in found.indices { try complete(&found[index].upload, found[index].number) }
        return found
    }

    private static func upload(_ row: SQLiteRow) -> JournalUpload? {
        var upload = JournalUpload(
            id: row.text(1) ?? "",
            createdAt: row.integer(2) ?? 0,
            client: row.text(3) ?? "",
            image: ImageFacts(mediaType: .jpeg, width: 0, height: 0),
            imageBytes: 0,
            sha256: nil
        )
        if let attempts = row.int(4) {
            upload.notification = JournalNotification(
                attempts: attempts,
                dueAt: row.integer(5),
                isDone: row.int(6) == 1
            )
        }
        upload.choices = row.bytes(7).flatMap { try? JSONParser.parse($0) } ?? .object([])
        guard let record = row.bytes(8), RecordCodec.read(record, into: &upload) else { return nil }
        return upload
    }

    /// Adds deliveries and the names of the pictures that are still there.
    private func complete(_ upload: inout JournalUpload, _ number: Int64) throws(JournalError) {
        var deliveries: [JournalDelivery] = []
        let id = upload.id
        try connection.query(
            """
            SELECT service, role, rendition, status, phase, attempts, first_attempt_at, not_before, settled_at,
            event_number, duration_ms, caption_digest, deletion_state, deletion, links, failure, options, progress,
            handle, in_doubt FROM deliveries WHERE upload = ?1 ORDER BY position
            """,
            [.integer(number)]
        ) { row throws(JournalError) in
            deliveries.append(try delivery(row, id, deliveries.count))
        }
        upload.deliveries = deliveries
        try addPictures(to: &upload, number)
    }

    private func addPictures(to upload: inout JournalUpload, _ number: Int64) throws(JournalError) {
        var pictures: [(position: Int, file: String, bytes: Int, head: [UInt8]?, start: Int?)] = []
        try connection.query(
            "SELECT position, file, bytes, part_head, part_start FROM pictures WHERE upload = ?1 ORDER BY position",
            [.integer(number)]
        ) { row in
            guard let position = row.int(0), let file = row.text(1) else { return }
            pictures.append((position, file, row.int(2) ?? 0, row.bytes(3), row.int(4)))
        }
        for picture in pictures where upload.renditions.indices.contains(picture.position) {
            upload.renditions[picture.position].file = picture.file
            guard let start = picture.start else { continue }
            upload.renditions[picture.position].part = JournalRendition.Part(
                head: picture.head ?? [],
                start: start,
                storedBytes: picture.bytes
            )
        }
    }

    private func delivery(_ row: SQLiteRow, _ id: String, _ position: Int) throws(JournalError) -> JournalDelivery {
        var delivery = JournalDelivery(
            service: row.text(0) ?? "",
            role: row.text(1).flatMap(DeliveryRole.init) ?? .required,
            rendition: row.int(2),
            options: SealedColumns.values(try columns.opened(row.bytes(16), "options", id, position)),
            captionDigest: row.text(11)
        )
        delivery.status = row.text(3).flatMap(DeliveryStatus.init) ?? .unknown
        delivery.phase = row.text(4).flatMap(JournalDelivery.Phase.init) ?? .releasing
        delivery.isInDoubt = row.int(19) == 1
        delivery.attempts = row.int(5) ?? 0
        delivery.firstAttemptAt = row.integer(6)
        delivery.notBefore = row.integer(7)
        delivery.settledAt = row.integer(8)
        delivery.eventNumber = row.int(9)
        delivery.durationMilliseconds = row.int(10) ?? 0
        delivery.deletion = OutcomeCodec.deletion(row.text(12), row.bytes(13))
        delivery.links = OutcomeCodec.links(row.bytes(14))
        delivery.failure = OutcomeCodec.failure(row.bytes(15))
        delivery.progress = try columns.opened(row.bytes(17), "progress", id, position)
        OutcomeCodec.add(try columns.opened(row.bytes(18), "handle", id, position), to: &delivery.links)
        return delivery
    }
}
