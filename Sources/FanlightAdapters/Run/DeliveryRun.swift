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

    private let service: CompiledService
    private var context: DeliveryContext
    private var storedName: String?
    private let deletes: Bool

    /// Prepares a delivery.
    ///
    /// - Parameter progress: What ``progress`` gave before the gateway stopped; `nil` = from the beginning.
    public init(service: CompiledService, context: DeliveryContext, resuming progress: JSONValue? = nil) {
        self.init(service: service, context: context, deletes: false)
    }

    init(service: CompiledService, context: DeliveryContext, deletes: Bool) {
        self.service = service
        self.context = context
        self.deletes = deletes
    }

    /// Finished steps and what they captured: what a restart of the gateway must know.
    ///
    /// May hold secrets, such as an upload ticket; `null` before the first step is done.
    public var progress: JSONValue { .null }

    /// Takes one event and says what to do next.
    ///
    /// - Parameter now: Seconds since 1970, UTC.
    public mutating func handle(_ event: Event, now: Int) -> Action {
        context.now = now
        switch event {
        case .start, .again, .paused, .session: return begin()
        case .reply(let reply): return judge(reply)
        case .failed(let error): return .finished(.failure(service.outcome(of: error)))
        case .stored: return .finished(service.outcome(ofStored: storedName ?? "", context: context))
        case .sessionFailed(let failure): return .finished(.failure(failure))
        }
    }

    private mutating func begin() -> Action {
        do throws(DeliveryFailure) {
            if deletes {
                guard let request = try service.deletePlan(context) else {
                    throw DeliveryFailure(kind: .rejected, message: "\(service.name) cannot delete")
                }
                return .send(request, Exchange(step: "delete", isIdempotent: true))
            }
            switch try service.plan(context) {
            case .exchange(let request):
                return .send(request, Exchange(step: "upload", isIdempotent: service.isIdempotent))
            case .store(let folder, let name):
                storedName = name
                return .store(folder: folder, name: name)
            }
        } catch {
            return .finished(.failure(error))
        }
    }

    private func judge(_ reply: HTTPReply) -> Action {
        guard deletes else { return .finished(service.outcome(of: reply, context: context)) }
        if let failure = service.deleteOutcome(of: reply, context: context) { return .finished(.failure(failure)) }
        return .finished(.success(DeliveryLinks()))
    }
}

extension CompiledService {
    /// The same machine for the deletion of a delivered picture; `nil` when the adapter cannot.
    ///
    /// `finished` with a success means deleted (or gone already). The context's `captures` are those of the delivery's
    /// links; nothing else of the upload is needed, the rendition may be an empty stand-in.
    public func deleteRun(_ context: DeliveryContext) -> DeliveryRun? {
        delete == nil ? nil : DeliveryRun(service: self, context: context, deletes: true)
    }

    /// True when building a request reads the picture's bytes, for a hash or base64.
    public var readsPicture: Bool {
        let digests: [Variable] = [.file(.sha256), .file(.sha1), .file(.md5), .file(.base64)]
        return request?.variables.contains { digests.contains($0) } ?? false
    }
}
