// SPDX-License-Identifier: Apache-2.0

public import FanlightAdapters
public import FanlightConfiguration
public import FanlightCore

/// What the gateway needs to know besides its services.
public struct GatewaySettings: Sendable {
    /// Bytes of one request body.
    public var maxBody = 33_554_432
    /// Longest wait of a client for its report.
    public var answerWithin: Duration = .seconds(60)
    /// What every rendition keeps, before a service's own limits.
    public var constraints = RenditionConstraints()
    /// Whether reports give the hash of the picture as it came; without it, it is computed only where it is needed.
    public var givesHash = true
    /// What any picture keeps.
    public var imageLimits = ImageLimits()
    /// What is taken as a picture's place, and what services are told of it.
    public var geotag = GeotagConfiguration()
    /// Named routes; `default` is used where the client names none.
    public var routes: [Route] = []
    /// Base of links to the album, without a slash at the end.
    public var publicURL = "http://127.0.0.1:8080"
    /// Folder for sessions and tokens of services; `nil` = they end with the process.
    public var sessions: String?
    /// Keys of clients; empty = everybody may upload.
    public var clientKeys: [ClientKey] = []
    /// Work of one address without a key; `nil` = no bound.
    public var addressRate: Rate?
    /// Proxies whose word about their clients' addresses counts.
    public var trustedProxies: AddressSet = []
    /// Where they tell it.
    public var clientAddress = ForwardedField.xForwardedFor
    /// Origins of web pages that may use the gateway, lower case; `*` = all.
    public var cors: [String] = []
    /// Bytes of bodies that are received and of pictures under way; 0 = no bound.
    public var maxSpool = 2_000_000_000
    /// Where finished uploads are told; `nil` = nowhere.
    public var notify: NotifySettings?
    /// What becomes of a client's trace.
    public var trace = TracePolicy.pass
    /// Time between two signs of life of an event stream.
    public var heartbeat: Duration = .seconds(15)

    /// Creates the default settings.
    public init() {}

    var intake: IntakeLimits { IntakeLimits(maxBody: maxBody, hashes: givesHash) }
}

/// The life of an upload: read, prepare, record, deliver, report.
public final class Gateway: Sendable {
    let engine: Engine
    let spool: any Spool
    let router: Router
    let images: any ImageProcessor
    let registry: UploadRegistry
    let runner: UploadRunner
    let keys: IdempotencyDesk
    let callers: CallerDesk
    /// One request at a time changes what is wanted of an upload.
    let turns: Turnstile
    let notifier: Notifier?
    /// Work in the background.
    let upkeep: Upkeep

    var settings: GatewaySettings { engine.settings }

    /// Attempts at the same time at a service that sets no limit of its own.
    public static let defaultConcurrency = Engine.defaultConcurrency

    /// Files that stay open for the next delivery of the same picture.
    public static let defaultOpenRenditions = PictureShelf.defaultCapacity

    /// Joins the gateway with its ports; call ``start()`` to continue what an earlier run left.
    ///
    /// - Parameter openRenditions: Files that stay open for the next delivery of the same picture.
    public init(
        settings: GatewaySettings,
        services: [CompiledService],
        spool: any Spool,
        images: any ImageProcessor,
        transport: any HTTPTransport,
        journal: any Journal,
        pool: BlockingPool,
        openRenditions: Int = defaultOpenRenditions,
        identity: Identity = .system,
        clock: EngineClock? = nil,
        log: EventLog = .silent,
        events: GatewayEvents = .none
    ) {
        let clock = clock ?? .system(startingAt: identity.now())
        let sessions = SessionKeeper(folder: settings.sessions, transport: transport, pool: pool, identity: identity)
        let engine = Engine(
            settings: settings,
            services: services,
            transport: transport,
            journal: journal,
            pool: pool,
            clock: clock,
            identity: identity,
            shelf: PictureShelf(spool: spool, capacity: openRenditions),
            gates: Engine.gates(services, clock: clock, events: events, journal: journal),
            sessions: sessions,
            limits: LimitsKeeper(transport: transport, sessions: sessions, identity: identity),
            log: log,
            events: events
        )
        self.engine = engine
        self.spool = spool
        self.images = images
        router = Router(services: services, routes: settings.routes)
        registry = UploadRegistry()
        keys = IdempotencyDesk()
        callers = CallerDesk(clock: clock, journal: journal)
        turns = Turnstile()
        upkeep = Upkeep()
        notifier = settings.notify.map { Notifier(engine: engine, settings: $0) }
        runner = UploadRunner(engine: engine, registry: registry, notifier: notifier)
    }

