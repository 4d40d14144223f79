// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

/// Bounds that protect the server from its clients.
public struct ServerLimits: Sendable, Equatable {
    /// Connections served; for more, the longest silent one makes room, or they are answered 503 with Retry-After.
    public var maxConnections: Int
    /// Places beyond that for connections that are to be told 503; still more wait in the kernel's queue.
    public var spareConnections: Int
    /// Connections of one address, `nil` = no bound; more are answered 429 with Retry-After.
    public var maxConnectionsPerAddress: Int?
    /// Addresses without a bound of their own: proxies that stand for many clients.
    public var unlimited: AddressSet
    /// Wall-clock time for a head and its body, however steadily the bytes drip.
    public var clientTimeout: Duration
    /// Bytes a second of the slowest client, which give a body another second; 0 = no more time.
    public var minRate: Int
    /// Silence after which a connection is closed, between requests or within one.
    public var idleTimeout: Duration
    /// Bytes of a request head, names and values together; more is answered 431.
    public var maxHeadBytes: Int
    /// Bytes of a declared body; more is answered 413 before it is read.
    ///
    /// `nil` leaves it to the service.
    public var maxBodyBytes: Int?
    /// Memory that a connection may use, which also sets how much is read at a time.
    public var connectionMemory: Int
    /// Threads that serve connections.
    public var threads: Int

    /// Creates limits.
    public init(
        maxConnections: Int = 1_000,
        spareConnections: Int = 256,
        maxConnectionsPerAddress: Int? = nil,
        unlimited: AddressSet = [],
        clientTimeout: Duration = .seconds(60),
        minRate: Int = 0,
        idleTimeout: Duration = .seconds(30),
        maxHeadBytes: Int = 32_768,
        maxBodyBytes: Int? = nil,
        connectionMemory: Int = 131_072,
        threads: Int = 2
    ) {
        self.maxConnections = maxConnections
        self.spareConnections = spareConnections
        self.maxConnectionsPerAddress = maxConnectionsPerAddress
        self.unlimited = unlimited
        self.clientTimeout = clientTimeout
        self.minRate = minRate
        self.idleTimeout = idleTimeout
        self.maxHeadBytes = maxHeadBytes
        self.maxBodyBytes = maxBodyBytes
        self.connectionMemory = connectionMemory
        self.threads = threads
    }
}

/// Why a server did not start.
public enum ServerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The address does not name a local interface.
    case badAddress(String)
    /// The socket cannot listen; `errno` tells why.
    case cannotListen(address: String, port: UInt16, errno: Int32)
    /// The socket that was handed over is not of TCP, or does not listen.
    case unfitSocket
    /// The HTTP library refused to start.
    case cannotStart

    /// One sentence for the operator.
    public var description: String {
        switch self {
        case .badAddress(let address): "The address \(address) is not known on this machine."
        case .cannotListen(let address, let port, let code):
            "Cannot listen on \(address) port \(port): \(ListenSocket.words(for: code))."
        case .unfitSocket: "The socket that was handed over is no TCP socket that listens."
        case .cannotStart: "The HTTP server cannot start."
        }
    }
}
