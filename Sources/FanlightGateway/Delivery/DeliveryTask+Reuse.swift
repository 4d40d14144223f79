// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightCore

extension DeliveryTask {
    /// Works until there is an outcome: the link of an equal delivery where the service reuses, else its own.
    ///
    /// - Returns: The outcome's state; `nil` when the gateway stops first, and the journal keeps the rest.
    func run() async -> DeliveryStatus? {
        let start = engine.clock.now()
        guard let subject = subject else { return await send(since: start) }
        while true {
            switch await engine.reuse.take(subject, until: start + service.deadline, clock: engine.clock) {
            case .stopped: return nil
            case .late: return await send(since: start)
            case .after:
                if let status = await reuse(subject, since: start) { return status }
            case .first:
                var status = await reuse(subject, since: start)
                if status == nil { status = await send(since: start) }
                engine.reuse.end(subject, isDelivered: status == .delivered)
                return status
            }
        }
    }

    /// What an equal delivery may be under way with; `nil` = this one goes its own way.
    private var subject: ReuseDesk.Subject? {
        let record = live.record
        let delivery = record.deliveries[index]
        guard service.delivery.reusesDuplicates, !past(delivery).mayHaveArrived else { return nil }
        // Where another service stands in for this one, nobody waits for an open circuit: the gate says so at once.
        if failsFast, let gate = engine.gates[service.name], gate.snapshot.circuit != .closed { return nil }
        return ReuseDesk.Subject(delivery, of: record)
    }

    /// Ends with the link of an equal delivery that stands; `nil` = there is none, or this one may have arrived itself.
    @inline(never)
    private func reuse(_ subject: ReuseDesk.Subject, since start: Timestamp) async -> DeliveryStatus? {
        let delivery = live.record.deliveries[index]
        guard delivery.phase == .waiting, delivery.progress == nil, delivery.attempts == 0 || !service.isIdempotent
        else { return nil }
        await engine.reuse.turns.take(subject.name, shared: true)
        defer { engine.reuse.turns.give(subject.name) }
        let found = try? await engine.journal.reusable(
            service: subject.service,
            renditionSHA256: subject.picture,
            captionDigest: subject.caption
        )
        // A link that ends is none that a service still holds.
        guard let links = found?.links, links.isStanding(at: engine.now) else { return nil }
        engine.events.tell(.reused(service: service.name))
        return await settle(DeliveryOutcome(.delivered, links: links, attempts: delivery.attempts), since: start)
    }
}

extension DeliveryLinks {
    /// True unless the service said that the picture vanishes, and it has, or will within a minute.
    func isStanding(at now: Int64) -> Bool {
        guard let expiresAt else { return true }
        return (Identity.milliseconds(expiresAt) ?? 0) > now + 60_000
    }
}
