// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightCurl
import Foundation
import Synchronization

/// A sandbox that stays, a gateway that is killed and started again, and clients that upload meanwhile.
final class CrashRig: Sendable {
    /// What a client was told about an upload.
    struct Acknowledgement: Sendable {
        var id: String
        /// Title, which no two posts share.
        var title: String
        /// The report that came with it.
        var report: JSONValue
    }

    private struct State {
        var gateway: LiveProcess?
        var acknowledged: [Acknowledgement] = []
        var isOver = false
        var refused: [String: Int] = [:]
    }

    /// Services of the test.
    static let services = ["quick", "slow", "failing", "dropping", "repeatable", "rated", "counted", "forgetful"]
    /// Those that may get a request twice.
    static let repeatable: Set = ["repeatable", "counted", "forgetful"]
    /// The one of them that takes every picture and answers none.
    static let silent = "forgetful"
    /// Those with a rate, of so many requests in far more time than the test takes.
    static let rated: Set = ["rated", "counted"]
    static let rate = 40

    let folder = NSTemporaryDirectory() + "fanlight-crash-" + UUID().uuidString
    let sandbox: LiveProcess
    private let transport = CurlTransport()
    private let state = Mutex(State())

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        sandbox = try LiveProcess(["sandbox", "--listen", "127.0.0.1:0"], ready: "sandbox ready ")
        func service(_ name: String, _ query: String, _ more: String = "") -> String {
            let rate = Self.rated.contains(name) ? ", rate: \(Self.rate)/day" : ""
            return """
                  \(name):
                    url: \(sandbox.url)/upload.json?as=\(name)\(query)
                    file: file
                    link: $.url
                    fields: {upload: "${upload_id}", title: "${title}"}
                    retry: {attempts: 3}
                    limits: {concurrency: 16\(rate)}\(more)

                """
        }
        let yaml =
            """
            server: {listen: "127.0.0.1:0", state: "\(folder)/state", answer_within: 5s, drain: 1s}
            journal: {durability: full}
            services:

            """ + service("quick", "") + service("slow", "&delay=400") + service("failing", "&fail=50%")
            + service("dropping", "&fail=drop") + service("repeatable", "&delay=20", "\n    idempotent: true")
            + service("rated", "&delay=20") + service("counted", "&delay=20", "\n    idempotent: true")
            + service(
                Self.silent,
                "&fail=drop",
                "\n    idempotent: true\n    breaker: {failures: 60, pause: 1s, longest: 2s}"
            )
        try yaml.write(toFile: folder + "/config.yaml", atomically: true, encoding: .utf8)
        try start()
    }

    deinit {
        state.withLock { $0.gateway }?.stop()
        sandbox.stop()
        transport.shutdown()
        try? FileManager.default.removeItem(atPath: folder)
    }

    var acknowledged: [Acknowledgement] { state.withLock { $0.acknowledged } }

    /// Answers that were no acknowledgement, by their status or failure.
    var refusals: [String: Int] { state.withLock { $0.refused } }

    private var url: String { state.withLock { $0.gateway?.url ?? "" } }

    private func start() throws {
        let gateway = try LiveProcess(["serve", "--config", folder + "/config.yaml"], ready: "fanlight ready ")
        state.withLock { $0.gateway = gateway }
    }

    /// Kills the gateway as a lack of memory would, and starts it again.
    func killAndRestart() throws {
        let gateway = state.withLock { $0.gateway }
        guard let gateway else { return }
        kill(gateway.pid, SIGKILL)
        gateway.stop()
        try start()
    }

    /// Posts until the test is over; a client that got no answer asks again under its key, if it has one.
    func client(_ number: Int, seed: UInt64) async {
        var random = SeededGenerator(seed: seed &+ UInt64(number))
        var post = 0
        while !state.withLock({ $0.isOver }) {
            post += 1
            let title = "c\(number)p\(post)"
            let isAsync = Bool.random(using: &random)
            let isKeyed = Bool.random(using: &random)
            for _ in 0..<(isKeyed ? 20 : 1) {
                if await isAnswered(title, isAsync: isAsync, key: isKeyed ? title : nil) { break }
                try? await Task.sleep(for: .milliseconds(Int.random(in: 20...120, using: &random)))
            }
        }
    }

    func end() { state.withLock { $0.isOver = true } }

    /// One POST; false when it has to be asked again.
    private func isAnswered(_ title: String, isAsync: Bool, key: String?) async -> Bool {
        var request = HTTPRequest(
            method: "POST",
            url: url + "/v1/uploads?title=" + title,
            headers: [HTTPField("Content-Type", "image/gif")],
            body: .bytes(Self.picture),
            timeouts: Timeouts(connect: .seconds(5), stall: .seconds(20), total: .seconds(20))
        )
        if isAsync { request.headers.append(HTTPField("Prefer", "respond-async")) }
        if let key { request.headers.append(HTTPField("Idempotency-Key", key)) }
        let reply: HTTPReply
        do {
            reply = try await transport.send(request)
        } catch {
            state.withLock { $0.refused["\(error.cause)", default: 0] += 1 }
            return false
        }
        guard let report = try? JSONParser.parse(reply.body), let id = report["id"]?.string else {
            state.withLock { $0.refused["\(reply.status)", default: 0] += 1 }
            return false
        }
        state.withLock { $0.acknowledged.append(Acknowledgement(id: id, title: title, report: report)) }
        return true
    }

    /// The report as the gateway has it now.
    func report(_ id: String) async throws -> JSONValue {
        let reply = try await transport.send(HTTPRequest(method: "GET", url: url + "/v1/uploads/" + id))
        return try JSONParser.parse(reply.body)
    }

    /// Every request that was complete at the sandbox.
    func requests() async throws -> [JSONValue] {
        let request = HTTPRequest(method: "GET", url: sandbox.url + "/requests", maxReplyBytes: 200_000_000)
        return try await transport.send(request).body.split(separator: 10).map { try JSONParser.parse(Array($0)) }
    }

    /// A GIF of one pixel, which every service takes as it is.
    private static let picture: [UInt8] =
        Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
        + [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3B]
}

/// The same numbers for the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
