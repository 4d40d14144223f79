// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore
import FanlightCurl
import FanlightGateway
import FanlightImaging
import FanlightJournal
import FanlightMicrohttpd
import Glibc

/// `fanlight serve`: runs the gateway until a stop signal.
enum ServeCommand {
    static func run(_ arguments: [String]) throws {
        let parsed = try Arguments(arguments, options: ["--config", "--listen"])
        try parsed.refuseWords()
        let loaded = try LoadedConfiguration.loadOrFail(LoadedConfiguration.path(parsed), tell: warn)
        let signals = StopSignals()
        let shares = try shares(loaded, within: DescriptorLimit.raise())
        let listen = try parsed.options["--listen"].map(ListenAddress.of) ?? loaded.configuration.server.listen
        let state = loaded.configuration.server.state
        let pool = BlockingPool(threads: 2)
        let reuse = DiskSpool.Reuse(files: shares.freeFiles)
        guard let spool = DiskSpool(folder: state + "/spool", reuse: reuse, pool: pool) else {
            throw CommandFailure(
                "the folder \(state)/spool cannot be made or written; set server.state in \(loaded.path)"
            )
        }
        let journal = try StateJournal.open(loaded.configuration, spool: spool)
        let watch = StateWatch(stateParts.map { state + $0 })
        let image = loaded.configuration.image
        let images = HelperPool(
            executable: Files.sibling("fanlight-imaging"),
            workers: image.helpers > 0 ? image.helpers : ProcessorShare().count,
            // A busy machine gives a process less than its whole time.
            timeout: image.processorTime * 2 + .seconds(10),
            recycleAfter: 500,
            processorTime: image.processorTime,
            memory: image.memory,
            spool: spool
        )
        let transport = CurlTransport(maxConnections: shares.transfers)
        let service = LateService()
        let observatory = Observatory(version: HelpCommand.version)
        let server = try open(listen, service, shares.limits)
        let url = "http://\(ListenAddress(host: server.localHost, port: Int(server.port)).urlHost):\(server.port)"
        let lines = LogLines()
        let log = EventLog { lines.add($0.serialized()) }
        let gateway = Gateway(
            settings: loaded.settings(url: url),
            services: loaded.services,
            spool: spool,
            images: images,
            transport: transport,
            journal: journal,
            pool: pool,
            openRenditions: shares.openRenditions,
            log: log,
            events: GatewayEvents { event in
                observatory.events.tell(event)
                log.note(event, at: Identity.system.timestamp())
            }
        )
        observatory.attach(sources(loaded, server, images, lines, watch))
        let running = RunningGateway(gateway)
        let observed = ObservedService(observatory: observatory) {
            GatewayService(gateway: running.gateway, observatory: observatory)
        }
        Task {
            await gateway.start {
                service.set(observed)
                server.startAccepting()
            }
        }
        var isStopped = false
        while !service.isSet, !isStopped { isStopped = signals.wait(milliseconds: 1) }
        let note = AddressNote(configuration: loaded.path, state: state)
        note.write(url)
        Console.announce("fanlight ready \(url)")
        ServiceManager.tell("READY=1")
        Task {
            if await pool.run({ images.tryHelper() }) { return }
            log.helpersMissing(Files.sibling("fanlight-imaging"), at: Identity.system.timestamp())
        }
        let reloader = Reloader(loaded, running: running, observatory: observatory, url: url, log: log)
        let desk = ReloadDesk(reloader, log: log)
        if !isStopped { serve(signals, desk, spool, StateDesk(watch, log: log)) }
        note.remove()
        ServiceManager.tell("STOPPING=1")
        drain(gateway, server, journal, signals, desk.configuration.server.drain)
        server.stop()
        transport.shutdown()
        images.shutdown()
        journal.closeAndWait()
        if journal.owedCount > 0 { log.outcomesLost(journal.owedCount, at: Identity.system.timestamp()) }
        spool.clear()
        lines.finish(within: farewell)
        // The libraries' own ends, which `exit` runs, would take away what that thread works with.
        if desk.isLooking { _exit(0) }
    }

    /// Tells the warnings of the configuration as a reload would: the log has lines of JSON only, from the first on.
    private static func warn(_ loaded: LoadedConfiguration) {
        guard !loaded.warnings.isEmpty else { return }
        let line = ConfigurationLine.json("warning", "configuration has warnings", loaded.path, loaded.warnings)
        Console.error(line.serialized())
    }

    /// What clients and services may take, as the configuration has it and as far as the system goes with it.
    ///
    /// Tells where the system does not; fails where too few files may be open to serve anybody.
    private static func shares(
        _ loaded: LoadedConfiguration,
        within descriptors: Int?
    ) throws(CommandFailure) -> DescriptorLimit.Shares {
        let limits = ServerLimits(loaded.configuration.server)
        let wanted = DescriptorLimit.Shares(limits: limits, transfers: connections(loaded.services))
        guard let descriptors else { return wanted }
        guard descriptors >= DescriptorLimit.least else {
            throw CommandFailure(
                "only \(descriptors) descriptors may be open, and \(DescriptorLimit.least) are needed at least: raise the "
                    + "limit (ulimit -n, LimitNOFILE of the unit, nofile of the container)"
            )
        }
        let shares = DescriptorLimit.fit(wanted, within: descriptors)
        guard shares.limits.maxConnections < limits.maxConnections else { return shares }
        EventLog { Console.error($0.serialized()) }.fewDescriptors(
            descriptors,
            connections: (wanted: limits.maxConnections, used: shares.limits.maxConnections),
            at: Identity.system.timestamp()
        )
        return shares
    }

