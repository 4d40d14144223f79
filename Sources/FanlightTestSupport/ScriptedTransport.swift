// SPDX-License-Identifier: Apache-2.0

public import FanlightCore
import Synchronization

/// A transport that answers from a script and remembers what was sent.
public final class ScriptedTransport: HTTPTransport {
    /// Gives the answer to a request.
    public typealias Script = @Sendable (HTTPRequest) async throws(TransportError) -> HTTPReply

    private let script: Script
    private let log = Mutex<[HTTPRequest]>([])

    private let remembers: Bool

    /// Answers with a script.
    ///
    /// - Parameter remembers: False = requests are forgotten at once, with the files in them.
    public init(remembers: Bool = true, _ script: @escaping Script) {
        self.remembers = remembers
        self.script = script
    }

    /// Requests so far, in order.
    public var requests: [HTTPRequest] { log.withLock { $0 } }

    /// Notes the request and asks the script.
    public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPReply {
        if remembers { log.withLock { $0.append(request) } }
        if let gate = request.beforeLastByte, !(await gate()) {
            throw TransportError(.stopped, message: "The end of the request was held back.", requestFullySent: false)
        }
        return try await script(request)
    }
}

/// An image processor that passes every picture on as it is, and counts what it was asked for.
public final class PassingProcessor: ImageProcessor {
    private let asked = Mutex<[RenditionConstraints]>([])
    private let refusal = Mutex<ImageError?>(nil)

    /// Creates a processor.
    public init() {}

    /// Constraints that were asked for, in order.
    public var constraints: [RenditionConstraints] { asked.withLock { $0 } }

    /// From now on nothing can be prepared, for this reason.
    public func refuse(with error: ImageError) { refusal.withLock { $0 = error } }

    /// Gives the source itself.
    public func prepare(
        _ source: SpooledFile,
        facts: ImageFacts,
        constraints: [RenditionConstraints]
    ) async -> [Result<Rendition, ImageError>] {
        asked.withLock { $0 += constraints }
        if let error = refusal.withLock({ $0 }) { return constraints.map { _ in .failure(error) } }
        let rendition = Rendition(
            file: source,
            mediaType: facts.mediaType,
            width: facts.width,
            height: facts.height,
            lane: .untouched
        )
        return constraints.map { _ in .success(rendition) }
    }
}
