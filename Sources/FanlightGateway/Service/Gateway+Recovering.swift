// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore

extension Gateway {
    /// Uploads that are read from the journal at a time.
    private static let page = 200

    /// Starts every unfinished upload of earlier runs: pending deliveries and pending deletions.
    ///
    /// What is read holds no picture open; the gates decide when each delivery has its turn. A journal that cannot be
    /// read for a while is asked again: what was acknowledged must not wait for the next start.
    func recover() async {
        var last: String?
        var count = 0
        while !registry.isStopping {
            let moment = registry.moment
            let found: [JournalUpload]
            do throws(JournalError) {
                found = try await engine.journal.unfinished(after: last, limit: Self.page)
            } catch {
                engine.events.tell(.journalFailed(error, isReading: true))
                if case .closed = error { return }
                await engine.clock.sleep(engine.clock.now() + .seconds(1))
                continue
            }
            for record in found { await resume(record, readAt: moment) }
            count += found.count
            guard found.count == Self.page, let end = found.last?.id else { break }
            last = end
        }
        if count > 0 { engine.events.tell(.recovered(uploads: count)) }
    }

    private func resume(_ record: JournalUpload, readAt moment: Int) async {
        var next: LiveUpload? = LiveUpload(record, group: record.client, moment: moment)
        while let upload = next {
            next = nil
            guard continueWork(upload) == nil, !registry.isStopping else { continue }
            let moment = registry.moment
            guard let record = try? await engine.journal.upload(record.id) else { return }
            next = LiveUpload(record, group: record.client, moment: moment)
        }
    }

    /// Takes up what is pending of an upload that was read from the journal.
    ///
    /// - Returns: The object that works on it, or the same one when there is nothing to do; `nil` when the record is
    ///   out of date.
    func continueWork(_ upload: LiveUpload) -> LiveUpload? {
        let deliveries = upload.record.deliveries
        let pending = deliveries.indices.filter { deliveries[$0].status == .pending }
        let deletions = deliveries.indices.filter { deliveries[$0].deletion?.state == .pending }
        guard !pending.isEmpty || !deletions.isEmpty else { return upload }
        switch registry.enter(upload) {
        case .outdated: return nil
        case .stopping:
            upload.stop()
            return upload
        case .entered(let live):
            // Entered once more, so that there is one piece of work for each of both.
            if !deletions.isEmpty, case .entered(let same) = registry.enter(live) {
                runner.startDeletions(same, deletions)
            }
            if pending.isEmpty { runner.leave(live) } else { runner.start(live, pending) }
            return live
        }
    }

    /// What counted in the period of each service's rate when the gateway stopped still counts.
    func restoreRates(of names: Set<String>) async {
        for service in engine.services where service.rate != nil && names.contains(service.name) {
            let value = await read { journal throws(JournalError) in
                try await journal.kept(RateMemory.name(of: service.name))
            }
            engine.gates[service.name]?.restoreRate(RateMemory.counts(value ?? nil))
        }
    }

    /// What clients' keys had used when the gateway stopped is still used.
    func restoreCallers() async {
        let values = await read { journal throws(JournalError) in
            try await journal.kept(beginning: CallerDesk.memory)
        }
        if let values { callers.restore(values) }
    }

    /// Reads what the journal keeps; a journal that cannot be read for a while is asked again.
    private func read<Value>(
        _ reading: (any Journal) async throws(JournalError) -> Value
    ) async -> Value? {
        while !registry.isStopping {
            do throws(JournalError) {
                return try await reading(engine.journal)
            } catch {
                engine.events.tell(.journalFailed(error, isReading: true))
                guard error.isTemporary else { return nil }
                await engine.clock.sleep(engine.clock.now() + .seconds(1))
            }
        }
        return nil
    }
}
