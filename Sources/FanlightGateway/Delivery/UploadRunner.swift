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

    /// Starts every pending delivery of the upload.
    ///
    /// - Parameter indices: The deliveries to start; those that run already, or have an outcome, are left alone.
    /// - Returns: The live object that works on it; `nil` when the gateway stops.
    @discardableResult
    func start(_ upload: LiveUpload, _ indices: [Int]) -> LiveUpload? {
        guard let live = registry.enter(upload) else {
            upload.stop()
            return nil
        }
        let begin = engine.clock.now()
        let claims = live.claimDeliveries(indices)
        live.begin(
            Task {
                await run(live, claims.indices)
                live.giveBack(claims)
                finish(live, since: begin)
            }
        )
        return live
    }

    /// Starts deletions whose wish is recorded.
    ///
    /// - Returns: The live object that works on them; `nil` when the gateway stops.
    @discardableResult
    func startDeletions(_ upload: LiveUpload, _ indices: [Int]) -> LiveUpload? {
        guard let live = registry.enter(upload) else { return nil }
        let claims = live.claimDeletions(indices)
        live.begin(
            Task {
                await withTaskGroup(of: Void.self) { group in
                    for index in claims.indices {
                        group.addTask { await DeletionTask(engine: engine, live: live, index: index).run() }
                    }
                }
                live.giveBack(claims)
                if registry.leave(live), live.record.isComplete { live.endWatching() }
            }
        )
        return live
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
                await live.settle(index, DeliveryOutcome(.skipped), duration: .zero, engine)
                continue
            }
            let isLast = place == indices.count - 1
            guard let status = await deliver(live, index, failsFast: !isLast) else { return }
            isDelivered = status == .delivered
        }
    }

    private func deliver(_ live: LiveUpload, _ index: Int, failsFast: Bool) async -> DeliveryStatus? {
        let name = live.record.deliveries[index].service
        guard let service = engine.service(name) else {
            let failure = DeliveryFailure(
                kind: .rejected,
                message:
                    "The service \(name) is no longer in config.yaml, or is off. Retry the delivery once it is back."
            )
            await live.settle(index, DeliveryOutcome(.failed, failure: failure), duration: .zero, engine)
            return .failed
        }
        return await DeliveryTask(engine: engine, live: live, index: index, service: service, failsFast: failsFast)
            .run()
    }

    private func finish(_ live: LiveUpload, since begin: Timestamp) {
        let isOver = registry.leave(live)
        let record = live.record
        guard isOver, !record.deliveries.contains(where: { $0.status == .pending }) else { return }
        live.endWatching()
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
}
