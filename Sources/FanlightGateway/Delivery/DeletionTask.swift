// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore

/// Deletes one delivered picture at its service, with what was captured when it was delivered.
struct DeletionTask: Sendable {
    let engine: Engine
    let live: LiveUpload
    let index: Int

    private var gate: ServiceGate? { engine.gates[live.record.deliveries[index].service] }

    /// True where a delivery can be deleted: its adapter says how, and everything that it needs was captured.
    static func isPossible(_ delivery: JournalDelivery, _ engine: Engine) -> Bool {
        guard delivery.status == .delivered, let service = engine.service(delivery.service) else { return false }
        return service.isLocal ? localName(delivery) != nil : delivery.links.deletable
    }

    /// Name of a picture in an album of the gateway.
    private static func localName(_ delivery: JournalDelivery) -> String? {
        delivery.links.captures["stored_name"]
    }

    /// Works until the picture is gone, or the service will not delete it; a stop leaves the rest to the next start.
    func run() async {
        let delivery = live.record.deliveries[index]
        guard let service = engine.service(delivery.service) else {
            let message = "The service is no longer in config.yaml, or is off."
            return await settle(DeliveryOutcome(.failed, failure: DeliveryFailure(kind: .rejected, message: message)))
        }
        if service.isLocal { return await removeFile(service, delivery) }
        let rules = DeliveryRules(attempts: service.attempts, deadline: service.deadline)
        var machine = DeliveryMachine(rules: rules)
        var action = machine.handle(.start, now: engine.clock.now())
        while true {
            switch action {
            case .none: return
            case .settle(let outcome): return await settle(outcome)
            case .queue(let until):
                // As one that has made an attempt: nothing stands in for a deletion, so it waits for a probe.
                let entry = await gate?.enter(group: live.group, until: until, failsFast: false, isRepeat: true)
                switch entry ?? .granted {
                case .stopped: return
                case .refused(let failure): action = machine.handle(.refused(failure), now: engine.clock.now())
                case .granted:
                    action = machine.handle(.granted, now: engine.clock.now())
                    // Without an attempt the place is free again.
                    if case .attempt = action {} else { gate?.leave(.none) }
                }
            case .attempt(_, let until):
                guard let result = await attempt(service, delivery, until) else { return }
                let chance = Double(engine.identity.random() >> 11) / Double(1 << 53)
                let event: DeliveryMachine.Event =
                    switch result {
                    case .success: .delivered(DeliveryLinks())
                    case .failure(let failure): .failed(failure)
                    }
                action = machine.handle(event, now: engine.clock.now(), chance: chance)
            case .wait(let until):
                await engine.clock.sleep(until)
                if Task.isCancelled { return }
                action = machine.handle(.due, now: engine.clock.now())
            }
        }
    }

    private func attempt(
        _ service: CompiledService,
        _ delivery: JournalDelivery,
        _ until: Timestamp
    ) async -> Result<DeliveryLinks, DeliveryFailure>? {
        guard var run = service.deleteRun(context(service, delivery)) else {
            gate?.leave(.none)
            return .failure(DeliveryFailure(kind: .rejected, message: "The adapter has no way to delete."))
        }
        let notes = Courier.Notes(counting: gate?.counting(in: engine))
        let courier = Courier(engine: engine, service: service, picture: nil, notes: notes, until: until)
        guard case .finished(let result) = await courier.attempt(&run, .start) else {
            gate?.leave(.none)
            return nil
        }
        gate?.leave(DeliveryTask.sign(result))
        return result
    }

    private func context(_ service: CompiledService, _ delivery: JournalDelivery) -> DeliveryContext {
        let record = live.record
        return DeliveryContext(
            caption: record.caption,
            geotag: live.place(as: engine.settings.geotag),
            takenAt: record.image.takenAt,
            rendition: Rendition(
                file: SpooledFile(path: "", descriptor: -1, size: 0),
                mediaType: record.image.mediaType,
                width: record.image.width,
                height: record.image.height,
                lane: .untouched
            ),
            options: delivery.options,
            captures: delivery.links.captures,
            uploadID: record.id,
            idempotencyKey: record.id + "." + service.name + ".delete",
            uuid: engine.identity.uploadID(),
            now: Int(engine.now / 1_000),
            publicURL: engine.settings.publicURL
        )
    }

    private func removeFile(_ service: CompiledService, _ delivery: JournalDelivery) async {
        guard let folder = service.localFolder, let name = Self.localName(delivery) else { return }
        let isGone = await engine.pool.run { Album.remove(folder: folder, name: name) }
        let failure = DeliveryFailure(
            kind: .unavailable,
            message: "The picture in \(folder) cannot be removed.",
            retry: .retry
        )
        await settle(
            isGone ? DeliveryOutcome(.delivered, attempts: 1) : DeliveryOutcome(.failed, failure: failure, attempts: 1)
        )
    }

    private func settle(_ outcome: DeliveryOutcome) async {
        let isDeleted = outcome.status == .delivered
        let deletion = JournalDeletion(
            state: isDeleted ? .deleted : .failed,
            attempts: outcome.attempts,
            at: engine.now,
            failure: outcome.failure
        )
        let change = JournalChange.deletion(deletion)
        do throws(JournalError) {
            try await engine.journal.record([JournalNote(upload: live.id, delivery: index, change)])
        } catch {
            engine.events.tell(.journalFailed(error))
        }
        live.apply(index, change)
        let service = live.record.deliveries[index].service
        engine.events.tell(.deletion(service: service, state: deletion.state))
        engine.log.deleted(live.id, service: service, deletion, at: engine.identity.timestamp())
    }
}
