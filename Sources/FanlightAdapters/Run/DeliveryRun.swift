// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

/// One delivery's way through its adapter's steps; pure: events in, actions out, time passed in.
///
/// Whoever drives it does what the last action says and tells the result as the next event, until `finished`. After
/// `finished` with a failure whose retry class allows it, `.again` repeats the failing step; what earlier steps
/// captured is kept. The driver decides when, and how often.
///
/// `handle` may read the picture's bytes (for a hash or base64) when ``CompiledService/readsPicture`` is true; call it
/// on a thread that may block then.
public struct DeliveryRun: Sendable {
    /// What has to be done next.
    public enum Action: Sendable {
        /// Do one HTTP exchange, then tell `.reply` or `.failed`.
        case send(HTTPRequest, Exchange)
        /// Keep the picture in a folder of the gateway under this relative name, then tell `.stored`.
        case store(folder: String, name: String)
        /// Wait, then tell `.paused`.
        case pause(Duration)
        /// Get a session, or a newer one than the stale one that is named, then tell `.session` or `.sessionFailed`.
        case openSession(SessionNeed)
        /// The delivery, or this attempt of it, is over.
        case finished(Result<DeliveryLinks, DeliveryFailure>)
    }

    /// What happened.
    public enum Event: Sendable {
        /// Begin, or go on where `progress` ended.
        case start
        /// A complete reply, any status.
        case reply(HTTPReply)
        /// No complete reply.
        case failed(TransportError)
        /// The picture lies in its folder.
        case stored
        /// The pause is over.
        case paused
        /// A session is open.
        case session(SessionValues)
        /// No session could be opened.
        case sessionFailed(DeliveryFailure)
        /// Repeat the failing step; only after `finished` with a failure.
        case again
    }

    @Boxed private(set) var service: CompiledService
    let steps: [StepProgram]
    let isDeletion: Bool
    var context: DeliveryContext
    var state: RunState

    /// Prepares a delivery.
    ///
    /// - Parameter progress: What ``progress`` gave before the gateway stopped; `nil` = from the beginning.
    public init(service: CompiledService, context: DeliveryContext, resuming progress: JSONValue? = nil) {
        self.service = service
        self.context = context
        steps = service.steps
        isDeletion = false
        state = RunState(resuming: progress, steps: service.steps, context: &self.context)
    }

    /// Prepares a deletion.
    init(service: CompiledService, context: DeliveryContext, deleting step: StepProgram) {
        self.service = service
        self.context = context
        steps = [step]
        isDeletion = true
        state = RunState(start: context.now)
    }

    /// Finished steps and what they captured: what a restart of the gateway must know.
    ///
    /// Also what must stay the same in the whole delivery, such as its `${uuid}`. May hold secrets, such as an upload
    /// ticket; `null` before anything was sent.
    public var progress: JSONValue { state.progress(steps: steps, context: context) }

    /// How long the service wants to be left alone although the last reply was a success; `nil` = not at all.
    ///
    /// Read from `rate_limit:` when nothing is left; the driver may hold the next delivery back.
    public var quiet: Duration? { state.quiet }

    /// True when ``handle(_:now:)`` may read the picture's bytes from the disk.
    public var readsPicture: Bool { service.readsPicture }

    /// Takes one event and says what to do next.
    ///
    /// - Parameter now: Seconds since 1970, UTC.
    public mutating func handle(_ event: Event, now: Int) -> Action {
        context.now = now
        let action = next(event)
        guard case .finished(.failure(var failure)) = action, !isDeletion, state.mayHaveArrived else { return action }
        failure.mayHaveArrived = true
        return .finished(.failure(failure))
    }

    private mutating func next(_ event: Event) -> Action {
        switch event {
        case .start:
            if state.start == nil { state.start = context.now }
            if state.isLost { return .finished(.failure(Self.changed(service.name))) }
            return advance()
        case .again:
            state.beginAttempt()
            return advance()
        case .paused: return send()
        case .session(let values):
            state.session = values
            return advance()
        case .reply(let reply): return take(reply)
        case .failed(let error): return take(error)
        case .stored: return finish()
        case .sessionFailed(let failure):
            if isOnlyAsking { state.mayHaveArrived = true }
            return .finished(.failure(failure))
        }
    }

