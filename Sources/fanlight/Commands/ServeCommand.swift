// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore
import FanlightCurl
import FanlightGateway
import FanlightImaging
import FanlightMicrohttpd
import Glibc

/// `fanlight serve`: runs the gateway until a stop signal.
enum ServeCommand {
    static func run(_ arguments: [String]) throws {
        let parsed = try Arguments(arguments, options: ["--config", "--listen"])
        let loaded = try LoadedConfiguration.loadOrFail(LoadedConfiguration.path(parsed))
        let signals = StopSignals()
        let listen = try ListenAddress(parsed.options["--listen"] ?? loaded.configuration.listen)
        let state = loaded.configuration.state
        guard let spool = DiskSpool(folder: state + "/spool") else {
            throw CommandFailure("the folder \(state)/spool cannot be made or written; set server.state in \(loaded.path)")
        }
        let images = HelperPool(
            executable: Files.sibling("fanlight-imaging"), workers: 2, timeout: .seconds(20), recycleAfter: 500, spool: spool)
        let transport = CurlTransport()
        let service = LateService()
        let server: MicrohttpdServer
        do {
            server = try MicrohttpdServer(
                address: listen.host, port: listen.port, service: service,
                limits: ServerLimits(clientTimeout: loaded.configuration.clientTimeout))
        } catch {
            throw CommandFailure("cannot listen on \(listen.host):\(listen.port): \(error)")
        }
        let url = "http://\(listen.urlHost):\(server.port)"
        let gateway = Gateway(
            settings: settings(loaded, url: url), services: loaded.services, spool: spool, images: images,
            transport: transport, pool: BlockingPool(threads: 2))
        service.set(GatewayService(gateway: gateway))
        Console.out("fanlight ready \(url)")
        signals.wait()
        drain(gateway, server, signals, loaded.configuration.drain)
        server.stop()
        transport.shutdown()
        images.shutdown()
    }

    private static func drain(_ gateway: Gateway, _ server: MicrohttpdServer, _ signals: StopSignals, _ grace: Duration) {
        server.stopAccepting()
        let end = ContinuousClock.now + grace
        while gateway.uploadsUnderWay > 0, ContinuousClock.now < end {
            if signals.wait(milliseconds: 50) { return }
        }
    }

    private static func settings(_ loaded: LoadedConfiguration, url: String) -> GatewaySettings {
        let configuration = loaded.configuration
        var settings = GatewaySettings()
        settings.maxBody = configuration.maxBody
        settings.answerWithin = configuration.answerWithin
        settings.constraints = RenditionConstraints(
            maxEdge: configuration.maxEdge, metadata: configuration.metadata, quality: configuration.quality)
        settings.imageLimits = configuration.imageLimits
        settings.publicURL = configuration.publicURL ?? url
        settings.routes = configuration.routes.mapValues { Route(services: $0.services, policy: RoutePolicy($0.policy)) }
        return settings
    }
}

/// Host and port of `listen`.
struct ListenAddress {
    var host: String
    var port: UInt16

    /// The host as it stands in a URL that works on this machine.
    var urlHost: String { host == "0.0.0.0" ? "127.0.0.1" : host }

    init(_ text: String) throws(CommandFailure) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            throw CommandFailure("\(text) is no address; write HOST:PORT, for example 127.0.0.1:8080")
        }
        host = String(text[..<colon])
        self.port = port
    }
}

/// Stop signals, taken out of the threads' way before any thread starts.
struct StopSignals {
    private var set = sigset_t()

    init() {
        // SAFETY: the set is this value's own; each call only reads or fills it.
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, SIGTERM)
        unsafe sigaddset(&set, SIGINT)
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        // A peer that closes early must not end the process.
        unsafe signal(SIGPIPE, SIG_IGN)
    }

    /// Waits for the first stop signal.
    func wait() {
        var copy = set
        var number: Int32 = 0
        // SAFETY: both are locals that outlive the call.
        while unsafe sigwait(&copy, &number) != 0 {}
    }

    /// True when another stop signal comes within that time.
    func wait(milliseconds: Int) -> Bool {
        var copy = set
        var limit = timespec(tv_sec: milliseconds / 1_000, tv_nsec: milliseconds % 1_000 * 1_000_000)
        // SAFETY: both are locals that outlive the call.
        return unsafe sigtimedwait(&copy, nil, &limit) > 0
    }
}
