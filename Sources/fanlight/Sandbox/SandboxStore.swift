// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Synchronization

/// What the loopback services got, newest kept.
final class SandboxStore: Sendable {
    struct Picture: Sendable {
        var type: String
        var bytes: [UInt8]
    }

    private struct State {
        var pictures: [String: Picture] = [:]
        var order: [String] = []
        var received: [JSONValue] = []
        var requests: [JSONValue] = []
        var next = 1
    }

    private let state = Mutex(State())
    private let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    /// Keeps a picture and a record of its request; gives the picture's id.
    func keep(dialect: SandboxDialect, path: String, fields: [HTTPField], file: String?, _ picture: Picture) -> String {
        state.withLock { state in
            let id = "p" + String(state.next, radix: 36)
            state.next += 1
            state.pictures[id] = picture
            state.order.append(id)
            state.received.append(
                .object([
                    .init("dialect", .string(dialect.rawValue)),
                    .init("path", .string(path)),
                    .init("id", .string(id)),
                    .init("fields", .object(fields.map { .init($0.name, .string($0.value)) })),
                    .init("file_name", file.map(JSONValue.string) ?? .null),
                    .init("media_type", .string(picture.type)),
                    .init("bytes", .number(String(picture.bytes.count))),
                ])
            )
            if state.order.count > capacity { state.pictures[state.order.removeFirst()] = nil }
            if state.received.count > capacity * 10 { state.received.removeFirst() }
            return id
        }
    }

    /// Notes a request that was complete, whatever came of it.
    func note(_ head: RequestHead, _ fields: [HTTPField], status: Int, isAnswered: Bool) {
        let query = head.query.filter { !["fail", "delay"].contains($0.name) }
        let value = JSONValue.object([
            .init("path", .string(head.path)),
            .init("query", .object(query.map { .init($0.name, .string($0.value)) })),
            .init("fields", .object(fields.map { .init($0.name, .string($0.value)) })),
            .init("status", .int(status)),
            .init("answered", .bool(isAnswered)),
        ])
        state.withLock { state in
            state.requests.append(value)
            if state.requests.count > Self.notedRequests { state.requests.removeFirst(Self.notedRequests / 10) }
        }
    }

    private static let notedRequests = 200_000

    /// One JSON object a line, one line a complete request.
    var requests: String { state.withLock { $0.requests.map { $0.serialized() + "\n" }.joined() } }

    func picture(_ id: String) -> Picture? { state.withLock { $0.pictures[id] } }

    func remove(_ id: String) -> Bool { state.withLock { $0.pictures.removeValue(forKey: id) != nil } }

    /// One JSON object a line, one line a request that was accepted.
    var received: String { state.withLock { $0.received.map { $0.serialized() + "\n" }.joined() } }
}
