// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

/// How clients reach the gateway, and its own limits.
public struct ServerSettings: Sendable, Equatable {
    /// Where it listens.
    public var listen: ListenAddress
    /// Base of links to the gateway's own pictures, without a slash at its end; `nil` = the address above.
    public var publicURL: String?
    /// Folder of journal, spool and album.
    public var state: String
    /// Any text, of which the key is made that seals secrets in the state folder; `nil` = a key that lies there.
    public var stateKey: Secret?
    /// Bytes of a request body.
    public var maxBody: Int
    /// Longest wait of a client for the report.
    public var answerWithin: Duration
    /// Time for uploads under way after a stop signal.
    public var drain: Duration
    /// Wall-clock time for a client's whole request.
    public var clientTimeout: Duration
    /// Bytes that must be left on the disk of the state folder; 0 = no bound.
    public var minFree = 200_000_000
    /// What becomes of a client's trace.
    public var trace = TracePolicy.pass
    /// Bytes a second of the slowest client; 0 = no more time than `clientTimeout`.
    public var minRate = 8_000
    /// Connections at the same time.
    public var maxConnections = 1_000
    /// Connections of one address; `nil` = no bound.
    public var maxConnectionsPerAddress: Int?
    /// Addresses of proxies that stand for many clients.
    public var trustedProxies: AddressSet = []
    /// Where trusted proxies tell their clients' addresses.
    public var clientAddress = ForwardedField.xForwardedFor
    /// Work of one address without a key; `nil` = no bound.
    public var addressRate: Rate?
    /// Bytes of bodies and pictures under way; 0 = no bound.
    public var maxSpool = 2_000_000_000
    /// Origins of web pages, lower case; `*` = all.
    public var cors: [String] = []
    /// True where a file with secrets must not be readable by everybody.
    public var refusesOpenFiles = false
    /// Keys of clients; empty = everybody may upload.
    public var clientKeys: [ClientKeyConfiguration]

    /// Creates settings; what is not given has its default.
    public init(
        listen: ListenAddress = ListenAddress(host: "127.0.0.1", port: 8080),
        publicURL: String? = nil,
        state: String = "./state",
        maxBody: Int = 32_000_000,
        answerWithin: Duration = .seconds(60),
        drain: Duration = .seconds(30),
        clientTimeout: Duration = .seconds(60),
        clientKeys: [ClientKeyConfiguration] = []
    ) {
        self.listen = listen
        self.publicURL = publicURL
        self.state = state
        self.maxBody = maxBody
        self.answerWithin = answerWithin
        self.drain = drain
        self.clientTimeout = clientTimeout
        self.clientKeys = clientKeys
    }
}

/// What becomes of a trace (W3C Trace Context) that a client is part of.
public enum TracePolicy: String, Sendable, CaseIterable {
    /// Services are not told.
    case off
    /// Services are told, each request with a span of its own.
    case pass
    /// The same; a request without a trace begins one.
    case start
}

/// How pictures are prepared where a service says nothing else.
public struct ImageSettings: Sendable, Equatable {
    /// Longer side in pixels; 0 = no bound.
    public var maxEdge: Int
    /// What may stay in the file.
    public var metadata: MetadataPolicy
    /// Quality of re-encoded pictures, 1...100.
    public var quality: Int
    /// Bounds of pictures that come in.
    public var limits: ImageLimits
    /// The one format to make; `nil` = the picture's own.
    public var format: MediaType?
    /// How a sideways JPEG becomes upright.
    public var rotation: RotationPolicy = .lossless
    /// What happens to colours that are not sRGB.
    public var colour: ColourPolicy = .keep
    /// What shows through transparency where the format has none.
    public var background: GroundColour = .white
    /// Whether reports give the hash of the picture as it came.
    public var givesHash = true
    /// Decoding processes at most; 0 = one for each processor that the gateway may use.
    public var helpers = 0
    /// Processor time for one rendition.
    public var processorTime: Duration = .seconds(10)
    /// Bytes of memory for one decoding process.
    public var memory = 1_000_000_000

    /// Less memory than this decodes nothing.
    public static let leastMemory = 128_000_000

    /// Creates settings; what is not given has its default.
    public init(
        maxEdge: Int = 2048,
        metadata: MetadataPolicy = .strip,
        quality: Int = 85,
        limits: ImageLimits = ImageLimits()
    ) {
        self.maxEdge = maxEdge
        self.metadata = metadata
        self.quality = quality
        self.limits = limits
    }

    /// What every rendition keeps, before a service's own limits.
    public var constraints: RenditionConstraints {
        RenditionConstraints(
            maxEdge: maxEdge,
            format: format,
            metadata: metadata,
            quality: quality,
            rotation: rotation,
            colour: colour,
            background: background
        )
    }
}

/// When an upload to several services counts as answered.
public enum RoutePolicy: Sendable, Equatable {
    /// When every delivery has its outcome.
    case all
    /// At the first delivery; the others go on.
    case any
    /// One after another until one delivers.
    case first
    /// When so many have delivered.
    case quorum(Int)
}

/// A named set of services.
public struct Route: Sendable, Equatable {
    /// Name, as clients give it.
    public var name: String
    /// Services in order.
    public var services: [String]
    /// Policy.
    public var policy: RoutePolicy
    /// How much services count in this route, where it says something else than the service itself.
    public var roles: [String: DeliveryRole]

    /// Creates a route.
    public init(
        name: String,
        services: [String],
        policy: RoutePolicy = .all,
        roles: [String: DeliveryRole] = [:]
    ) {
        self.roles = roles
        self.name = name
        self.services = services
        self.policy = policy
    }
}
