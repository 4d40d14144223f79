// SPDX-License-Identifier: Apache-2.0

/// Head of a request that came in.
public struct RequestHead: Sendable {
    /// Method as sent.
    public var method: String
    /// Decoded path without query, starting with `/`.
    public var path: String
    /// Decoded query parameters in order.
    public var query: [HTTPField]
    /// Header fields in order.
    public var headers: [HTTPField]
    /// Declared body length; `nil` when chunked or absent.
    public var contentLength: Int?
    /// Address of the peer, for logs.
    public var peer: String

    /// Creates a head.
    public init(
        method: String,
        path: String,
        query: [HTTPField] = [],
        headers: [HTTPField] = [],
        contentLength: Int? = nil,
        peer: String = ""
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.contentLength = contentLength
        self.peer = peer
    }

    /// The first header of that name, compared without case.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// An answer of the gateway.
public struct HTTPAnswer: Sendable {
    /// Body of an answer.
    public enum Body: Sendable {
        case bytes([UInt8])
        /// Path of a file that the server streams.
        case file(path: String)
        /// Bytes that come bit by bit; sent in chunks until the stream is finished.
        case stream(AnswerStream)
        /// No answer at all: the connection is closed, as by a host that fails.
        case hangUp
    }
    /// Status code.
    public var status: Int
    /// Header fields; the server adds Date, Content-Length and Connection.
    public var headers: [HTTPField]
    /// The body.
    public var body: Body

    /// Creates an answer.
    public init(status: Int, headers: [HTTPField] = [], body: Body = .bytes([])) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// What to do with a request once its head is read.
public enum HeadDecision: Sendable {
    /// Answer at once; the body is not read.
    case answer(HTTPAnswer)
    /// Read the body into this sink, then ask it for the answer.
    case receive(any BodySink)
}

/// Takes a request body as it arrives.
///
/// Calls come one after another, from a server thread; `receive` must not block long.
public protocol BodySink: AnyObject, Sendable {
    /// Takes the next bytes; a returned answer refuses the request at once.
    func receive(_ bytes: UnsafeRawBufferPointer) -> HTTPAnswer?
    /// The body is complete; computes the answer (the connection is suspended meanwhile).
    func finish() async -> HTTPAnswer
    /// The client left or timed out before the body was complete.
    func abandon()
}

/// The application behind an HTTP server.
public protocol HTTPService: Sendable {
    /// Decides on a head; called on a server thread, must not block.
    func decide(_ head: RequestHead) -> HeadDecision
}
