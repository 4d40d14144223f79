// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore

/// What every part of the delivery engine works with.
struct Engine: Sendable {
    let settings: GatewaySettings
    let services: [CompiledService]
    let transport: any HTTPTransport
    let journal: any Journal
    let pool: BlockingPool
    let clock: EngineClock
    let identity: Identity
    let shelf: PictureShelf
    let gates: [String: ServiceGate]
    let sessions: SessionKeeper
    let limits: LimitsKeeper
    let log: EventLog
    let events: GatewayEvents

    /// The service of that name; `nil` when config.yaml has it no more, or it is off.
    func service(_ name: String) -> CompiledService? { services.first { $0.name == name && $0.enabled } }

    /// Milliseconds since 1970.
    var now: Int64 { clock.now().milliseconds }

    /// One gate a service.
    static func gates(
        _ services: [CompiledService],
        clock: EngineClock,
        events: GatewayEvents,
        journal: any Journal
    ) -> [String: ServiceGate] {
        var gates: [String: ServiceGate] = [:]
        for service in services {
            let rate = service.rate.map { RateWindow(limit: $0.count, period: $0.period) }
            let limits = ServiceQueue.Limits(
                concurrency: service.concurrency ?? defaultConcurrency,
                rate: rate,
                breaker: service.delivery.breaker
            )
            let name = service.name
            gates[name] = ServiceGate(service: name, limits: limits, clock: clock, events: events) { slots in
                journal.keep(RateMemory.json(slots), as: RateMemory.name(of: name))
            }
        }
        return gates
    }

    /// Attempts at the same time at a service that sets no limit of its own.
    static let defaultConcurrency = 32
}

/// How the state of a service's rate is kept over a restart.
enum RateMemory {
    static func name(of service: String) -> String { "rate." + service }

    static func json(_ slots: [RateWindow.Slot]) -> JSONValue {
        .array(slots.map { .array([.number(String($0.number)), .int($0.count)]) })
    }

    static func slots(_ value: JSONValue?) -> [RateWindow.Slot] {
        (value?.array ?? []).compactMap { pair in
            guard let number = pair[0]?.int, let count = pair[1]?.int else { return nil }
            return RateWindow.Slot(number: Int64(number), count: count)
        }
    }
}
