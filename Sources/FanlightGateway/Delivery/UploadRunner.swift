// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore

/// Runs what is pending of an upload: all deliveries at once, or one after another where the route falls back.
///
/// Deliveries belong to the gateway, not to a request: they go on when the client leaves.
struct UploadRunner: Sendable {
    let engine: Engine
    let registry: UploadRegistry
    let notifier: Notifier?

    /// Starts deliveries of an upload that was entered into the registry for them; it leaves with the last.
    ///
    /// - Parameter indices: The deliveries to start; those that run already, or have an outcome, are left alone.
    func start(_ live: LiveUpload, _ indices: [Int]) {
        let begin = engine.clock.now()
        let claims = live.claimDeliveries(indices)
        live.begin(
            Task {
                await run(live, claims.indices)
                live.giveBack(claims)
                finish(live, since: begin)
            }
        )
    }

    /// Starts deletions whose wish is recorded, of an upload that was entered for them.
    func startDeletions(_ live: LiveUpload, _ indices: [Int]) {
        let claims = live.claimDeletions(indices)
        live.begin(
            Task {
                await withTaskGroup(of: Void.self) { group in
                    for index in claims.indices {
                        group.addTask { await DeletionTask(engine: engine, live: live, index: index).run() }
                    }
                }
                live.giveBack(claims)
                leave(live)
            }
        )
    }

    /// Ends a piece of work that decided nothing about deliveries.
    func leave(_ live: LiveUpload) {
        if registry.leave(live), live.record.isComplete { live.endWatching() }
    }

    private func run(_ live: LiveUpload, _ indices: [Int]) async {
        let deliveries = live.record.deliveries
        let isFallback = live.policy == .first
        let inOrder = isFallback ? indices.filter { deliveries[$0].role != .shadow } : []
        await withTaskGroup(of: Void.self) { group in
            for index in indices where !inOrder.contains(index) {
                group.addTask { _ = await deliver(live, index, failsFast: false) }
            }
            if !inOrder.isEmpty {
                group.addTask { await fallBack(live, inOrder) }
            }
        }
    }

    /// One after another until one delivers; the rest is skipped.
    private func fallBack(_ live: LiveUpload, _ indices: [Int]) async {
        var isDelivered = live.record.deliveries.contains { $0.status == .delivered && $0.role != .shadow }
        for (place, index) in indices.enumerated() {
            if isDelivered {
                await live.settle(index, Self.unneeded(live.record.deliveries[index]), duration: .zero, engine)
                continue
            }
            let isLast = place == indices.count - 1
            guard let status = await deliver(live, index, failsFast: !isLast) else { return }
            isDelivered = status == .delivered
        }
    }

    /// The outcome of a delivery whose place another service took.
    private static func unneeded(_ delivery: JournalDelivery) -> DeliveryOutcome {
        guard delivery.mayHaveArrived else { return DeliveryOutcome(.skipped) }
        let failure = DeliveryFailure(kind: .interrupted, message: "Not sent again, as another service delivered.")
        return DeliveryOutcome(.unknown, failure: failure.inDoubt, attempts: delivery.attempts)
    }

    /// The outcome of a delivery whose service is no longer there.
    private static func gone(_ delivery: JournalDelivery) -> DeliveryOutcome {
        var message = "The service \(delivery.service) is no longer in config.yaml, or is off."
        guard delivery.mayHaveArrived else {
            message += " Retry the delivery once it is back."
            let failure = DeliveryFailure(kind: .rejected, message: message)
            return DeliveryOutcome(.failed, failure: failure, attempts: delivery.attempts)
        }
        message += " Once it is back, only force=unknown sends the picture again."
        let failure = DeliveryFailure(kind: .rejected, message: message)
        return DeliveryOutcome(.unknown, failure: failure.inDoubt, attempts: delivery.attempts)
    }

    @inline(never)
    private func deliver(_ live: LiveUpload, _ index: Int, failsFast: Bool) async -> DeliveryStatus? {
        let delivery = live.record.deliveries[index]
        let name = delivery.service
        guard let service = engine.service(name) else {
            let outcome = Self.gone(delivery)
            await live.settle(index, outcome, duration: .zero, engine)
            return outcome.status
        }
        return await DeliveryTask(engine: engine, live: live, index: index, service: service, failsFast: failsFast)
            .run()
    }

    private func finish(_ live: LiveUpload, since begin: Timestamp) {
        if let record = live.takeEnd() {
            let report = Report(record)
            engine.log.finished(
                report,
                shadows: record.deliveries.filter { $0.role == .shadow },
                requestID: live.origin.requestID,
                at: engine.identity.timestamp()
            )
            engine.events.tell(.upload(status: report.status, duration: engine.clock.now() - begin))
            if !record.deliveries.contains(where: \.needsPicture) {
                engine.shelf.remove(record.renditions)
            }
            notifier?.wake()
        }
        leave(live)
    }
}
