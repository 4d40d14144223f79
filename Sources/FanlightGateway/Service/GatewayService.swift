// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
public import FanlightCore

/// The gateway's HTTP interface.
public struct GatewayService: HTTPService {
    private let gateway: Gateway
    private let observatory: Observatory

    /// Serves a gateway.
    public init(gateway: Gateway, observatory: Observatory) {
        self.gateway = gateway
        self.observatory = observatory
    }

    /// Decides on a request by path and method.
    public func decide(_ head: RequestHead) -> HeadDecision {
        do throws(Problem) {
            return try route(head)
        } catch {
            return .answer(error.answer)
        }
    }

    private func route(_ head: RequestHead) throws(Problem) -> HeadDecision {
        let parts = InterfacePath.parts(of: head.path).map(String.init)
        if parts.first == "v1" { return try interface(parts.dropFirst(), head) }
        switch (parts.first, parts.count) {
        case ("album", 2):
            try require("GET", head)
            return .answer(try album(parts[1]))
        case ("healthz", 1):
            try require("GET", head)
            return .answer(Answer.json(200, .object([.init("status", "ok")])))
        case ("readyz", 1):
            try require("GET", head)
            return try later(head) { [gateway, observatory] () throws(Problem) in
                await observatory.readiness(of: gateway).answer
            }
        case ("metrics", 1):
            try require("GET", head)
            return try later(head) { [gateway, observatory] () throws(Problem) in
                let text = await observatory.text(of: gateway)
                let type = HTTPField("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
                return HTTPAnswer(status: 200, headers: [type], body: .bytes(Array(text.utf8)))
            }
        case ("openapi.json", 1):
            try require("GET", head)
            let document = InterfaceDescription.document(
                version: observatory.version,
                hasKeys: !gateway.settings.clientKeys.isEmpty
            )
            return .answer(Answer.json(200, document))
        case ("", 1):
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
            throw Self.nothingHere
        }
    }

    /// What stands below `/v1`.
    private func interface(_ parts: ArraySlice<String>, _ head: RequestHead) throws(Problem) -> HeadDecision {
        let client = try authorize(head)
        let words = Array(parts)
        switch (words.first, words.count) {
        case ("services", 1):
            try require("GET", head)
            return .answer(Answer.json(200, .object([.init("services", .array(services(for: client)))])))
        case ("uploads", 1): return try uploads(head, client)
        case ("uploads", 2): return try upload(words[1], head, client)
        case ("uploads", 3) where words[2] == "events":
            try require("GET", head)
            return try later(head) { [gateway] () throws(Problem) in try await gateway.watch(words[1], head, client) }
        case ("uploads", 3) where words[2] == "retry":
            try require("POST", head)
            try requireOpen()
            try WorkSink.admit(head)
            try Admission.work(client, gateway)
            return try later(head) { [gateway] () throws(Problem) in try await gateway.retry(words[1], head, client) }
        default: throw Self.nothingHere
        }
    }

    private static let nothingHere = Problem(
        .notFound,
        "There is nothing at this path. Pictures go to POST /v1/uploads."
    )

    /// Answers when the work is done; no such request has a body of its own.
    private func later(
        _ head: RequestHead,
        _ work: @escaping @Sendable () async throws(Problem) -> HTTPAnswer
    ) throws(Problem) -> HeadDecision {
        try WorkSink.admit(head)
        return .receive(WorkSink(work))
    }

    private func uploads(_ head: RequestHead, _ client: Client) throws(Problem) -> HeadDecision {
        if ["GET", "HEAD"].contains(head.method) {
            return try later(head) { [gateway] () throws(Problem) in try await gateway.history(head, client) }
        }
        try require("POST", head, also: "GET, HEAD, POST")
        try requireOpen()
        if let length = head.contentLength, length > gateway.settings.maxBody {
            throw .bodyTooLarge(gateway.settings.maxBody)
        }
        var client = client
        client.admission = try Admission.upload(
            client,
            bytes: head.contentLength ?? 0,
            isRepeatable: head.header("Idempotency-Key") != nil,
            gateway
        )
        return .receive(try UploadSink(head: head, gateway: gateway, client: client))
    }

    private func upload(_ id: String, _ head: RequestHead, _ client: Client) throws(Problem) -> HeadDecision {
        if head.method == "DELETE" {
            try requireOpen()
            try WorkSink.admit(head)
            try Admission.work(client, gateway)
            return try later(head) { [gateway] () throws(Problem) in try await gateway.delete(id, head, client) }
        }
        try require("GET", head, also: "GET, HEAD, DELETE")
        return try later(head) { [gateway] () throws(Problem) in try await gateway.lookUp(id, head, client) }
    }

    /// A gateway that stops begins nothing; connections from before would still bring work.
    private func requireOpen() throws(Problem) {
        if gateway.registry.isClosed { throw .stopping }
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
    private func authorize(_ head: RequestHead) throws(Problem) -> Client {
        let settings = gateway.settings
        let address = ClientAddress.of(head, proxies: settings.trustedProxies, field: settings.clientAddress)
        guard !settings.clientKeys.isEmpty else { return Client(peer: address) }
        // An address that tries keys has to wait, too, when it comes with a right one at last.
        try gateway.callers.check(address, settings.addressRate)
        let words = (head.header("Authorization") ?? "").split(separator: " ", maxSplits: 1)
        if words.count == 2, words[0].lowercased() == "bearer" {
            let given = String(words[1])
            if let key = ClientKey.find(given, among: settings.clientKeys) {
                return Client(name: key.owner(presenting: given), peer: address, key: key)
            }
            try gateway.callers.count(address, settings.addressRate)
        }
        throw Problem(.unauthorized, "This gateway wants a client key: Authorization: Bearer KEY.")
    }

    /// Web pages that may use the gateway.
    var crossOrigin: CrossOrigin { CrossOrigin(origins: gateway.settings.cors) }

    private func require(_ method: String, _ head: RequestHead, also allowed: String? = nil) throws(Problem) {
        guard head.method == method || (method == "GET" && head.method == "HEAD") else {
            var problem = Problem(.methodNotAllowed, "This path takes \(allowed ?? method).")
            problem.allow = allowed ?? (method == "GET" ? "GET, HEAD" : method)
            throw problem
        }
    }

    /// Services that the client may use.
    private func services(for client: Client) -> [JSONValue] {
        let allowed = client.key?.services.map(gateway.router.members)
        let visible = gateway.router.services.filter { allowed?.contains($0.name) ?? true }
        return visible.map { ServiceReport.json($0, gateway.engine) }
    }
}
