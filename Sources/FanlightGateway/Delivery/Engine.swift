// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore

/// What every part of the delivery engine works with.
///
/// One object that all share: hundreds of deliveries that wait would each hold a copy else.
final class Engine: Sendable {
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
    /// Equal deliveries under way to services that reuse.
    let reuse: ReuseDesk
    let log: EventLog
    let events: GatewayEvents
    /// Places in ``services`` of those that are on.
    private let places: [String: Int]

    init(
        settings: GatewaySettings,
        services: [CompiledService],
        transport: any HTTPTransport,
        journal: any Journal,
        pool: BlockingPool,
        clock: EngineClock,
        identity: Identity,
        shelf: PictureShelf,
        gates: [String: ServiceGate],
        sessions: SessionKeeper,
        limits: LimitsKeeper,
        reuse: ReuseDesk = ReuseDesk(),
        log: EventLog,
        events: GatewayEvents
    ) {
        self.settings = settings
        self.services = services
        self.transport = transport
        self.journal = journal
        self.pool = pool
        self.clock = clock
        self.identity = identity
        self.shelf = shelf
        self.gates = gates
        self.sessions = sessions
        self.limits = limits
        self.reuse = reuse
        self.log = log
        self.events = events
        let enabled = services.enumerated().filter(\.element.enabled).map { ($0.element.name, $0.offset) }
        places = Dictionary(enabled) { first, _ in first }
    }

    /// The same with another configuration.
    func changed(
        to settings: GatewaySettings,
        services: [CompiledService],
        gates: [String: ServiceGate]
    ) -> Engine {
        Engine(
            settings: settings,
            services: services,
            transport: transport,
            journal: journal,
            pool: pool,
            clock: clock,
            identity: identity,
            shelf: shelf,
            gates: gates,
            sessions: sessions,
            limits: limits,
            reuse: reuse,
            log: log,
            events: events
        )
    }

    /// The service of that name; `nil` when config.yaml has it no more, or it is off.
    func service(_ name: String) -> CompiledService? { places[name].map { services[$0] } }

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
