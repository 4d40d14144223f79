// SPDX-License-Identifier: Apache-2.0

import CMicrohttpd
public import FanlightCore
import Glibc
import Synchronization

/// Incoming HTTP/1.x over libmicrohttpd (C: MHD_start_daemon): a pool of epoll threads, connections suspended while
/// the service works, a thread that accepts, and one that cuts clients whose time is over.
@safe
public final class MicrohttpdServer: Sendable {
    private enum Phase { case running, quiet, stopped }

    private struct Threads {
        let acceptor: OwnThread
        let sweeper: OwnThread
    }

    /// How long a stop waits for answers that are on their way.
    private static let farewell = Duration.seconds(1)

    /// The port that the server listens on; chosen by the kernel when 0 was asked for.
    public let port: UInt16
    /// What the server listens on: as it was named, or in digits where the socket was handed over.
    public let host: String
    /// By which address clients on this machine reach it: that of the loopback interface where it listens on all.
    public let localHost: String

    private let core: ServerCore
    private let listener: Int32
    /// False for a socket that was handed over: whoever did keeps it for the next server.
    private let isListenerOwn: Bool
    // SAFETY: not used after `stop` has ended it, which only one caller does.
    private nonisolated(unsafe) let daemon: OpaquePointer
    private let acceptor: Acceptor
    private let threads: Threads
    private let phase = Mutex(Phase.running)

    /// Opens the socket and starts to serve.
    ///
    /// - Parameters:
    ///   - address: Name or number of a local interface; empty or `*` = all.
    ///   - port: TCP port; 0 = any free one.
    ///   - service: Called on server threads.
    ///   - limits: Bounds for clients.
    ///   - accepting: False to leave clients in the kernel's queue until ``startAccepting()``.
    /// - Throws: ``ServerError`` when the address cannot be had.
    public convenience init(
        address: String,
        port: UInt16,
        service: any HTTPService,
        limits: ServerLimits = ServerLimits(),
        accepting: Bool = true
    ) throws(ServerError) {
        let (listener, port) = try ListenSocket.open(address: address, port: port)
        try self.init(listener: listener, isOwn: true, host: address, port: port, service: service, limits: limits)
        if accepting { startAccepting() }
    }

    /// Serves on a socket that listens already, for example one of the service manager.
    ///
    /// - Parameters:
    ///   - socket: A listening TCP socket; it belongs to the server from here on.
    ///   - service: Called on server threads.
    ///   - limits: Bounds for clients.
    ///   - accepting: False to leave clients in the kernel's queue until ``startAccepting()``.
    /// - Throws: ``ServerError`` when it is no such socket.
    public convenience init(
        socket: Int32,
        service: any HTTPService,
        limits: ServerLimits = ServerLimits(),
        accepting: Bool = true
    ) throws(ServerError) {
        guard let (host, port) = ListenSocket.adopt(socket) else { throw .unfitSocket }
        try self.init(listener: socket, isOwn: false, host: host, port: port, service: service, limits: limits)
        if accepting { startAccepting() }
    }

    private init(
        listener: Int32,
        isOwn: Bool,
        host: String,
        port: UInt16,
        service: any HTTPService,
        limits: ServerLimits
    ) throws(ServerError) {
        self.listener = listener
        isListenerOwn = isOwn
        self.host = host
        localHost =
            switch host {
            case "", "*", "0.0.0.0": "127.0.0.1"
            case "::": ListenSocket.isIPv6Only(listener) ? "::1" : "127.0.0.1"
            default: host
            }
        self.port = port
        core = ServerCore(service: service, limits: limits)
        // SAFETY: retained here, released in `stop` after the daemon is gone, or below when there is none.
        let context = unsafe Unmanaged.passRetained(core)
        let idle = max(1, limits.idleTimeout.components.seconds)
        let places = limits.maxConnections + limits.spareConnections
        let workers = max(2, limits.threads)
        guard
            let daemon = unsafe fl_start_daemon(
                UInt32(clamping: workers),
                max(16_384, limits.connectionMemory),
                // The library gives each worker its part; the acceptor counts, and one worker may have them all.
                UInt32(clamping: places * workers),
                UInt32(clamping: idle),
                Callbacks.handle,
                Callbacks.completed,
                Callbacks.connected,
                Callbacks.unescape,
                context.toOpaque()
            )
        else {
            unsafe context.release()
            close(listener)
            throw .cannotStart
        }
        unsafe self.daemon = unsafe daemon
        acceptor = unsafe Acceptor(listener: listener, daemon: daemon, table: core.table, places: places)
        guard let threads = Self.start(acceptor, core) else {
            // SAFETY: no thread of ours uses it.
            unsafe MHD_stop_daemon(daemon)
            unsafe context.release()
            close(listener)
            throw .cannotStart
        }
        self.threads = threads
    }

    private static func start(_ acceptor: Acceptor, _ core: ServerCore) -> Threads? {
        guard let sweeper = OwnThread({ core.sweep() }) else { return nil }
        guard let accepting = OwnThread({ acceptor.run() }) else {
            core.endSweep()
            sweeper.join()
            return nil
        }
        return Threads(acceptor: accepting, sweeper: sweeper)
    }

    deinit { stop() }

    /// Complete requests whose answers the service still works on.
    public var requestsUnderWay: Int { core.waiting.count }

    /// Requests whose bodies are still coming.
    public var bodiesUnderWay: Int { core.table.receivingCount }

    /// Open connections.
    public var connectionCount: Int { core.table.count }

    /// What the server refused before the service heard of it, by status, since the start.
    public var refusals: [Int: Int] { core.refusals.all }

    /// Silent connections that had to make room for others, since the start.
    public var evictedConnections: Int { core.table.evictedCount }

    /// Takes connections from here on, those that wait first; does nothing where it takes them, or after a stop.
    public func startAccepting() { acceptor.open() }

    /// Refuses new connections; those that exist are served and closed after their answer.
    public func stopAccepting() { phase.withLock { quiesce(&$0) } }

    /// Stops: requests that wait for the service and those whose bodies are still coming are answered 503, answers on
    /// their way get a second, then every connection is closed.
    ///
    /// Blocks for about a second at most; may be called more than once.
    public func stop() {
        let wasStopped = phase.withLock { phase in
            quiesce(&phase)
            defer { phase = .stopped }
            return phase == .stopped
        }
        guard !wasStopped else { return }
        core.waiting.stop(with: RawAnswer.stopping)
        core.streams.stop()
        core.table.refuseReceiving(with: RawAnswer.bytes(of: RawAnswer.stopping), lingering: Self.farewell)
        let end = ContinuousClock.now + Self.farewell
        while core.table.hasAnswers, ContinuousClock.now < end { usleep(2_000) }
        // SAFETY: only the caller that set the phase comes here; no connection is suspended any more.
        unsafe MHD_stop_daemon(daemon)
        close(listener)
        core.endSweep()
        threads.sweeper.join()
        // SAFETY: the library calls nothing after MHD_stop_daemon; this ends the retain of `init`.
        unsafe Unmanaged.passUnretained(core).release()
    }

    private func quiesce(_ phase: inout Phase) {
        guard phase == .running else { return }
        phase = .quiet
        core.closeConnections()
        acceptor.stop()
        threads.acceptor.join()
        // Makes the kernel refuse instead of queueing for nobody; another's socket queues for the next server.
        if isListenerOwn { shutdown(listener, Int32(SHUT_RDWR)) }
    }
}