    private static func changed(_ service: String) -> DeliveryFailure {
        let message = "The steps of \(service) changed while this delivery was under way."
        return DeliveryFailure(kind: .interrupted, message: message, retry: .unknownOutcome)
    }

    // MARK: Going on

    /// Begins the next step that is not left out, or finishes.
    mutating func advance() -> Action {
        if let store = service.store, !isDeletion { return keep(store) }
        if service.session != nil, state.session == nil { return .openSession(SessionNeed(service: service.name)) }
        while state.index < steps.count {
            if steps[state.index].when?.holds(in: scope, .nothing) ?? true { return send() }
            state.leaveStep()
        }
        return finish()
    }

    private mutating func send() -> Action {
        guard state.index < steps.count else { return finish() }
        let step = steps[state.index]
        state.exchange += 1
        do throws(DeliveryFailure) {
            let cookies = state.session?.cookies ?? []
            let request = try step.request.request(in: scope, timeouts: service.timeouts, cookies: cookies)
            let exchange = Exchange(
                step: step.id,
                isIdempotent: step.isRepeatable(in: scope),
                isPoll: step.poll != nil,
                mayPublish: mayPublish(state.index)
            )
            return .send(request, exchange)
        } catch {
            return fail(error)
        }
    }

    private mutating func keep(_ store: StoreProgram) -> Action {
        do throws(DeliveryFailure) {
            let (folder, name) = try store.place(in: scope)
            state.captures["stored_name"] = .string(name)
            return .store(folder: folder, name: name)
        } catch {
            return .finished(.failure(error))
        }
    }

    private mutating func finish() -> Action {
        if isDeletion { return .finished(.success(DeliveryLinks())) }
        return .finished(service.links(state.lastReply.map(ReplyDocument.init) ?? .nothing, scope))
    }

    // MARK: Replies

    private mutating func take(_ reply: HTTPReply) -> Action {
        guard state.index < steps.count else { return finish() }
        let step = steps[state.index]
        let document = ReplyDocument(reply)
        state.statuses[step.id] = reply.status
        state.lastReply = reply
        state.networkError = nil
        if answersChallenge(step, reply) { return send() }
        if let session = service.session, !state.isRenewed, session.renewWhen.holds(in: scope, document),
            mayRenew(step, document)
        {
            state.isRenewed = true
            let stale = state.session?.generation
            state.session = nil
            return .openSession(SessionNeed(service: service.name, stale: stale))
        }
        if let poll = step.poll, let action = self.poll(poll, step, document) { return action }
        if isDeletion, [404, 410].contains(reply.status) { return finish() }
        switch service.judge(step, document, scope) {
        case .passed(let saved):
            if isHollow(step, saved) { return fail(service.hollowReply(step, document, scope), document) }
            state.quiet = Waiting.exhausted(document, scope, step.reply)
            state.captures.merge(saved) { _, new in new }
            state.leaveStep()
            return advance()
        case .failed(let failure):
            noteDoubt(after: reply)
            return fail(failure, document)
        }
    }

    /// True for a step that is there for what its reply gives, and whose reply gives nothing of it.
    ///
    /// The last step is not asked: a delivery without a link is none anyway.
    private func isHollow(_ step: StepProgram, _ saved: [String: JSONValue]) -> Bool {
        !isDeletion && step.poll == nil && state.index + 1 < steps.count && !step.reply.save.isEmpty && saved.isEmpty
    }

    private mutating func take(_ error: TransportError) -> Action {
        guard state.index < steps.count else { return finish() }
        state.networkError = error.cause.rawValue
        if isOnlyAsking || (error.requestFullySent && mayPublish(state.index)) { state.mayHaveArrived = true }
        let isRepeatable = steps[state.index].isRepeatable(after: error.cause, in: scope)
        let failure = service.failure(of: error, isIdempotent: isRepeatable)
        return fail(failure)
    }

    /// Keeps a Digest challenge and says whether the request has to go out again with its answer.
    private mutating func answersChallenge(_ step: StepProgram, _ reply: HTTPReply) -> Bool {
        guard case .digest(let digest) = step.request.authorization, reply.status == 401,
            let challenge = DigestAuthentication.challenge(in: reply), state.challenges < 2
        else { return false }
        // The second refusal of an answer means a wrong password, unless the server says that the nonce was too old.
        guard state.challenges == 0 || challenge.isStale else { return false }
        state.challenges += 1
        digest.memory.keep(challenge)
        return true
    }

