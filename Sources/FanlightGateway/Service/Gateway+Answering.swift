// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightCore

extension Gateway {
    /// The upload of that id, live where it is under way, else as the journal has it.
    func find(_ id: String, _ client: Client) async throws(Problem) -> LiveUpload {
        while true {
            if let live = registry.find(id) {
                guard isVisible(live.record, to: client) else { throw .noSuchUpload }
                return live
            }
            let moment = registry.moment
            let record: JournalUpload?
            do throws(JournalError) {
                record = try await engine.journal.upload(id)
            } catch {
                throw Problem(error)
            }
            guard let record, isVisible(record, to: client) else { throw .noSuchUpload }
            // What recovery has not reached yet is continued when somebody asks for it.
            let upload = LiveUpload(record, group: client.group, moment: moment)
            if registry.find(id) == nil, let live = continueWork(upload) { return live }
        }
    }

    /// The upload of that id, with a piece of work counted: until it is ended, there is no other object of it.
    private func hold(_ id: String, _ client: Client) async throws(Problem) -> LiveUpload {
        while true {
            switch registry.enter(try await find(id, client)) {
            case .entered(let live): return live
            case .outdated: continue
            case .stopping: throw .stopping
            }
        }
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
            let live = try await hold(id, client)
            do throws(Problem) {
                let indices = try wish.indices(in: live.record)
                try await change(live, indices, .reopened(at: engine.now))
                runner.start(live, indices)
                return .success(live)
            } catch {
                runner.leave(live)
                throw error
            }
        } catch {
            return .failure(error)
        }
    }

    /// Records a wish about deliveries, then shows it.
    private func change(_ live: LiveUpload, _ indices: [Int], _ change: JournalChange) async throws(Problem) {
        do throws(JournalError) {
            try await engine.journal.record(indices.map { JournalNote(upload: live.id, delivery: $0, change) })
        } catch {
            engine.events.tell(.journalFailed)
            throw Problem(error)
        }
        for index in indices { live.apply(index, change) }
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
            let live = try await hold(id, client)
            do throws(Problem) {
                let record = live.record
                guard record.isComplete else { throw .uploadPending }
                let wanted = record.deliveries.indices.filter { index in
                    record.deliveries[index].deletion?.state != .pending
                        && DeletionTask.isPossible(record.deliveries[index], engine)
                }
                if wanted.isEmpty {
                    runner.leave(live)
                    return .success(live)
                }
                try await change(live, wanted, .deletion(JournalDeletion(state: .pending, at: engine.now)))
                runner.startDeletions(live, wanted)
                return .success(live)
            } catch {
                runner.leave(live)
                throw error
            }
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
