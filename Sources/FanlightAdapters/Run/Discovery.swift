// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

/// A request for a service's limits, whose answer is kept.
struct DiscoveryProgram: Sendable {
    var request: RequestProgram
    var cache: Duration
    var bytes: Sources?
    var edge: Sources?
    var pixels: Sources?
    var frames: Sources?
    var types: Sources?
}

extension CompiledService {
    /// How long discovered limits are used; `nil` when the service tells none.
    public var discoveryLifetime: Duration? { discovery?.cache }

    /// The request that asks for limits; `nil` when the service tells none or the request cannot be built.
    ///
    /// - Parameter now: Seconds since 1970, UTC.
    public func discoveryRequest(now: Int, session: SessionValues? = nil) -> HTTPRequest? {
        guard let discovery else { return nil }
        var scope = scope(.none(now: now))
        scope.session = session?.values ?? [:]
        return try? discovery.request.request(in: scope, timeouts: timeouts, cookies: session?.cookies ?? [])
    }

    /// The service's constraints with what it told of itself; the tighter bound counts.
    ///
    /// Anything but a good answer changes nothing.
    public func constraints(discovered reply: HTTPReply) -> ConstraintOverrides {
        guard let discovery, (200..<300).contains(reply.status) else { return constraints }
        let document = ReplyDocument(reply)
        let scope = scope(.none(now: 0))
        func number(_ sources: Sources?, _ own: Int?) -> Int? {
            let told = sources?.text(in: scope, document).flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
            return [told, own].compactMap { $0 }.min()
        }
        var found = constraints
        found.maxBytes = number(discovery.bytes, found.maxBytes)
        found.maxEdge = number(discovery.edge, found.maxEdge)
        found.maxPixels = number(discovery.pixels, found.maxPixels)
        found.maxFrames = number(discovery.frames, found.maxFrames)
        if let told = discovery.types?.value(in: scope, document) {
            let names = told.array?.compactMap(\.shown) ?? [told.shown].compactMap { $0 }
            let types = names.compactMap { name in MediaType.allCases.first { $0.mime == name.lowercased() } }
            let both = found.formats?.filter { types.contains($0) } ?? types
            if !both.isEmpty { found.formats = both }
        }
        return found
    }
}

extension DeliveryContext {
    /// Stands for a delivery where there is none.
    static func none(now: Int) -> DeliveryContext {
        let rendition = Rendition(
            file: SpooledFile(path: "", descriptor: -1, size: 0),
            mediaType: .jpeg,
            width: 0,
            height: 0,
            lane: .untouched
        )
        return DeliveryContext(rendition: rendition, uploadID: "", idempotencyKey: "", uuid: "", now: now)
    }
}
