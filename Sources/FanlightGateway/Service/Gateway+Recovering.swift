// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore

extension Gateway {
    /// Uploads that are read from the journal at a time.
    private static let page = 200

    /// Starts every unfinished upload of earlier runs: pending deliveries and pending deletions.
    ///
    /// What is read holds no picture open; the gates decide when each delivery has its turn.
    func recover() async {
        var last: String?
        var count = 0
        while !registry.isStopping {
            let found = (try? await engine.journal.unfinished(after: last, limit: Self.page)) ?? []
            for record in found { resume(record) }
            count += found.count
            guard found.count == Self.page, let end = found.last?.id else { break }
            last = end
        }
        if count > 0 { engine.events.tell(.recovered(uploads: count)) }
    }

    private func resume(_ record: JournalUpload) {
        let upload = LiveUpload(record, group: record.client)
        let pending = record.deliveries.indices.filter { record.deliveries[$0].status == .pending }
        if !pending.isEmpty { runner.start(upload, pending) }
        let deletions = record.deliveries.indices.filter { record.deliveries[$0].deletion?.state == .pending }
        if !deletions.isEmpty { runner.startDeletions(upload, deletions) }
    }

    /// Continues an upload that recovery has not reached yet, because a client asks for it.
    func resumeEarly(_ record: JournalUpload, group: String) -> LiveUpload {
        let upload = LiveUpload(record, group: group)
        let pending = record.deliveries.indices.filter { record.deliveries[$0].status == .pending }
        guard !pending.isEmpty else { return upload }
        return runner.start(upload, pending) ?? upload
    }

    /// What counted in the period of each service's rate when the gateway stopped still counts.
    func restoreRates(of names: Set<String>) async {
        for service in engine.services where service.rate != nil && names.contains(service.name) {
            let value = try? await engine.journal.kept(RateMemory.name(of: service.name))
            engine.gates[service.name]?.restoreRate(RateMemory.slots(value ?? nil))
        }
    }
}
