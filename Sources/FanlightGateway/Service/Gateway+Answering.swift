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
        let wish = try RetryWish(head, router)
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
                let allowed = client.key?.services.map { router.members($0) }
                let indices = try wish.indices(in: live.record, allowed: allowed)
                try await change(live, indices.map { ($0, .reopened(at: engine.now)) })
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
    private func change(_ live: LiveUpload, _ changes: [(index: Int, JournalChange)]) async throws(Problem) {
        do throws(JournalError) {
            try await engine.journal.record(changes.map { JournalNote(upload: live.id, delivery: $0.index, $0.1) })
        } catch {
            engine.events.tell(.journalFailed(error))
            throw Problem(error)
        }
        for (index, change) in changes { live.apply(index, change) }
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
                let pending = try await wantDeletion(of: wanted, in: live)
                if pending.isEmpty { runner.leave(live) } else { runner.startDeletions(live, pending) }
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

extension Gateway {
    /// Records the wish; where another upload has the same links, this one gives its own up, and the picture stays.
    ///
    /// - Returns: The deliveries whose pictures are to be deleted at their services.
    private func wantDeletion(of indices: [Int], in live: LiveUpload) async throws(Problem) -> [Int] {
        guard !indices.isEmpty else { return [] }
        let record = live.record
        let subjects = indices.map { ReuseDesk.Subject(record.deliveries[$0], of: record) }
        // In one order for all, so that two that want several of them do not wait for each other.
        let names = Set(subjects.compactMap { $0?.name }).sorted()
        for name in names { await engine.reuse.turns.take(name) }
        defer { for name in names { engine.reuse.turns.give(name) } }
        var changes: [(index: Int, JournalChange)] = []
        var pending: [Int] = []
        for (index, subject) in zip(indices, subjects) {
            let isShared = try await isShared(record.deliveries[index], subject, of: record)
            if !isShared { pending.append(index) }
            let deletion = JournalDeletion(
                state: isShared ? .shared : .pending,
                at: engine.now,
                failure: isShared ? Self.stillHeld : nil
            )
            changes.append((index, .deletion(deletion)))
        }
        try await change(live, changes)
        for (index, change) in changes {
            guard case .deletion(let deletion) = change, deletion.state == .shared else { continue }
            let service = record.deliveries[index].service
            engine.events.tell(.deletion(service: service, state: deletion.state))
            engine.log.deleted(live.id, service: service, deletion, at: engine.identity.timestamp())
        }
        return pending
    }

    private func isShared(
        _ delivery: JournalDelivery,
        _ subject: ReuseDesk.Subject?,
        of record: JournalUpload
    ) async throws(Problem) -> Bool {
        guard let subject, delivery.links.isStanding(at: engine.now) else { return false }
        do throws(JournalError) {
            return try await engine.journal.sharer(
                of: delivery,
                renditionSHA256: subject.picture,
                besides: record.id
            ) != nil
        } catch {
            throw Problem(error)
        }
    }

    private static let stillHeld = DeliveryFailure(
        kind: .duplicate,
        message: "Another upload had the same picture at the service when this one was deleted. "
            + "It is deleted there with the last upload that has it."
    )
}

/// What a client wants to have delivered again.
struct RetryWish {
    private var services: Set<String>?
    private var forcesUnknown = false

    /// - Parameter router: Knows which services the name of a route stands for.
    init(_ head: RequestHead, _ router: Router) throws(Problem) {
        for field in head.query {
            switch field.name {
            case "services":
                let names = Set(field.value.split(separator: ",").map(String.init))
                services = (services ?? []).union(router.members(names))
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
    ///
    /// - Parameter allowed: Services that the client may use; `nil` = all. A wish that names none is narrowed to them.
    func indices(in record: JournalUpload, allowed: Set<String>? = nil) throws(Problem) -> [Int] {
        var wanted = record.deliveries.indices.filter { wants(record.deliveries[$0]) }
        if let allowed {
            let refused = wanted.first { !allowed.contains(record.deliveries[$0].service) }
            wanted.removeAll { !allowed.contains(record.deliveries[$0].service) }
            if let refused, services != nil {
                throw .serviceNotAllowed(record.deliveries[refused].service)
            }
        }
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
