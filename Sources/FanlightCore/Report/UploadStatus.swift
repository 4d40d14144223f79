// SPDX-License-Identifier: Apache-2.0

/// State of a whole upload.
public enum UploadStatus: String, Sendable, CaseIterable { case delivered, partial, failed, pending }

/// How much a delivery counts in its upload's status.
public enum DeliveryRole: String, Sendable, CaseIterable {
    /// Its failure makes the upload partial or failed.
    case required
    /// Its success counts, its failure does not.
    case optional
    /// Measured only: neither counts.
    case shadow
}

extension UploadStatus {
    /// State of an upload, from the states of its deliveries.
    ///
    /// Pending while any delivery is. Skipped deliveries do not count. What was delivered and then deleted counts as
    /// delivered, as the upload did what was asked of it.
    public static func of(_ deliveries: some Sequence<(status: DeliveryStatus, role: DeliveryRole)>) -> UploadStatus {
        var delivered = 0
        var missed = 0
        var isEmpty = true
        for delivery in deliveries {
            isEmpty = false
            switch delivery.status {
            case .pending: return .pending
            case .skipped: continue
            case .delivered, .deleted: if delivery.role != .shadow { delivered += 1 }
            case .failed, .unknown: if delivery.role == .required { missed += 1 }
            }
        }
        if delivered == 0 && !isEmpty { return .failed }
        return missed == 0 ? .delivered : .partial
    }
}
