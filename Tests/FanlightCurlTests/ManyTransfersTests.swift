// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightCurl
import FanlightTestSupport
import Glibc
import Testing

/// Handles that were made among many transfers, and serve few ones later.
@Suite struct ManyTransfersTests {
    private static let text = String(decoding: noise(100_000).map { 97 + $0 % 26 }, as: UTF8.self)
    private static let body = Array(text.utf8)

    private static func answer(_ peer: RawServer.Peer) {
        peer.write("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: \(body.count)\r\n\r\n")
        peer.write(text)
    }

    /// So many requests at once; tells how many replies came whole.
    private static func whole(_ count: Int, _ transport: CurlTransport, _ url: String) async -> Int {
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<count {
                group.addTask {
                    let reply = try? await transport.send(HTTPRequest(method: "GET", url: url))
                    return reply?.body == body
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
    }

    @Test(
        "Replies stay within their buffers on handles that failed to connect while many transfers ran",
        arguments: ["http://no-such-host.invalid/", "refused", "plain"]
    )
    func fewAfterMany(place: String) async throws {
        let transport = CurlTransport()
        defer { transport.shutdown() }
        let many = 80
        let (nobody, port) = RawServer.reserve()
        let held = Counter()
        let door = Counter()
        let slow = RawServer { peer in
            _ = peer.readSome()
            held.add()
            while door.count == 0 { usleep(1_000) }
            Self.answer(peer)
        }
        let fast = RawServer { peer in
            _ = peer.readSome()
            Self.answer(peer)
        }
        defer {
            slow.stop()
            fast.stop()
            close(nobody)
        }
        let failing =
            switch place {
            case "refused": "http://127.0.0.1:\(port)/"
            case "plain": "https://127.0.0.1:\(fast.port)/"
            default: place
            }
        async let first = Self.whole(many, transport, slow.url)
        while held.count < many { try await Task.sleep(for: .milliseconds(1)) }
        #expect(await Self.whole(30, transport, failing) == 0)
        door.add()
        #expect(await first == many)
        for _ in 0..<4 { #expect(await Self.whole(60, transport, fast.url) == 60) }
    }
}
