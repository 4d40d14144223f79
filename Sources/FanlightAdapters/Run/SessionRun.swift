// SPDX-License-Identifier: Apache-2.0

public import FanlightConfiguration
public import FanlightCore

/// A login, or the renewal of a token; pure: events in, actions out, time passed in.
///
/// Whoever drives it keeps what it gives, durably before the new values are used.
public struct SessionRun: Sendable {
    /// What has to be done next.
    public enum Action: Sendable {
        /// Do one HTTP exchange, then tell `.reply` or `.failed`.
        case send(HTTPRequest, Exchange)
        /// The session is open, or cannot be opened now.
        case finished(Result<SessionValues, DeliveryFailure>)
    }

    /// What happened.
    public enum Event: Sendable {
        case start
        case reply(HTTPReply)
        case failed(TransportError)
    }

    private let service: CompiledService
    private let program: SessionProgram
    private let old: SessionValues?
    private var context: DeliveryContext
    private var state: RunState
    private var cookies: [SessionCookie] = []

    /// Prepares a login; `nil` when the service has no sessions.
    ///
    /// - Parameters:
    ///   - old: The session before, also an expired one: its refresh token is used and its generation counted on.
    ///   - uuid: A fresh identifier, for signatures.
    public init?(service: CompiledService, after old: SessionValues?, uuid: String, now: Int) {
        guard let program = service.session else { return nil }
        self.service = service
        self.program = program
        self.old = old
        let nothing = Rendition(
            file: SpooledFile(path: "", descriptor: -1, size: 0),
            mediaType: .jpeg,
            width: 0,
            height: 0,
            lane: .untouched
        )
        context = DeliveryContext(rendition: nothing, uploadID: "", idempotencyKey: uuid, uuid: uuid, now: now)
        state = RunState(start: now)
        let lasting = old?.values.filter { program.lasting.contains($0.key) } ?? [:]
        state.session = SessionValues(values: lasting)
    }

    /// Takes one event and says what to do next.
    ///
    /// - Parameter now: Seconds since 1970, UTC.
    public mutating func handle(_ event: Event, now: Int) -> Action {
        context.now = now
        switch event {
        case .start: return advance()
        case .reply(let reply): return take(reply)
        case .failed(let error):
            // A login publishes nothing: it may be repeated whatever became of it.
            let failure = service.failure(of: error, isIdempotent: true)
            return optional(failure)
        }
    }

    private mutating func advance() -> Action {
        while state.index < program.steps.count {
            let step = program.steps[state.index]
            guard step.when?.holds(in: scope, .nothing) ?? true else {
                state.leaveStep()
                continue
            }
            state.exchange += 1
            do throws(DeliveryFailure) {
                let request = try step.request.request(in: scope, timeouts: service.timeouts, cookies: cookies)
                return .send(request, Exchange(step: "login." + step.id, isIdempotent: true))
            } catch {
                return .finished(.failure(error))
            }
        }
        return .finished(.success(values()))
    }

    private mutating func take(_ reply: HTTPReply) -> Action {
        guard state.index < program.steps.count else { return .finished(.success(values())) }
        let step = program.steps[state.index]
        state.statuses[step.id] = reply.status
        if program.keepsCookies { keepCookies(of: reply) }
        if case .digest(let digest) = step.request.authorization, reply.status == 401, state.challenges == 0,
            let challenge = DigestAuthentication.challenge(in: reply)
        {
            state.challenges = 1
            digest.memory.keep(challenge)
            return advance()
        }
        switch service.judge(step, ReplyDocument(reply), scope) {
        case .passed(let saved):
            guard step.reply.save.isEmpty || !saved.isEmpty else { return optional(nothingGiven(by: step, reply)) }
            state.captures.merge(saved) { _, new in new }
            state.leaveStep()
            return advance()
        case .failed(var failure):
            // A refusal in words, whatever its status, means that the credentials are not taken.
            if failure.kind == .rejected || failure.kind == .badReply { failure.kind = .auth }
            // A login publishes nothing: a fault of the server may be tried again.
            let isFault = (500..<600).contains(failure.httpStatus ?? 0) && failure.retry == .never
            if failure.retry == .unknownOutcome || isFault { failure.retry = .retry }
            failure.mayHaveArrived = false
            return optional(failure)
        }
    }

    /// A login that gives nothing of what it is for has opened nothing, whatever its status.
    private func nothingGiven(by step: StepProgram, _ reply: HTTPReply) -> DeliveryFailure {
        let names = step.reply.save.map { "'\($0.name)'" }.joined(separator: ", ")
        let message = "The login to \(service.name) gave no \(names)."
        return DeliveryFailure(kind: .auth, message: message, httpStatus: reply.status, retry: .never)
    }

    private mutating func optional(_ failure: DeliveryFailure) -> Action {
        guard state.index < program.steps.count, program.steps[state.index].isOptional else {
            return .finished(.failure(failure))
        }
        state.leaveStep()
        return advance()
    }

    private func values() -> SessionValues {
        let kept = (state.session?.values ?? [:]).merging(state.captures) { _, new in new }
        let lifetime = program.lifetime.flatMap { kept[$0]?.shown }.flatMap(Self.seconds)
        let ttl = lifetime ?? program.ttl.map { Int($0.components.seconds) }
        // A tenth is left unused, so that a session does not end between its check and its use.
        let expiresAt = ttl.map { context.now + max(1, $0 - min(60, $0 / 10)) }
        let generation = (old?.generation ?? 0) + 1
        return SessionValues(values: kept, cookies: cookies, generation: generation, expiresAt: expiresAt)
    }

    /// A service's number of seconds, bounded; `nil` for what is none, such as `nan`.
    static func seconds(_ text: String) -> Int? {
        guard let value = Double(text), value.isFinite else { return nil }
        return Int(max(0, min(value, 1e9)))
    }

    private mutating func keepCookies(of reply: HTTPReply) {
        guard let host = WebAddress(reply.finalURL)?.host else { return }
        for field in reply.headers where field.name.lowercased() == "set-cookie" {
            let pieces = field.value.split(separator: ";").map { Words.trimmed($0) }
            guard let pair = pieces.first, let equals = pair.firstIndex(of: "="), equals > pair.startIndex else {
                continue
            }
            let name = String(pair[..<equals])
            cookies.removeAll { $0.name == name && $0.host == host }
            let value = String(pair[pair.index(after: equals)...])
            let isGone = value.isEmpty || pieces.contains { $0.lowercased() == "max-age=0" }
            if !isGone, cookies.count < 50, field.value.utf8.count <= 8_192 {
                cookies.append(SessionCookie(name: name, value: value, host: host))
            }
        }
    }

    private var scope: Scope {
        var scope = service.scope(context)
        scope.captures = state.captures
        scope.statuses = state.statuses
        scope.session = (state.session?.values ?? [:]).merging(state.captures) { _, new in new }
        scope.exchange = state.exchange
        return scope
    }
}

extension CompiledService {
    /// Logins in a period, where the adapter bounds them.
    public var loginRate: Rate? { session?.loginRate }

    /// True when a session or token has to be opened before the first request.
    public var needsSession: Bool { session != nil }

    /// Changes when the operator changes the credentials; a kept session with another one is worthless.
    public var sessionFingerprint: String { session?.fingerprint ?? "" }

    /// Names of values that outlive a session, such as a refresh token that was rotated.
    public var lastingSessionValues: [String] { session?.lasting ?? [] }
}
