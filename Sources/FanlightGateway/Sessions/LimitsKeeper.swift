// SPDX-License-Identifier: Apache-2.0

public import FanlightAdapters
public import FanlightCore
import Synchronization

/// Asks services for their own limits and keeps the answers for as long as the adapter says.
public final class LimitsKeeper: Sendable {
    /// How long a question that failed is not asked again, in seconds.
    static let pause = 300

    private struct Answer {
        var constraints: ConstraintOverrides?
        var until: Int
    }

    private let answers = Mutex<[String: Answer]>([:])
    private let transport: any HTTPTransport
    private let sessions: SessionKeeper
    private let identity: Identity

    /// Creates a keeper.
    public init(transport: any HTTPTransport, sessions: SessionKeeper, identity: Identity = .system) {
        self.transport = transport
        self.sessions = sessions
        self.identity = identity
    }

    /// The services with what they told of themselves; one that does not answer keeps the adapter's limits.
    public func informed(_ services: [CompiledService]) async -> [CompiledService] {
        guard services.contains(where: { $0.discoveryLifetime != nil }) else { return services }
        return await withTaskGroup(of: (Int, CompiledService).self) { group in
            for (index, service) in services.enumerated() {
                group.addTask { (index, await self.informed(service)) }
            }
            var informed = services
            for await (index, service) in group { informed[index] = service }
            return informed
        }
    }

    /// Forgets what services told that are others now.
    func forget(_ names: some Sequence<String>) {
        answers.withLock { answers in for name in names { answers[name] = nil } }
    }

    private func informed(_ service: CompiledService) async -> CompiledService {
        guard let lifetime = service.discoveryLifetime else { return service }
        var service = service
        let now = Int(identity.now() / 1_000)
        if let known = answers.withLock({ $0[service.name] }), known.until > now {
            if let constraints = known.constraints { service.constraints = constraints }
            return service
        }
        let found = await ask(service, now)
        let wait = found == nil ? Self.pause : Int(lifetime.components.seconds)
        answers.withLock { $0[service.name] = Answer(constraints: found, until: now + wait) }
        if let found { service.constraints = found }
        return service
    }

    private func ask(_ service: CompiledService, _ now: Int) async -> ConstraintOverrides? {
        var session: SessionValues?
        if service.needsSession {
            let result = await sessions.session(for: service, SessionNeed(service: service.name))
            guard case .success(let values) = result else { return nil }
            session = values
        }
        guard var request = service.discoveryRequest(now: now, session: session) else { return nil }
        // An upload waits for the answer.
        request.timeouts = Timeouts(connect: .seconds(3), stall: .seconds(5), total: .seconds(5))
        guard let reply = try? await transport.send(request), (200..<300).contains(reply.status) else { return nil }
        return service.constraints(discovered: reply)
    }
}
