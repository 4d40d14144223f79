// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightCore
import Synchronization

/// Knows how the gateway does: what `/metrics` and `/readyz` answer.
public final class Observatory: Sendable {
    /// What the parts around the gateway say of themselves; calls come from any thread.
    public struct Sources: Sendable {
        /// Open connections of clients.
        public var connections: @Sendable () -> Int = { 0 }
        /// What the server in front refused by itself since the start, by status.
        public var refusals: @Sendable () -> [Int: Int] = { [:] }
        /// Silent connections that had to make room, since the start.
        public var evictedConnections: @Sendable () -> Int = { 0 }
        /// Lines of the log that nobody read in time.
        public var lostLogLines: @Sendable () -> Int = { 0 }
        /// How often pictures were decoded since the start.
        public var decodes: @Sendable () -> Int = { 0 }
        /// Helpers that are alive.
        public var helpers: @Sendable () -> Int = { 0 }
        /// Helpers that were replaced since the start, by reason.
        public var helperRestarts: @Sendable () -> [String: Int] = { [:] }
        /// True when pictures can be prepared; may block.
        public var canPrepare: @Sendable () -> Bool = { true }
        /// The state folder; empty = none is looked at.
        public var stateFolder = ""
        /// What is wrong with it; may block.
        public var stateTrouble: @Sendable () -> StateWatch.Trouble? = { nil }
        /// Bytes that must be left on its disk; 0 = no bound.
        public var minFree = 0

        /// Sources that know nothing.
        public init() {}
    }

    /// What is counted.
    public let metrics = Metrics()
    /// Version of the program.
    let version: String
    private let sources = Mutex(Sources())
    private let readiness = Mutex<(at: ContinuousClock.Instant, answer: Readiness)?>(nil)

    /// An answer is good for so long, so that nobody keeps the disk busy by asking.
    private static let freshness = Duration.seconds(1)

    /// Creates counters that start now.
    ///
    /// - Parameter version: Version of the program.
    public init(version: String, identity: Identity = .system) {
        self.version = version
        metrics.set(.buildInfo, [version], to: 1)
        metrics.set(.startTime, to: Double(identity.now()) / 1_000)
        metrics.set(.reloadTime, to: Double(identity.now()) / 1_000)
        metrics.set(.reloadSuccessful, to: 1)
        for result in ["applied", "refused"] { metrics.begin(.reloads, [result]) }
        for result in GatewayEvent.WebhookResult.allCases { metrics.begin(.webhooks, [result.rawValue]) }
        for status in [UploadStatus.delivered, .partial, .failed] { metrics.begin(.uploads, [status.rawValue]) }
        for lane in Lane.allCases {
            metrics.begin(.renditions, [lane.rawValue])
            metrics.begin(.renditionSeconds, [lane.rawValue])
        }
        for status in [400, 408, 413, 429, 431, 503] { metrics.begin(.refusals, [String(status)]) }
        for path in InterfacePath.allCases { metrics.begin(.requests, [path.rawValue, "200"]) }
        for family in [MetricFamily.uploadBytes, .uploadSeconds, .recovered, .journalFailures] { metrics.begin(family) }
    }

    /// Joins the parts around the gateway once they stand.
    public func attach(_ sources: Sources) { self.sources.withLock { $0 = sources } }

    /// Changes the bound of ``Sources/minFree``.
    public func setMinFree(_ bytes: Int) { sources.withLock { $0.minFree = bytes } }

    /// Counts the gateway's events.
    public var events: GatewayEvents { GatewayEvents { [self] in count($0) } }

    /// Notes a reload of the configuration.
    public func reloaded(isApplied: Bool, identity: Identity = .system) {
        metrics.add(.reloads, [isApplied ? "applied" : "refused"])
        metrics.set(.reloadSuccessful, to: isApplied ? 1 : 0)
        if isApplied { metrics.set(.reloadTime, to: Double(identity.now()) / 1_000) }
    }

    /// Counts an answered request.
    func answered(_ route: String, status: Int) { metrics.add(.requests, [route, String(status)]) }

    // MARK: Events

