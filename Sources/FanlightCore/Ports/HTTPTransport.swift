// SPDX-License-Identifier: Apache-2.0

/// One name and value of an HTTP head or a form, in order; names may repeat.
public struct HTTPField: Sendable, Equatable {
    /// As written; compared without case.
    public var name: String
    /// The characters of the value.
    public var value: String

    /// Creates a field.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// One outgoing request.
public struct HTTPRequest: Sendable {
    /// Body of an outgoing request.
    public enum Body: Sendable {
        case empty
        case bytes([UInt8])
        /// The rendition's bytes, nothing else.
        case file(SpooledFile)
        /// `multipart/form-data`, in this order.
        case multipart([Part])
        /// Pieces one after another, in this order; the length is known before anything is sent.
        case pieces([Piece])
    }

    /// A stretch of a body.
    public enum Piece: Sendable {
        case bytes([UInt8])
        /// The rendition's bytes.
        case file(SpooledFile)
        /// The rendition in base64 with padding (RFC 4648 section 4), made while it is sent.
        case base64(SpooledFile)

        /// Bytes that it is sent as.
        public var size: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .file(let file): file.size
            case .base64(let file): (file.size + 2) / 3 * 4
            }
        }
    }

    /// One part of a multipart body.
    public struct Part: Sendable {
        /// Content of a part.
        public enum Content: Sendable {
            case text(String)
            case file(SpooledFile, name: String)
        }
        /// Form field name.
        public var name: String
        /// Content-Type; `nil` = none for text.
        public var contentType: String?
        /// Text or the rendition.
        public var content: Content

        /// Creates a part.
        public init(name: String, contentType: String? = nil, content: Content) {
            self.name = name
            self.contentType = contentType
            self.content = content
        }
    }

    /// Whether a redirect may be followed; only 307 and 308 to the same origin ever are.
    public enum RedirectPolicy: Sendable { case refuse, sameOrigin }

    /// Method, upper case.
    public var method: String
    /// Absolute http or https URL.
    public var url: String
    /// Header fields in order.
    public var headers: [HTTPField]
    /// The body.
    public var body: Body
    /// Limits of this attempt.
    public var timeouts: Timeouts
    /// Redirects.
    public var redirects: RedirectPolicy
    /// Bytes of a reply body that are read; more is an error.
    public var maxReplyBytes: Int
    /// Told a few times a second how many bytes of the body have left; `nil` = nobody wants to know.
    public var progress: (@Sendable (Int) -> Void)?
    /// Asked before the end of the request may leave; `nil` = it may leave at any time.
    ///
    /// The transport holds the last byte of the body back until this returns, and ends the exchange with the cause
    /// `stopped` when it is false. A request without a body is not begun before. Asked at most once for each request
    /// that goes out, so again where a redirect is followed. An exchange may end while this is under way.
    public var beforeLastByte: (@Sendable () async -> Bool)?

    /// Creates a request.
    public init(
        method: String,
        url: String,
        headers: [HTTPField] = [],
        body: Body = .empty,
        timeouts: Timeouts = Timeouts(),
        redirects: RedirectPolicy = .refuse,
        maxReplyBytes: Int = 1_048_576
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeouts = timeouts
        self.redirects = redirects
        self.maxReplyBytes = maxReplyBytes
        progress = nil
        beforeLastByte = nil
    }
}

/// Time limits of one attempt.
public struct Timeouts: Sendable, Equatable {
    /// Until the connection (with TLS) stands.
    public var connect: Duration
    /// Without a byte in either direction.
    public var stall: Duration
    /// The whole attempt.
    public var total: Duration

    /// Creates limits.
    public init(connect: Duration = .seconds(10), stall: Duration = .seconds(30), total: Duration = .seconds(120)) {
        self.connect = connect
        self.stall = stall
        self.total = total
    }
}

/// A complete reply, any status.
public struct HTTPReply: Sendable {
    /// Status code.
    public var status: Int
    /// Header fields in order.
    public var headers: [HTTPField]
    /// The bounded body.
    public var body: [UInt8]
    /// URL that answered.
    public var finalURL: String
    /// True when the whole request body had left before the reply came.
    public var requestFullySent: Bool

    /// Creates a reply.
    public init(status: Int, headers: [HTTPField], body: [UInt8], finalURL: String, requestFullySent: Bool = true) {
        self.status = status
        self.headers = headers
        self.body = body
        self.finalURL = finalURL
        self.requestFullySent = requestFullySent
    }

    /// The first header of that name, compared without case.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// Why no complete reply came.
public struct TransportError: Error, Sendable, Equatable {
    /// Bounded names of the causes.
    public enum Cause: String, Sendable {
        case badURL, dns, refused, tls, connectTimeout, stallTimeout, totalTimeout, connectionLost, replyTooLarge,
            malformedReply, stopped

        /// The kind of failure that it is for a report.
        public var kind: ErrorKind {
            switch self {
            case .connectTimeout, .stallTimeout, .totalTimeout: .timeout
            case .badURL: .rejected
            case .replyTooLarge, .malformedReply: .badReply
            case .stopped: .interrupted
            case .dns, .refused, .tls, .connectionLost: .network
            }
        }
    }
    /// The cause.
    public var cause: Cause
    /// One sentence without secrets.
    public var message: String
    /// True when the whole request had left: the outcome is then not known.
    public var requestFullySent: Bool

    /// Creates an error.
    public init(_ cause: Cause, message: String, requestFullySent: Bool) {
        self.cause = cause
        self.message = message
        self.requestFullySent = requestFullySent
    }
}

/// Outgoing HTTP.
public protocol HTTPTransport: Sendable {
    /// Sends one request and waits for the whole reply.
    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPReply
}
