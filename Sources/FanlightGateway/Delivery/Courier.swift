// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightCore

/// Carries one upload to one service: attempt, wait, attempt again, until there is one outcome.
struct Courier: Sendable {
    let transport: any HTTPTransport
    let pool: BlockingPool
    /// Seconds since 1970, UTC.
    let now: @Sendable () -> Int

    /// Delivers and gives the entry of the report.
    func deliver(_ service: CompiledService, _ context: DeliveryContext, _ rendition: Rendition) async -> Report.Entry {
        let start = ContinuousClock.now
        var entry = Report.Entry(service: service.name)
        entry.rendition = RenditionSummary(rendition)
        var run = DeliveryRun(service: service, context: context)
        let backoff = Backoff(attempts: service.attempts, deadline: service.deadline)
        while true {
            entry.attempts += 1
            let event: DeliveryRun.Event = entry.attempts == 1 ? .start : .again
            switch await attempt(&run, event, context) {
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

    /// Drives the run until it says that the attempt is over.
    private func attempt(
        _ run: inout DeliveryRun,
        _ event: DeliveryRun.Event,
        _ context: DeliveryContext
    ) async -> Result<DeliveryLinks, DeliveryFailure> {
        var event = event
        while true {
            switch run.handle(event, now: now()) {
            case .finished(let result): return result
            case .send(let request, _):
                do throws(TransportError) {
                    event = .reply(try await transport.send(request))
                } catch {
                    event = .failed(error)
                }
            case .store(let folder, let name):
                let file = context.rendition.file
                guard await pool.run({ Album.store(file, folder: folder, name: name) }) else {
                    let message = "The folder \(folder) cannot be written."
                    return .failure(DeliveryFailure(kind: .unavailable, message: message, retry: .never))
                }
                event = .stored
            case .pause(let duration):
                try? await Task.sleep(for: duration)
                event = .paused
            case .openSession(let need):
                event = .sessionFailed(
                    DeliveryFailure(kind: .auth, message: "\(need.service) needs a session.", retry: .never)
                )
            }
        }
    }

    private static func milliseconds(_ duration: Duration) -> Int {
        Int(duration.components.seconds) * 1_000 + Int(duration.components.attoseconds / 1_000_000_000_000_000)
    }
}