    /// The same gateway with another configuration: uploads under way are known to both.
    private init(_ other: Gateway, _ engine: Engine) {
        self.engine = engine
        spool = other.spool
        images = other.images
        router = Router(services: engine.services, routes: engine.settings.routes)
        registry = other.registry
        keys = other.keys
        callers = other.callers
        turns = other.turns
        upkeep = other.upkeep
        let isSame = engine.settings.notify == other.settings.notify
        notifier = isSame ? other.notifier : engine.settings.notify.map { Notifier(engine: engine, settings: $0) }
        runner = UploadRunner(engine: engine, registry: registry, notifier: notifier)
        if !isSame { upkeep.notify(with: notifier) }
    }

    /// The gateway for uploads after a change of the configuration; those under way end with this one.
    func changed(to settings: GatewaySettings, services: [CompiledService], unchanged: Set<String>) -> Gateway {
        // What counted before a restart counts, too, for a service that comes back, or gets its rate again, only now.
        let fresh = services.filter { $0.rate != nil && engine.gates[$0.name]?.hasRate != true }.map(\.name)
        for name in fresh { engine.gates[name]?.shut() }
        let gates = Engine.gates(
            services,
            standing: engine.gates,
            unchanged: unchanged,
            clock: engine.clock,
            events: engine.events,
            journal: engine.journal
        )
        let changed = services.map(\.name).filter { !unchanged.contains($0) }
        engine.limits.forget(changed)
        let gateway = Gateway(self, engine.changed(to: settings, services: services, gates: gates))
        for name in fresh { gates[name]?.shut() }
        if !fresh.isEmpty { Task { await gateway.restoreRates(of: Set(fresh)) } }
        return gateway
    }

    /// Uploads with work to do: deliveries without an outcome, or deletions.
    public var uploadsUnderWay: Int { registry.count }

    /// True when everything that an earlier run left is under way again.
    public var isReady: Bool { upkeep.isStarted && !registry.isClosed }

    /// Continues what an earlier run left, and begins the work that goes on in the background.
    ///
    /// - Parameter whenCounted: Called once it is known what counts of an earlier run; uploads taken before would not
    ///   be counted with it.
    public func start(whenCounted: @Sendable () -> Void = {}) async {
        await restoreRates(of: Set(engine.services.map(\.name)))
        await restoreCallers()
        whenCounted()
        await recover()
        guard !registry.isStopping else { return }
        upkeep.start(Task { await self.prune() }, notifier)
    }

    /// Refuses uploads, retries and deletions from now on with 503, on whatever connection they come.
    ///
    /// Readiness says `stopping`. What is under way goes on, and what was taken can still be asked for.
    public func refuseNewWork() { registry.close() }

    /// Ends all work: what may have arrived becomes unknown, the rest stays in the journal for the next start, and
    /// waiting clients get their reports as they are.
    ///
    /// Returns at once; ``uploadsUnderWay`` is 0 when all work has ended.
    public func interrupt() {
        upkeep.stop()
        for upload in registry.stop() { upload.stop() }
    }

    /// Lets the journal forget what is too old or too much, once a minute, and more often where much is taken.
    private func prune() async {
        while !Task.isCancelled {
            var hasMore = true
            while hasMore, !Task.isCancelled {
                do throws(JournalError) {
                    hasMore = try await engine.journal.prune(now: engine.now).hasMore
                } catch {
                    hasMore = false
                    if error != .closed { engine.events.tell(.journalFailed(error)) }
                }
            }
            await upkeep.pause(engine.clock)
        }
    }
}
