// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightTestSupport

/// A host that goes wrong on a real socket, with what must become of the delivery.
struct SocketFault: Sendable, CustomStringConvertible {
    /// Where the request goes.
    enum Place: Sendable {
        /// A server that runs the script.
        case server(@Sendable (RawServer.Peer) -> Void)
        /// The same, spoken to as if it had TLS.
        case secureServer(@Sendable (RawServer.Peer) -> Void)
        /// A port that nobody listens on.
        case nobody
        /// A name that does not exist.
        case nowhere
    }

    let place: Place
    /// What must be made of it; its answer is not used.
    let fault: Fault
    /// Shorter times for what would last too long.
    var timeouts = Timeouts(connect: .seconds(30), stall: .seconds(30), total: .seconds(60))
    /// True where the picture must not fit into what the kernel takes.
    var isLarge = false

    var description: String { fault.description }

    private init(
        _ place: Place,
        _ name: String,
        _ kind: ErrorKind,
        _ once: RetryClass,
        _ repeatable: RetryClass,
        status: Int? = nil
    ) {
        self.place = place
        let answer: Fault.Answer = status.map { .reply($0) } ?? .error(.stopped, sent: false)
        fault = Fault(name, answer, kind, once, repeatable)
    }

    private func with(large: Bool = false, _ change: (inout Timeouts) -> Void) -> SocketFault {
        var copy = self
        copy.isLarge = large
        change(&copy.timeouts)
        return copy
    }

    private static func server(_ script: @escaping @Sendable (RawServer.Peer) -> Void) -> Place { .server(script) }

    /// Closes amid the header lines of the answer to a whole request.
    private static func cutHead(_ status: String) -> Place {
        .server { peer in
            takeRequest(peer)
            peer.write("HTTP/1.1 \(status)\r\nContent-Type: text/plain\r\nRetry-Af")
        }
    }

    /// Answers a whole request.
    private static func answering(_ status: String, _ headers: String = "", _ body: String = "") -> Place {
        .server { peer in
            takeRequest(peer)
            peer.write(
                "HTTP/1.1 \(status)\r\n\(headers)Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n"
            )
            peer.write(body)
        }
    }

    private static let page = "<html><head><title>Bad Gateway</title></head><body><hr>nginx</body></html>"

    /// No connection.
    private static let unreached: [SocketFault] = [
        SocketFault(.nobody, "refused", .network, .retry, .retry),
        SocketFault(.nowhere, "no such name", .network, .retry, .retry),
        SocketFault(.secureServer { $0.write("220 this is no TLS\r\n") }, "TLS", .network, .retry, .retry),
        SocketFault(.secureServer { $0.waitForClose() }, "timeout while connecting", .timeout, .retry, .retry)
            .with { $0.connect = Duration.milliseconds(300).patient },
    ]

    /// A connection that is silent or lost.
    private static let lost: [SocketFault] = [
        SocketFault(server { wait($0) }, "stall while sending", .timeout, .retry, .retry)
            .with(large: true) { $0.stall = Duration.milliseconds(500).patient },
        SocketFault(server { wait($0) }, "total time over while sending", .timeout, .retry, .retry)
            .with(large: true) { $0.total = Duration.milliseconds(900).patient },
        SocketFault(
            server { peer in
                takeRequest(peer)
                peer.waitForClose()
            },
            "stall before the reply",
            .timeout,
            .unknownOutcome,
            .retry
        )
        .with { $0.stall = Duration.milliseconds(500).patient },
        SocketFault(server { drip($0) }, "total time over before the reply", .timeout, .unknownOutcome, .retry)
            .with { $0.total = Duration.seconds(3).patient },
        SocketFault(server { takeRequest($0) }, "closed without a reply", .network, .unknownOutcome, .retry),
        SocketFault(
            server { peer in
                takeRequest(peer)
                peer.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"link\": ")
            },
            "truncated reply",
            .network,
            .unknownOutcome,
            .retry
        ),
        SocketFault(cutHead("200 OK"), "cut head", .network, .unknownOutcome, .retry),
        SocketFault(cutHead("401 Unauthorized"), "cut head of 401", .network, .unknownOutcome, .retry),
        SocketFault(cutHead("429 Slow Down"), "cut head of 429", .network, .unknownOutcome, .retry),
        SocketFault(
            server { peer in
                takeRequest(peer)
                peer.write(
                    "HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n" + String(repeating: "a", count: 3_000_000)
                )
            },
            "reply without end",
            .badReply,
            .unknownOutcome,
            .never
        ),
    ]

    /// A complete reply.
    private static let answered: [SocketFault] = [
        SocketFault(answering("401 Unauthorized"), "401", .auth, .never, .never, status: 401),
        SocketFault(answering("403 Forbidden"), "403", .auth, .never, .never, status: 403),
        SocketFault(answering("413 Too Large"), "413", .tooLarge, .never, .never, status: 413),
        SocketFault(answering("415 Unsupported"), "415", .badFormat, .never, .never, status: 415),
        SocketFault(
            answering("429 Slow Down", "Retry-After: 120\r\n"),
            "429 with Retry-After",
            .rateLimited,
            .retryAfter(.seconds(120)),
            .retryAfter(.seconds(120)),
            status: 429
        ),
        SocketFault(answering("500 Oops", "", page), "500", .unavailable, .never, .retry, status: 500),
        SocketFault(
            answering("502 Bad Gateway", "", page),
            "502 with a page",
            .unavailable,
            .unknownOutcome,
            .retry,
            status: 502
        ),
        SocketFault(
            answering("302 Found", "Location: /again\r\n"),
            "redirect loop",
            .redirect,
            .never,
            .never,
            status: 302
        ),
        SocketFault(
            answering("307 Moved", "Location: http://127.0.0.2:9/elsewhere\r\n"),
            "another host",
            .redirect,
            .never,
            .never,
            status: 307
        ),
    ]

    static let all = unreached + lost + answered

    // MARK: Scripts

    /// Reads a request with its body.
    private static func takeRequest(_ peer: RawServer.Peer) {
        var bytes: [UInt8] = []
        let mark: [UInt8] = [13, 10, 13, 10]
        var head: Int?
        while head == nil {
            let part = peer.readBytes()
            guard !part.isEmpty else { return }
            let from = max(0, bytes.count - 3)
            bytes += part
            head = bytes[from...].indices.first { bytes[$0...].starts(with: mark) }.map { $0 + 4 }
        }
        let text = String(decoding: bytes.prefix(head ?? 0), as: UTF8.self).lowercased()
        let line = text.split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
        let length = line.flatMap { Int($0.dropFirst(15).filter(\.isNumber)) } ?? 0
        var left = length - (bytes.count - (head ?? 0))
        while left > 0 {
            let part = peer.readBytes()
            guard !part.isEmpty else { return }
            left -= part.count
        }
    }

    /// Reads nothing of what is sent until the other side gives up, a minute at most.
    private static func wait(_ peer: RawServer.Peer) { peer.waitForHangUp() }

    /// A reply that comes, but never to its end.
    private static func drip(_ peer: RawServer.Peer) {
        takeRequest(peer)
        peer.write("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n")
        peer.writeSlowly(" ", times: 200 * Patience.factor, milliseconds: 50)
    }
}
