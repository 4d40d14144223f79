// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightCore

extension Gateway {
    /// The upload of that id, live where it is under way, else as the journal has it.
    func find(_ id: String, _ client: Client) async throws(Problem) -> LiveUpload {
        if let live = registry.find(id) {
            guard isVisible(live.record, to: client) else { throw .noSuchUpload }
            return live
        }
        let record: JournalUpload?
        do throws(JournalError) {
            record = try await engine.journal.upload(id)
        } catch {
            throw Problem(error)
        }
        // It may have become live in the meantime.
        if let live = registry.find(id) { return live }
        guard let record, isVisible(record, to: client) else { throw .noSuchUpload }
        return resumeEarly(record, group: client.group)
    }

    /// Where clients have keys, each sees its own uploads.
    private func isVisible(_ record: JournalUpload, to client: Client) -> Bool {
        settings.clientKeys.isEmpty || record.client == client.name
    }

    /// One upload's report, as it stands.
    func lookUp(_ id: String, _ head: RequestHead, _ client: Client) async throws(Problem) -> HTTPAnswer {
        var preference = try Preference(head)
        preference.wait = preference.wait ?? .zero
        return await report([try await find(id, client)], preference)
    }

    // MARK: Again

    /// Delivers again what failed or was skipped; what is unknown only when the client takes the risk of a duplicate.
    func retry(_ id: String, _ head: RequestHead, _ client: Client) async throws(Problem) -> HTTPAnswer {
        let preference = try Preference(head)
        let wish = try RetryWish(head)
        await turns.take(id)
        let started = await reopen(id, wish, client)
        turns.give(id)
        return await report([try started.get()], preference)
    }

    /// One request at a time reopens an upload, so that no delivery is begun twice.
    private func reopen(_ id: String, _ wish: RetryWish, _ client: Client) async -> Result<LiveUpload, Problem> {
        do throws(Problem) {
            let upload = try await find(id, client)
            let indices = try wish.indices(in: upload.record)
            let change = JournalChange.reopened(at: engine.now)
            do throws(JournalError) {
                try await engine.journal.record(indices.map { JournalNote(upload: id, delivery: $0, change) })
            } catch {
                engine.events.tell(.journalFailed)
                throw Problem(error)
            }
            for index in indices { upload.apply(index, change) }
            guard let live = runner.start(upload, indices) else { throw .stopping }
            return .success(live)
        } catch {
            return .failure(error)
        }
    }

    // MARK: Deletion

    /// Deletes the upload at every service that can.
    func delete(_ id: String, _ head: RequestHead, _ client: Client) async throws(Problem) -> HTTPAnswer {
        let preference = try Preference(head)
        await turns.take(id)
        let started = await beginDeletion(id, client)
        turns.give(id)
        let live = try started.get()
        await live.wait(for: .deletions, atMost: preference.wait ?? settings.answerWithin, clock: engine.clock)
        return DeletionReport.answer(live.record)
    }

    private func beginDeletion(_ id: String, _ client: Client) async -> Result<LiveUpload, Problem> {
        do throws(Problem) {
            let upload = try await find(id, client)
            let record = upload.record
            guard record.isComplete else { throw .uploadPending }
            let wanted = record.deliveries.indices.filter { index in
                record.deliveries[index].deletion?.state != .pending
                    && DeletionTask.isPossible(record.deliveries[index], engine)
            }
            guard !wanted.isEmpty else { return .success(upload) }
            let change = JournalChange.deletion(JournalDeletion(state: .pending, at: engine.now))
            do throws(JournalError) {
                try await engine.journal.record(wanted.map { JournalNote(upload: id, delivery: $0, change) })
            } catch {
                engine.events.tell(.journalFailed)
                throw Problem(error)
            }
            for index in wanted { upload.apply(index, change) }
            guard let live = runner.startDeletions(upload, wanted) else { throw .stopping }
            return .success(live)
        } catch {
            return .failure(error)
        }
    }
}

/// What a client wants to have delivered again.
struct RetryWish {
    private var services: Set<String>?
    private var forcesUnknown = false

    init(_ head: RequestHead) throws(Problem) {
        for field in head.query {
            switch field.name {
            case "services":
                services = (services ?? []).union(field.value.split(separator: ",").map(String.init))
            case "force":
                guard field.value == "unknown" else {
                    throw Problem(.badField, "force takes one value: unknown.", field: "force")
                }
                forcesUnknown = true
            default: break
            }
        }
    }

    /// The deliveries of an upload that can be repeated.
    func indices(in record: JournalUpload) throws(Problem) -> [Int] {
        let wanted = record.deliveries.indices.filter { wants(record.deliveries[$0]) }
        guard !wanted.isEmpty else { throw .nothingToRetry }
        let possible = wanted.filter { index in
            record.deliveries[index].rendition.map { record.renditions[$0].file != nil } ?? false
        }
        guard !possible.isEmpty else { throw .pictureGone }
        return possible
    }

    private func wants(_ delivery: JournalDelivery) -> Bool {
        if let services, !services.contains(delivery.service) { return false }
        switch delivery.status {
        case .failed, .skipped: return delivery.role != .shadow
        case .unknown: return forcesUnknown && delivery.role != .shadow
        case .delivered, .pending, .deleted: return false
        }
    }
}
