// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightCore

/// Carries one upload to one service: attempt, wait, attempt again, until there is one outcome.
struct Courier: Sendable {
    let transport: any HTTPTransport
    let pool: BlockingPool

    /// Delivers and gives the entry of the report.
    func deliver(_ service: CompiledService, _ context: DeliveryContext, _ rendition: Rendition) async -> Report.Entry {
        let start = ContinuousClock.now
        var entry = Report.Entry(service: service.name)
        entry.rendition = RenditionSummary(rendition)
        let backoff = Backoff(attempts: service.attempts, deadline: service.deadline)
        while true {
            entry.attempts += 1
            switch await attempt(service, context) {
            case .success(let links):
                entry.status = .delivered
                entry.links = links
                entry.failure = nil
                entry.durationMilliseconds = Self.milliseconds(ContinuousClock.now - start)
                return entry
            case .failure(let failure):
                entry.failure = failure
                let elapsed = ContinuousClock.now - start
                let wait = backoff.wait(
                    after: failure,
                    made: entry.attempts,
                    elapsed: elapsed,
                    chance: Double.random(in: 0..<1)
                )
                if let wait, (try? await Task.sleep(for: wait)) != nil { continue }
                entry.status = failure.retry == .unknownOutcome ? .unknown : .failed
                entry.durationMilliseconds = Self.milliseconds(ContinuousClock.now - start)
                return entry
            }
        }
    }

    private func attempt(
        _ service: CompiledService,
        _ context: DeliveryContext
    ) async -> Result<DeliveryLinks, DeliveryFailure> {
        let plan: DeliveryPlan
        do throws(DeliveryFailure) {
            plan = try service.plan(context)
        } catch {
            return .failure(error)
        }
        switch plan {
        case .exchange(let request):
            do throws(TransportError) {
                let reply = try await transport.send(request)
                return service.outcome(of: reply, context: context)
            } catch {
                return .failure(service.outcome(of: error))
            }
        case .store(let folder, let name):
            let file = context.rendition.file
            guard await pool.run({ Album.store(file, folder: folder, name: name) }) else {
                return .failure(
                    DeliveryFailure(
                        kind: .unavailable,
                        message: "The folder \(folder) cannot be written.",
                        retry: .never
                    )
                )
            }
            return service.outcome(ofStored: name, context: context)
        }
    }

    private static func milliseconds(_ duration: Duration) -> Int {
        Int(duration.components.seconds) * 1_000 + Int(duration.components.attoseconds / 1_000_000_000_000_000)
    }
}
