// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightCore
import Synchronization

/// Makes one attempt: drives a run through its exchanges, and tells the journal before anything irrevocable.
struct Courier: Sendable {
    /// How an attempt ended.
    enum End: Sendable {
        case finished(Result<DeliveryLinks, DeliveryFailure>)
        /// The gateway stops and nothing irrevocable happened: the delivery stays in the journal.
        case left
    }

    /// What the journal is told during an attempt; a deletion tells nothing.
    struct Notes: Sendable {
        /// An attempt begins whose request may be repeated.
        var attempting: @Sendable () -> Void = {}
        /// The end of a request that must not be repeated may leave; false = it must not.
        var releasing: @Sendable () async -> Bool = { true }
        /// The end of a request that publishes and may be repeated may leave; false = it must not.
        var doubting: @Sendable () async -> Bool = { true }
        /// The end of a request that may be repeated and publishes nothing may leave; false = it must not.
        ///
        /// `nil` where there is nothing to write before it: the service has no rate.
        var counting: (@Sendable () async -> Bool)?
        /// A step is done; true = the picture may have arrived.
        var progress: @Sendable (JSONValue, Bool) -> Void = { _, _ in }
    }

    let engine: Engine
    @Boxed var service: CompiledService
    let picture: SpooledFile?
    let notes: Notes
    /// The attempt must be over by then.
    let until: Timestamp
    /// The trace that every request is told of.
    var trace: TraceContext?

    /// What the exchange under way has done that cannot be undone.
    private final class Release: Sendable {
        private let state = Mutex((isReleased: false, isRefused: false))
        var isReleased: Bool { state.withLock { $0.isReleased } }
        var isRefused: Bool { state.withLock { $0.isRefused } }
        func note(_ mayLeave: Bool) {
            state.withLock { state in
                if mayLeave { state.isReleased = true } else { state.isRefused = true }
            }
        }
    }

    /// Drives the run until it says that the attempt is over.
    func attempt(_ run: inout DeliveryRun, _ first: DeliveryRun.Event) async -> End {
        var event = first
        notes.attempting()
        while true {
            let action = await next(&run, event)
            switch event {
            case .reply, .failed: noteProgress(run, before: action)
            default: break
            }
            switch action {
            case .finished(let result): return .finished(result)
            case .send(let request, let exchange):
                let release = Release()
                event = await send(request, exchange, release)
                if case .failed(let error) = event {
                    if release.isRefused { return Task.isCancelled ? .left : Self.broken(Self.notRecorded, run) }
                    // A stop leaves the delivery for the next start, unless the request may have arrived.
                    if error.cause == .stopped, Task.isCancelled, !release.isReleased { return .left }
                }
            case .store(let folder, let name):
                guard await store(folder, name) else {
                    let message =
                        "The folder \(folder) cannot be written. Check its permissions and the space on its disk."
                    return Self.broken(DeliveryFailure(kind: .unavailable, message: message, retry: .retry), run)
                }
                event = .stored
            case .pause(let duration):
                let end = engine.clock.now() + duration
                guard end < until else { return Self.broken(Self.stillWorking, run) }
                await engine.clock.sleep(end)
                if Task.isCancelled { return .left }
                event = .paused
            case .openSession(let need):
                switch await engine.sessions.session(for: service, need) {
                case .success(let values): event = .session(values)
                case .failure(let failure): event = .sessionFailed(failure)
                }
            }
        }
    }

    /// The end of an attempt that the gateway itself breaks off, which says nothing of the exchanges before.
    private static func broken(_ failure: DeliveryFailure, _ run: DeliveryRun) -> End {
        var failure = failure
        if run.mayHaveArrived { failure.mayHaveArrived = true }
        return .finished(.failure(failure))
    }

    /// A finished step is noted where another follows, and how far a run came that may safely go on: the next attempt
    /// has the same names, and does what is done no more.
    ///
    /// After the last one only the outcome may follow the `releasing` note: with anything between them, a kill would have
    /// the journal say that nothing is under way, and the picture would be sent again.
    private func noteProgress(_ run: DeliveryRun, before action: DeliveryRun.Action) {
        switch action {
        case .finished(.success): return
        case .finished(.failure(let failure)):
            guard failure.retry != .never, failure.retry != .unknownOutcome else { return }
        default: break
        }
        notes.progress(run.progress, run.mayHaveArrived)
    }

    /// Building a request may read the picture, which is no work for the cooperative pool.
    private func next(_ run: inout DeliveryRun, _ event: DeliveryRun.Event) async -> DeliveryRun.Action {
        let now = Int(engine.now / 1_000)
        guard service.readsPicture else { return run.handle(event, now: now) }
        let before = run
        let (after, action) = await engine.pool.run {
            var run = before
            let action = run.handle(event, now: now)
            return (run, action)
        }
        run = after
        return action
    }

    private func send(_ request: HTTPRequest, _ exchange: Exchange, _ release: Release) async -> DeliveryRun.Event {
        var request = request
        let left = until - engine.clock.now()
        request.timeouts.total = max(.milliseconds(1), min(request.timeouts.total, left))
        if let trace, !request.headers.contains(where: { $0.name.lowercased() == TraceContext.header }) {
            request.headers += trace.headers(engine.identity)
        }
        if !exchange.isIdempotent, !exchange.isPoll {
            let releasing = notes.releasing
            request.beforeLastByte = {
                let mayLeave = await releasing()
                release.note(mayLeave)
                return mayLeave
            }
        } else if !exchange.isPoll, let noting = exchange.mayPublish ? notes.doubting : notes.counting {
            request.beforeLastByte = {
                let mayLeave = await noting()
                if !mayLeave { release.note(false) }
                return mayLeave
            }
        }
        do throws(TransportError) {
            let reply = try await engine.transport.send(request)
            if let pause = ReplyPacing(reply, now: Int(engine.now / 1_000)).pause {
                engine.gates[service.name]?.hold(for: pause)
            }
            return .reply(reply)
        } catch {
            return .failed(error)
        }
    }

    private func store(_ folder: String, _ name: String) async -> Bool {
        guard let picture else { return false }
        return await engine.pool.run { Album.store(picture, folder: folder, name: name) }
    }

    /// The journal would not take the note that has to precede a request.
    static let notRecorded = DeliveryFailure(
        kind: .interrupted,
        message: "The gateway could not write its journal, so that the request was held back.",
        retry: .retry
    )
    private static let stillWorking = DeliveryFailure(
        kind: .timeout,
        message: "The service had not finished with the picture when the deadline came.",
        retry: .unknownOutcome
    )
}
