// SPDX-License-Identifier: Apache-2.0

import FanlightCore

extension JournalWriter {
    /// Applies a note; one about an upload that is not there (any more) changes nothing.
    func apply(_ note: JournalNote) throws(JournalError) {
        guard let number = try number(note.upload) else { return }
        switch note.event {
        case .delivery(let position, let change): try apply(change, note.upload, number, position)
        case .notification(let notification):
            try connection.run(
                "UPDATE uploads SET notify_attempts = ?2, notify_due = ?3, notify_done = ?4 WHERE number = ?1",
                [
                    .integer(number), .integer(Int64(notification.attempts)), Self.due(notification),
                    .integer(notification.isDone ? 1 : 0),
                ]
            )
        case .choices(let choices):
            try connection.run(
                "UPDATE uploads SET choices = ?2 WHERE number = ?1",
                [.integer(number), .text(choices.serialized())]
            )
        }
    }

    private func apply(_ change: JournalChange, _ id: String, _ number: Int64, _ position: Int) throws(JournalError) {
        let row: [SQLiteValue] = [.integer(number), .integer(Int64(position))]
        switch change {
        case .attempting(let attempt, let time):
            try begin(.attempting, row, attempt, time)
        case .releasing(let attempt, let time):
            try begin(.releasing, row, attempt, time)
        case .doubting(let attempt, let time):
            try begin(.attempting, row, attempt, time, isInDoubt: true)
        case .progress(let progress, let isInDoubt):
            try connection.run(
                """
                UPDATE deliveries SET phase = 'waiting', progress = coalesce(?3, progress), in_doubt = ?4
                WHERE upload = ?1 AND position = ?2
                """,
                row + [try columns.sealed(progress, "progress", id, position), .integer(isInDoubt ? 1 : 0)]
            )
        case .backingOff(let until, let attempts, let failure):
            try connection.run(
                """
                UPDATE deliveries SET phase = 'waiting', not_before = ?3, attempts = ?4, failure = ?5, in_doubt = ?6
                WHERE upload = ?1 AND position = ?2
                """,
                row + [
                    .integer(until), .integer(Int64(attempts)), .text(OutcomeCodec.text(of: failure)),
                    .integer(failure.mayHaveArrived ? 1 : 0),
                ]
            )
        case .settled(let outcome):
            try settle(outcome, row, id, position)
            touch(number)
        case .reopened:
            try connection.run(
                """
                UPDATE deliveries SET in_doubt = (status = 'unknown'), status = 'pending', phase = 'waiting', attempts = 0, first_attempt_at = NULL,
                not_before = NULL, progress = NULL, failure = NULL, settled_at = NULL
                WHERE upload = ?1 AND position = ?2
                """,
                row
            )
            touch(number)
        case .deletion(let deletion):
            if deletion.state != .shared { try dropTwins(row) }
            try connection.run(
                """
                UPDATE deliveries SET deletion_state = ?3, deletion = ?4,
                status = CASE WHEN ?5 THEN 'deleted' ELSE status END
                WHERE upload = ?1 AND position = ?2
                """,
                row + [
                    .text(deletion.state.rawValue), .text(OutcomeCodec.text(of: deletion)),
                    .integer(deletion.state.endsDelivery ? 1 : 0),
                ]
            )
            touch(number)
        }
    }

    /// What reused a delivery's links, or lent them, is no longer to be reused once one of both is to be deleted.
    private func dropTwins(_ row: [SQLiteValue]) throws(JournalError) {
        try connection.run(
            """
            UPDATE deliveries SET picture_digest = NULL WHERE (upload, position) IN
            (SELECT twin.upload, twin.position FROM deliveries AS own JOIN deliveries AS twin
            ON twin.service = own.service AND twin.picture_digest = own.picture_digest
            AND twin.caption_digest = own.caption_digest AND twin.links IS own.links
            WHERE own.upload = ?1 AND own.position = ?2 AND twin.status = 'delivered'
            AND twin.picture_digest IS NOT NULL AND twin.caption_digest IS NOT NULL)
            """,
            row
        )
    }

    private func begin(
        _ phase: JournalDelivery.Phase,
        _ row: [SQLiteValue],
        _ attempt: Int,
        _ time: Int64,
        isInDoubt: Bool = false
    ) throws(JournalError) {
        try connection.run(
            """
            UPDATE deliveries SET phase = ?3, attempts = ?4, first_attempt_at = coalesce(first_attempt_at, ?5),
            not_before = NULL, in_doubt = max(in_doubt, ?6)
            WHERE upload = ?1 AND position = ?2
            """,
            row + [.text(phase.rawValue), .integer(Int64(attempt)), .integer(time), .integer(isInDoubt ? 1 : 0)]
        )
    }

    private func settle(
        _ outcome: JournalOutcome,
        _ row: [SQLiteValue],
        _ id: String,
        _ position: Int
    ) throws(JournalError) {
        try connection.run(
            """
            UPDATE deliveries SET status = ?3, phase = 'waiting', attempts = ?4, duration_ms = ?5, settled_at = ?6,
            event_number = ?7, links = ?8, failure = ?9, handle = ?10, not_before = NULL, progress = NULL, in_doubt = 0
            WHERE upload = ?1 AND position = ?2
            """,
            row + [
                .text(outcome.status.rawValue), .integer(Int64(outcome.attempts)),
                .integer(Int64(outcome.durationMilliseconds)), .integer(outcome.at),
                .integer(Int64(outcome.eventNumber)), SQLiteValue(OutcomeCodec.text(of: outcome.links)),
                SQLiteValue(outcome.failure.map(OutcomeCodec.text)),
                try columns.sealed(OutcomeCodec.handle(of: outcome.links), "handle", id, position),
            ]
        )
    }

    /// Sets the upload's status from its deliveries, and gives up the pictures that none of them needs.
    func finish(_ number: Int64) throws(JournalError) {
        var states: [(status: DeliveryStatus, role: DeliveryRole)] = []
        var needed: Set<Int> = []
        try connection.query(
            "SELECT status, role, rendition FROM deliveries WHERE upload = ?1",
            [.integer(number)]
        ) { row in
            guard let status = row.text(0).flatMap(DeliveryStatus.init),
                let role = row.text(1).flatMap(DeliveryRole.init)
            else { return }
            states.append((status, role))
            if let place = row.int(2), status.needsPicture { needed.insert(place) }
        }
        try connection.run(
            "UPDATE uploads SET status = ?2 WHERE number = ?1 AND status <> ?2",
            [.integer(number), .text(UploadStatus.of(states).rawValue)]
        )
        try dropPictures(of: number, but: needed)
    }

    /// Forgets an upload's pictures but those at some places; a file that two renditions share goes with the last.
    func dropPictures(of number: Int64, but needed: Set<Int>) throws(JournalError) {
        var kept: Set<String> = []
        var dropped: [(position: Int, file: String)] = []
        try connection.query("SELECT position, file FROM pictures WHERE upload = ?1", [.integer(number)]) { row in
            guard let position = row.int(0), let file = row.text(1) else { return }
            if needed.contains(position) { kept.insert(file) } else { dropped.append((position, file)) }
        }
        var given: Set<String> = []
        for (position, file) in dropped {
            try connection.run(
                "DELETE FROM pictures WHERE upload = ?1 AND position = ?2",
                [.integer(number), .integer(Int64(position))]
            )
            if !kept.contains(file), given.insert(file).inserted { giveUp(file) }
        }
    }
}
