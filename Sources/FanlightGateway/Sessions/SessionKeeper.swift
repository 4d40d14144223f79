// SPDX-License-Identifier: Apache-2.0

public import FanlightAdapters
import FanlightConfiguration
public import FanlightCore
import Synchronization

/// Opens sessions and renews tokens, one at a time for each service, and keeps them over restarts.
///
/// A new session is on the disk before anybody uses it: a service that has replaced a refresh token takes the old one
/// no more.
public final class SessionKeeper: Sendable {
    /// How long a refusal is believed: a wrong password asked again and again locks accounts.
    static let refusalLifetime = 60

    private struct State {
        var sessions: [String: KeptSession] = [:]
        /// Services whose file has been read.
        var loaded: Set<String> = []
        var opening: [String: Task<Result<SessionValues, DeliveryFailure>, Never>] = [:]
        /// Seconds since 1970 of the last logins.
        var logins: [String: [Int]] = [:]
        var refusals: [String: (fingerprint: String, failure: DeliveryFailure, until: Int)] = [:]
    }

    private let state = Mutex(State())
    private let store: SessionStore?
    private let transport: any HTTPTransport
    private let pool: BlockingPool
    private let identity: Identity

    /// Creates a keeper.
    ///
    /// - Parameter folder: Where sessions are kept, mode 0700; `nil` = in memory only.
    public init(folder: String?, transport: any HTTPTransport, pool: BlockingPool, identity: Identity = .system) {
        store = folder.map { SessionStore(folder: $0) }
        self.transport = transport
        self.pool = pool
        self.identity = identity
    }

    private var now: Int { Int(identity.now() / 1_000) }

    /// A session that is good for a need; those who need one at the same time share one login.
    public func session(
        for service: CompiledService,
        _ need: SessionNeed
    ) async -> Result<SessionValues, DeliveryFailure> {
        let now = now
        let task = state.withLock { state -> Task<Result<SessionValues, DeliveryFailure>, Never>? in
            if let kept = state.sessions[service.name], Self.isGood(kept, for: service, need, now) { return nil }
            if let task = state.opening[service.name] { return task }
            // The login belongs to all who wait for it, so that it goes on when one of them leaves.
            let task = Task { await self.open(service, need) }
            state.opening[service.name] = task
            return task
        }
        if let task { return await task.value }
        guard let kept = state.withLock({ $0.sessions[service.name] }) else {
            return .failure(
                DeliveryFailure(kind: .auth, message: "The session of \(service.name) is gone.", retry: .retry)
            )
        }
        return .success(kept.values)
    }

    private static func isGood(_ kept: KeptSession, for service: CompiledService, _ need: SessionNeed, _ now: Int)
        -> Bool
    {
        kept.fingerprint == service.sessionFingerprint && (kept.values.expiresAt.map { $0 > now } ?? true)
            && (need.stale.map { kept.values.generation > $0 } ?? true)
    }

    // MARK: Opening

    private func open(_ service: CompiledService, _ need: SessionNeed) async -> Result<SessionValues, DeliveryFailure> {
        let result = await opened(service, need)
        state.withLock { $0.opening[service.name] = nil }
        return result
    }

    private func opened(_ service: CompiledService, _ need: SessionNeed) async -> Result<SessionValues, DeliveryFailure>
    {
        let kept = await kept(service)
        if let kept, Self.isGood(kept, for: service, need, now) { return .success(kept.values) }
        if let failure = forbidden(service) { return .failure(failure) }
        var result = await login(service, after: kept?.values)
        if case .failure(let failure) = result, failure.kind == .auth, hasLastingValues(kept, service) {
            // The kept refresh token is refused: the operator's own may be newer.
            let fresh = SessionValues(generation: kept?.values.generation ?? 0)
            result = await login(service, after: fresh)
        }
        switch result {
        case .success(let values):
            await keep(KeptSession(fingerprint: service.sessionFingerprint, values: values), of: service)
        case .failure(let failure) where failure.kind == .auth:
            let until = now + Self.refusalLifetime
            state.withLock { $0.refusals[service.name] = (service.sessionFingerprint, failure, until) }
        case .failure: break
        }
        return result
    }

    private func hasLastingValues(_ kept: KeptSession?, _ service: CompiledService) -> Bool {
        guard let kept else { return false }
        return service.lastingSessionValues.contains { kept.values.values[$0] != nil }
    }

    /// The session before, valid or not; one of other credentials counts for its generation only.
    private func kept(_ service: CompiledService) async -> KeptSession? {
        let isLoaded = state.withLock { state in !state.loaded.insert(service.name).inserted }
        if !isLoaded, let store {
            let name = service.name
            if let read = await pool.run({ store.read(name) }) {
                state.withLock { state in
                    if state.sessions[name] == nil { state.sessions[name] = read }
                }
            }
        }
        guard let found = state.withLock({ $0.sessions[service.name] }) else { return nil }
        if found.fingerprint == service.sessionFingerprint { return found }
        let values = SessionValues(generation: found.values.generation, expiresAt: 0)
        return KeptSession(fingerprint: service.sessionFingerprint, values: values)
    }

    /// Why no login may be made now; notes one that may.
    private func forbidden(_ service: CompiledService) -> DeliveryFailure? {
        let now = now
        return state.withLock { state in
            if let refusal = state.refusals[service.name] {
                if refusal.until > now, refusal.fingerprint == service.sessionFingerprint { return refusal.failure }
                state.refusals[service.name] = nil
            }
            guard let rate = service.loginRate else { return nil }
            let period = max(1, Int(rate.period.components.seconds))
            var logins = (state.logins[service.name] ?? []).filter { $0 > now - period }
            if logins.count >= rate.count, let first = logins.first {
                return DeliveryFailure(
                    kind: .rateLimited,
                    message: "\(service.name) takes no more logins for now.",
                    retry: .retryAfter(.seconds(first + period - now))
                )
            }
            logins.append(now)
            state.logins[service.name] = logins
            return nil
        }
    }

    private func login(
        _ service: CompiledService,
        after old: SessionValues?
    ) async -> Result<SessionValues, DeliveryFailure> {
        guard var run = SessionRun(service: service, after: old, uuid: identity.uploadID(), now: now) else {
            return .failure(DeliveryFailure(kind: .auth, message: "\(service.name) has no login.", retry: .never))
        }
        var event = SessionRun.Event.start
        while true {
            switch run.handle(event, now: now) {
            case .finished(let result): return result
            case .send(let request, _):
                do throws(TransportError) {
                    event = .reply(try await transport.send(request))
                } catch {
                    event = .failed(error)
                }
            }
        }
    }

    /// Keeps a session on the disk, then for everybody; one that the disk does not take is used all the same.
    private func keep(_ session: KeptSession, of service: CompiledService) async {
        let name = service.name
        if let store { _ = await pool.run { store.write(session, of: name) } }
        state.withLock { state in
            state.sessions[name] = session
            state.refusals[name] = nil
        }
    }
}
