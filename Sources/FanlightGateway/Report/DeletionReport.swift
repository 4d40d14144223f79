// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// The answer to `DELETE /v1/uploads/{id}`: one outcome a service.
enum DeletionReport {
    /// State of one service's part.
    enum Outcome: String {
        /// Gone from the service.
        case deleted
        /// The service did not delete it; it can be tried again.
        case failed
        /// Under way.
        case pending
        /// Given up by this upload; the service keeps the picture for another upload that has the same links.
        case shared
        /// The service, or its adapter, cannot delete, or nothing is known to delete by: the picture is or may be there.
        case unsupported
        /// There was nothing to delete.
        case notDelivered = "not_delivered"
    }

    static func outcome(_ delivery: JournalDelivery) -> Outcome {
        switch delivery.status {
        case .deleted: return delivery.deletion?.state == .shared ? .shared : .deleted
        case .delivered:
            switch delivery.deletion?.state {
            case .pending: return .pending
            case .failed: return .failed
            case .deleted, .shared: return .deleted
            case nil: return .unsupported
            }
        // The picture may be there, and no reply told by what to delete it.
        case .unknown: return .unsupported
        default: return .notDelivered
        }
    }

    static func entry(_ delivery: JournalDelivery) -> JSONValue {
        let deletion = delivery.deletion
        let failure = delivery.status == .unknown ? delivery.failure : deletion?.failure
        return .object([
            .init("service", .string(delivery.service)),
            .init("status", .string(outcome(delivery).rawValue)),
            .init("attempts", .int(deletion?.attempts ?? 0)),
            .init("error", failure.map(Report.Entry.json(of:)) ?? .null),
        ])
    }

    /// The whole answer; 200 when nothing is left at any service, 207 when some is, 502 when all is, 202 meanwhile.
    static func answer(_ record: JournalUpload) -> HTTPAnswer {
        let shown = record.deliveries.filter { $0.role != .shadow }
        let outcomes = shown.map(outcome)
        let wanted = outcomes.filter { $0 != .notDelivered }
        let deleted = wanted.count { $0 == .deleted }
        let (word, status): (String, Int)
        if wanted.contains(.pending) {
            (word, status) = ("pending", 202)
        } else if deleted == wanted.count {
            (word, status) = ("deleted", 200)
        } else {
            let isNothingDone = deleted == 0 && !wanted.contains(.shared)
            (word, status) = isNothingDone ? ("failed", 502) : ("partial", 207)
        }
        let headers = status == 202 ? [HTTPField("Location", "/v1/uploads/\(record.id)")] : []
        let value = JSONValue.object([
            .init("id", .string(record.id)), .init("status", .string(word)),
            .init("deletions", .array(shown.map(entry))),
        ])
        return Answer.json(status, value, headers)
    }
}