    // MARK: Polling

    /// What a poll does about a reply; `nil` when the reply is judged as any other.
    private mutating func poll(_ poll: PollProgram, _ step: StepProgram, _ document: ReplyDocument) -> Action? {
        let saved = SavedValues.of(step.reply.save, document, scope)
        state.captures.merge(saved) { _, new in new }
        if poll.until.holds(in: scope, document) { return nil }
        if poll.fail?.holds(in: scope, document) ?? false {
            var failure = service.explain(step, document, scope)
            failure.retry = .never
            return fail(failure, document)
        }
        let isGood = (200..<300).contains(document.reply.status)
        guard poll.pending?.holds(in: scope, document) ?? isGood else {
            noteDoubt(after: document.reply)
            return fail(service.explain(step, document, scope), document)
        }
        if state.pollStart == nil { state.pollStart = context.now }
        let waited = Duration.seconds(context.now - (state.pollStart ?? context.now))
        let asked = poll.interval.flatMap { Waiting.duration($0, document, scope) }
        let wait = min(PollProgram.longest, asked ?? state.pollWait ?? poll.every)
        guard waited + wait <= poll.deadline else {
            let message = "\(service.name) had not finished after \(poll.deadline)."
            let failure = DeliveryFailure(kind: .timeout, message: message, retry: .retry)
            if isOnlyAsking { state.mayHaveArrived = true }
            return fail(failure)
        }
        state.pollWait = min(PollProgram.longest, wait * poll.growth / 1_000)
        return .pause(wait)
    }

    // MARK: Failures

    /// Repeats, goes back, leaves out, or ends the attempt.
    private mutating func fail(_ failure: DeliveryFailure, _ document: ReplyDocument = .nothing) -> Action {
        guard state.index < steps.count else { return .finished(.failure(failure)) }
        let step = steps[state.index]
        var failure = failure
        // What may not be repeated is not, whatever a test finds missing where no reply came.
        let mayRepeat = failure.retry != .unknownOutcome
        let goesBack = !mayRepeat ? nil : step.restart.flatMap { $0.when.holds(in: scope, document) ? $0.step : nil }
        if mayRepeat, goesBack != nil || step.retryWhen?.holds(in: scope, document) ?? false {
            let failed = (state.failures[state.index] ?? 0) + 1
            state.failures[state.index] = failed
            if goesBack != nil || failure.retry == .never {
                failure.retry = failure.retry.repeatable
                // Where the picture may have arrived, the run knows it.
                failure.mayHaveArrived = false
            }
            if failed < step.attempts {
                let wait = failure.retry.asked ?? step.backoff * (1 << min(failed - 1, 10))
                if let goesBack { state.goBack(to: goesBack) }
                return .pause(min(wait, .seconds(86_400)))
            }
            state.restart = goesBack
        }
        state.networkError = nil
        guard step.isOptional else { return .finished(.failure(failure)) }
        state.leaveStep()
        return advance()
    }

    /// What templates read now.
    var scope: Scope {
        var scope = service.scope(context)
        scope.start = state.start ?? context.now
        scope.captures = state.captures
        scope.statuses = state.statuses
        scope.session = state.session?.values ?? [:]
        scope.networkError = state.networkError
        scope.exchange = state.exchange
        return scope
    }
}

extension RetryClass {
    /// The same, but never final.
    fileprivate var repeatable: RetryClass {
        if case .retryAfter = self { return self }
        return .retry
    }

    /// The wait that was asked for.
    fileprivate var asked: Duration? {
        if case .retryAfter(let wait) = self { return wait }
        return nil
    }
}

extension CompiledService {
    /// The same machine for the deletion of a delivered picture; `nil` when the adapter cannot.
    ///
    /// `finished` with a success means deleted (or gone already). The context's `captures` are those of the delivery's
    /// links; nothing else of the upload is needed, the rendition may be an empty stand-in.
    public func deleteRun(_ context: DeliveryContext) -> DeliveryRun? {
        delete.map { DeliveryRun(service: self, context: context, deleting: $0) }
    }
}