    /// What must stay where it is, behind the path of the state folder.
    private static let stateParts = [
        "", "/spool", "/journal.sqlite", "/journal.sqlite-wal", "/lock", "/state.key",
    ]

    /// How often files are looked at.
    private static let lookMilliseconds = 1_000

    /// Serves until a stop signal, has a changed configuration read, and looks after the state folder.
    private static func serve(_ signals: StopSignals, _ desk: ReloadDesk, _ spool: DiskSpool, _ state: StateDesk) {
        let upkeep = Chore()
        while true {
            switch signals.next(milliseconds: lookMilliseconds) {
            case .stop: return
            case .reload: desk.look(isAsked: true)
            case nil: desk.look(isAsked: false)
            }
            upkeep.begin {
                // No picture lies longer than it may.
                spool.trim()
                state.look()
            }
        }
    }

    /// What metrics and readiness read around the gateway.
    private static func sources(
        _ loaded: LoadedConfiguration,
        _ server: MicrohttpdServer,
        _ images: HelperPool,
        _ lines: LogLines,
        _ watch: StateWatch
    ) -> Observatory.Sources {
        var sources = Observatory.Sources()
        sources.connections = { server.connectionCount }
        sources.evictedConnections = { server.evictedConnections }
        sources.lostLogLines = { lines.dropped }
        sources.refusals = { server.refusals }
        sources.decodes = { images.decodes }
        sources.helpers = { images.helperCount }
        sources.helperRestarts = { images.replaced }
        sources.canPrepare = { images.canPrepare() }
        sources.stateFolder = loaded.configuration.server.state
        sources.stateTrouble = { watch.trouble() }
        sources.minFree = loaded.configuration.server.minFree
        return sources
    }

    /// The service manager's socket where it opened one, else one of our own.
    private static func open(
        _ listen: ListenAddress,
        _ service: any HTTPService,
        _ limits: ServerLimits
    ) throws(CommandFailure) -> MicrohttpdServer {
        let socket = try ServiceManager.listeningSocket()
        do throws(ServerError) {
            if let socket {
                return try MicrohttpdServer(socket: socket, service: service, limits: limits, accepting: false)
            }
            return try MicrohttpdServer(
                address: listen.host,
                port: UInt16(clamping: listen.port),
                service: service,
                limits: limits,
                accepting: false
            )
        } catch {
            if socket != nil { throw CommandFailure("cannot serve on the socket of the service manager: \(error)") }
            throw CommandFailure("cannot listen on \(listen.host):\(listen.port): \(error)")
        }
    }

    /// Time that interrupted uploads get to write their state and to answer their clients.
    private static let farewell = Duration.seconds(2)

    /// Lets uploads under way finish, from the head of the request to its answer, and outcomes get to the disk; a second
    /// signal ends that.
    private static func drain(
        _ gateway: Gateway,
        _ server: MicrohttpdServer,
        _ journal: SQLiteJournal,
        _ signals: StopSignals,
        _ grace: Duration
    ) {
        gateway.refuseNewWork()
        server.stopAccepting()
        let end = ContinuousClock.now + grace
        func isBusy() -> Bool {
            gateway.uploadsUnderWay > 0 || server.requestsUnderWay > 0 || server.bodiesUnderWay > 0
                || journal.owedCount > 0
        }
        while isBusy(), ContinuousClock.now < end {
            if journal.owedCount > 0 { journal.retryOwed() }
            if signals.wait(milliseconds: 50) { break }
        }
        gateway.interrupt()
        let last = ContinuousClock.now + farewell
        while server.requestsUnderWay > 0 || gateway.uploadsUnderWay > 0, ContinuousClock.now < last {
            _ = signals.wait(milliseconds: 5)
        }
    }

    /// Transfers at the same time: what all services together may take, so that none waits for another's.
    private static func connections(_ services: [CompiledService]) -> Int {
        let wanted = services.filter(\.enabled).reduce(spareConnections) {
            $0 + ($1.concurrency ?? Gateway.defaultConcurrency)
        }
        return max(256, wanted)
    }

    /// Deletions, sessions and the webhook.
    private static let spareConnections = 32
}

extension ServerLimits {
    /// The limits of a configuration.
    init(_ settings: ServerSettings) {
        self.init(
            maxConnections: settings.maxConnections,
            maxConnectionsPerAddress: settings.maxConnectionsPerAddress,
            unlimited: settings.trustedProxies,
            clientTimeout: settings.clientTimeout,
            minRate: settings.minRate
        )
    }
}

extension ListenAddress {
    /// The host as it stands in a URL that works on this machine.
    var urlHost: String {
        if host == "0.0.0.0" || host == "::" { return "127.0.0.1" }
        return host.contains(":") ? "[\(host)]" : host
    }

    /// Reads the address of a command line.
    static func of(_ text: String) throws(UsageError) -> ListenAddress {
        do throws(Expectation) {
            return try ValueReader.address(text)
        } catch {
            throw UsageError("\(text) is no address; write HOST:PORT, for example 127.0.0.1:8080")
        }
    }
}
