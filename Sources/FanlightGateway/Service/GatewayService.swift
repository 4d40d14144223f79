// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
public import FanlightCore

/// The gateway's HTTP interface.
public struct GatewayService: HTTPService {
    private let gateway: Gateway

    /// Serves a gateway.
    public init(gateway: Gateway) { self.gateway = gateway }

    /// Decides on a request by path and method.
    public func decide(_ head: RequestHead) -> HeadDecision {
        do throws(Problem) {
            return try route(head)
        } catch {
            return .answer(error.answer)
        }
    }

    private func route(_ head: RequestHead) throws(Problem) -> HeadDecision {
        let parts = head.path.split(separator: "/").map(String.init)
        if parts.first == "v1" { try authorize(head) }
        switch (parts.first, parts.count) {
        case ("v1", 2) where parts[1] == "uploads": return try upload(head)
        case ("v1", 3) where parts[1] == "uploads":
            try require("GET", head)
            guard let report = gateway.store.report(parts[2]) else {
                throw Problem(.notFound, "There is no upload of that id, or it is too old.")
            }
            return .answer(Answer.of([report], format: try Preference(head).format))
        case ("v1", 2) where parts[1] == "services":
            try require("GET", head)
            return .answer(
                Answer.json(200, .object([.init("services", .array(gateway.router.services.map(Self.describe)))]))
            )
        case ("album", 2):
            try require("GET", head)
            return .answer(try album(parts[1]))
        case ("healthz", 1), ("readyz", 1):
            try require("GET", head)
            return .answer(Answer.json(200, .object([.init("status", .string("ok"))])))
        case (nil, 0):
            try require("GET", head)
            let hint = "Fanlight. POST a picture to /v1/uploads; GET /v1/services lists the services.\n"
            return .answer(
                HTTPAnswer(
                    status: 200,
                    headers: [HTTPField("Content-Type", "text/plain; charset=utf-8")],
                    body: .bytes(Array(hint.utf8))
                )
            )
        default:
            throw Problem(.notFound, "There is nothing at this path. Pictures go to POST /v1/uploads.")
        }
    }

    /// Several services may keep albums; a name is looked for in each, in configured order.
    private func album(_ name: String) throws(Problem) -> HTTPAnswer {
        for service in gateway.router.services where service.isLocal {
            guard let folder = service.localFolder, let answer = Album.answer(folder: folder, name: name) else {
                continue
            }
            return answer
        }
        throw Problem(.notFound, "There is no such picture in the album.")
    }

    /// Where client keys are configured, the interface is for those who have one.
    private func authorize(_ head: RequestHead) throws(Problem) {
        let keys = gateway.settings.clientKeys
        guard !keys.isEmpty else { return }
        let words = (head.header("Authorization") ?? "").split(separator: " ", maxSplits: 1)
        if words.count == 2, words[0].lowercased() == "bearer" {
            let given = Array(words[1].utf8)
            // Every key is compared, so that the time tells nothing about them.
            let hits = keys.filter { Self.isEqual(Array($0.value.utf8), given) }
            if !hits.isEmpty { return }
        }
        throw Problem(.unauthorized, "This gateway wants a client key: Authorization: Bearer KEY.")
    }

    private static func isEqual(_ key: [UInt8], _ given: [UInt8]) -> Bool {
        var difference = key.count ^ given.count
        for (index, byte) in given.enumerated() {
            difference |= Int(byte ^ (key.isEmpty ? 0 : key[index % key.count]))
        }
        return difference == 0
    }

    private func upload(_ head: RequestHead) throws(Problem) -> HeadDecision {
        try require("POST", head)
        if let length = head.contentLength, length > gateway.settings.maxBody {
            throw .bodyTooLarge(gateway.settings.maxBody)
        }
        return .receive(try UploadSink(head: head, gateway: gateway))
    }

    private func require(_ method: String, _ head: RequestHead) throws(Problem) {
        guard head.method == method || (method == "GET" && head.method == "HEAD") else {
            var problem = Problem(.methodNotAllowed, "This path takes \(method).")
            problem.allow = method == "GET" ? "GET, HEAD" : method
            throw problem
        }
    }

    private static func describe(_ service: CompiledService) -> JSONValue {
        .object([
            .init("name", .string(service.name)),
            .init("adapter", .string(service.adapterName)),
            .init("enabled", .bool(service.enabled)),
            .init("reason", service.disabledReason.map(JSONValue.string) ?? .null),
            .init("options", .array(service.options.map { .string($0.name) })),
        ])
    }
}
