// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore

/// What every part of the delivery engine works with.
struct Engine: Sendable {
    var settings: GatewaySettings
    var services: [CompiledService]
    let transport: any HTTPTransport
    let journal: any Journal
    let pool: BlockingPool
    let clock: EngineClock
    let identity: Identity
    let shelf: PictureShelf
    var gates: [String: ServiceGate]
    let sessions: SessionKeeper
    let limits: LimitsKeeper
    /// Equal deliveries under way to services that reuse.
    let reuse = ReuseDesk()
    let log: EventLog
    let events: GatewayEvents

    /// The service of that name; `nil` when config.yaml has it no more, or it is off.
    func service(_ name: String) -> CompiledService? { services.first { $0.name == name && $0.enabled } }

    /// Milliseconds since 1970.
    var now: Int64 { clock.now().milliseconds }

    /// One gate a service, those that stand already with the limits of today.
    ///
    /// Gates of services that are gone stay: uploads under way may still wait there, and the service may come back.
    static func gates(
        _ services: [CompiledService],
        standing: [String: ServiceGate] = [:],
        unchanged: Set<String> = [],
        clock: EngineClock,
        events: GatewayEvents,
        journal: any Journal
    ) -> [String: ServiceGate] {
        var gates = standing
        for service in services {
            let name = service.name
            if let gate = standing[name] {
                gate.change(limits(of: service), isSame: unchanged.contains(name))
                continue
            }
            gates[name] = ServiceGate(service: name, limits: limits(of: service), clock: clock, events: events) {
                journal.keep(RateMemory.json($0), as: RateMemory.name(of: name))
            }
        }
        return gates
    }

    private static func limits(of service: CompiledService) -> ServiceQueue.Limits {
        ServiceQueue.Limits(
            concurrency: service.concurrency ?? defaultConcurrency,
            rate: service.rate.map { RateWindow(limit: $0.count, period: $0.period) },
            breaker: service.delivery.breaker
        )
    }

    /// Attempts at the same time at a service that sets no limit of its own.
    static let defaultConcurrency = 32
}

/// How the state of a service's rate is kept over a restart.
enum RateMemory {
    static func name(of service: String) -> String { "rate." + service }

    static func json(_ counts: RateWindow.Counts) -> JSONValue {
        .object([
            .init("slot_ms", .number(String(counts.slotLength))),
            .init("slots", .array(counts.slots.map { .array([.number(String($0.number)), .int($0.count)]) })),
        ])
    }

    static func counts(_ value: JSONValue?) -> RateWindow.Counts? {
        guard let length = value?["slot_ms"]?.int, let slots = value?["slots"]?.array else { return nil }
        return RateWindow.Counts(
            slotLength: Int64(length),
            slots: slots.compactMap { pair in
                guard let number = pair[0]?.int, let count = pair[1]?.int else { return nil }
                return RateWindow.Slot(number: Int64(number), count: count)
            }
        )
    }
}