    private func count(_ event: GatewayEvent) {
        switch event {
        case .accepted(let bytes, _): metrics.add(.uploadBytes, by: Double(bytes))
        case .prepared(let lane, _): metrics.add(.renditions, [lane.rawValue])
        case .preparedPicture(let lane, let duration):
            metrics.observe(.renditionSeconds, [lane.rawValue], seconds: duration.inSeconds)
        case .attempt(let service, _, _): metrics.add(.attempts, [service])
        case .delivery(let service, _, let status, let kind, let attempts, let duration):
            let outcome = status == .failed ? kind?.rawValue ?? status.rawValue : status.rawValue
            metrics.add(.deliveries, [service, outcome])
            if attempts > 0 { metrics.observe(.deliverySeconds, [service], seconds: duration.inSeconds) }
        case .upload(let status, let duration):
            metrics.add(.uploads, [status.rawValue])
            metrics.observe(.uploadSeconds, seconds: duration.inSeconds)
        case .reused(let service): metrics.add(.reused, [service])
        case .deletion(let service, let state): metrics.add(.deletions, [service, state.rawValue])
        case .webhook(let result): metrics.add(.webhooks, [result.rawValue])
        case .journalFailed: metrics.add(.journalFailures)
        case .recovered(let uploads): metrics.add(.recovered, by: Double(uploads))
        // Queues and circuits are read when somebody asks.
        case .refused, .prepareTime, .queue, .circuit: break
        }
    }

    // MARK: Metrics

    /// The text of `/metrics`.
    func text(of gateway: Gateway) async -> String {
        let sources = sources.withLock { $0 }
        metrics.set(.ready, to: await readiness(of: gateway).isReady ? 1 : 0)
        metrics.set(.uploadsUnderWay, to: Double(gateway.uploadsUnderWay))
        services(of: gateway)
        metrics.set(.connections, to: Double(sources.connections()))
        metrics.set(.evictedConnections, to: Double(sources.evictedConnections()))
        metrics.set(.lostLogLines, to: Double(sources.lostLogLines()))
        for (status, count) in sources.refusals() { metrics.set(.refusals, [String(status)], to: Double(count)) }
        metrics.set(.decodes, to: Double(sources.decodes()))
        metrics.set(.helpers, to: Double(sources.helpers()))
        for (reason, count) in sources.helperRestarts() { metrics.set(.helperRestarts, [reason], to: Double(count)) }
        if let counters = try? await gateway.engine.journal.counters() {
            metrics.set(.journalBytes, to: Double(counters.journalBytes))
            metrics.set(.journalUploads, to: Double(counters.uploads))
            metrics.set(.spoolBytes, to: Double(counters.pictureBytes))
        }
        let free = await gateway.engine.pool.run { ProcessFacts.freeBytes(sources.stateFolder) }
        if let free { metrics.set(.stateFreeBytes, to: Double(free)) }
        process()
        return metrics.text()
    }

    private func services(of gateway: Gateway) {
        let services = gateway.engine.services.filter(\.enabled)
        metrics.keep(services: Set(services.map(\.name)))
        for service in services {
            guard let snapshot = gateway.engine.gates[service.name]?.snapshot else { continue }
            let state: Double =
                switch snapshot.circuit {
                case .closed: 0
                case .halfOpen: 1
                case .open: 2
                }
            metrics.set(.queueDepth, [service.name], to: Double(snapshot.waiting))
            metrics.set(.deliveriesUnderWay, [service.name], to: Double(snapshot.underWay))
            metrics.set(.breakerState, [service.name], to: state)
            begin(service.name)
        }
    }

    /// Everything that is counted of a service.
    private func begin(_ service: String) {
        for outcome in Self.outcomes { metrics.begin(.deliveries, [service, outcome]) }
        for state in [JournalDeletion.State.deleted, .failed, .shared] {
            metrics.begin(.deletions, [service, state.rawValue])
        }
        for family in [MetricFamily.attempts, .reused, .deliverySeconds] { metrics.begin(family, [service]) }
    }

    private static let outcomes =
        [DeliveryStatus.delivered, .unknown, .skipped].map(\.rawValue) + ErrorKind.allCases.map(\.rawValue)

    private func process() {
        metrics.set(.processorSeconds, to: ProcessFacts.processorSeconds())
        if let bytes = ProcessFacts.residentMemory() { metrics.set(.residentMemory, to: Double(bytes)) }
        if let count = ProcessFacts.openDescriptors() { metrics.set(.openDescriptors, to: Double(count)) }
        if let count = ProcessFacts.maxDescriptors() { metrics.set(.maxDescriptors, to: Double(count)) }
    }

    // MARK: Readiness

    /// Whether the gateway takes uploads now.
    func readiness(of gateway: Gateway) async -> Readiness {
        if let early = Readiness(starting: gateway) { return early }
        let now = ContinuousClock.now
        if let last = readiness.withLock({ $0 }), now - last.at < Self.freshness { return last.answer }
        let answer = await Readiness.check(gateway, sources.withLock { $0 })
        readiness.withLock { $0 = (now, answer) }
        return answer
    }
}

extension Duration {
    /// Seconds with their fraction.
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
