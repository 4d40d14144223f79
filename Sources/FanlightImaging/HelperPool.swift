// SPDX-License-Identifier: Apache-2.0

public import FanlightCore
import FanlightMetadata
import Synchronization

/// Makes renditions: without pixels in this process, with pixels in a few warm helper processes.
///
/// A helper that crashes or hangs costs one picture a clear error; the next picture gets a new helper.
public final class HelperPool: ImageProcessor {
    private struct State {
        var idle: [HelperProcess] = []
        var busy: [ObjectIdentifier: HelperProcess] = [:]
        var isStopped = false
    }

    /// What a step gave.
    private enum Outcome: Sendable {
        case made(Rendition)
        /// Another way has to be taken; the error is for when there is none.
        case unfit(ImageError)
        case failed(ImageError)
    }

    private let executable: String
    private let timeout: Duration
    private let recycleAfter: Int
    private let spool: any Spool
    private let pixelThreads: BlockingThreads?
    private let fileThreads: BlockingThreads?
    private let state = Mutex(State())

    /// Makes a pool; helpers are started when they are first needed.
    ///
    /// - Parameters:
    ///   - executable: path of `fanlight-imaging`.
    ///   - workers: helpers at most; one for each processor core is best.
    ///   - timeout: wall-clock time for one picture.
    ///   - recycleAfter: pictures after which a helper is replaced.
    ///   - spool: where renditions are written.
    public init(executable: String, workers: Int, timeout: Duration, recycleAfter: Int, spool: any Spool) {
        self.executable = executable
        self.timeout = timeout
        self.recycleAfter = recycleAfter
        self.spool = spool
        pixelThreads = BlockingThreads(count: max(1, workers))
        fileThreads = BlockingThreads(count: 2)
    }

    deinit { shutdown() }

    /// Kills the helpers and ends the threads; pictures under way fail.
    public func shutdown() {
        let helpers = state.withLock { state in
            state.isStopped = true
            defer { state.idle = [] }
            return state.idle + state.busy.values
        }
        for helper in helpers { helper.kill() }
        pixelThreads?.stop()
        fileThreads?.stop()
    }

    public func prepare(
        _ source: SpooledFile,
        facts: ImageFacts,
        constraints: [RenditionConstraints]
    ) async -> [Result<Rendition, ImageError>] {
        var made: [Result<Rendition, ImageError>] = []
        for set in constraints {
            do throws(ImageError) {
                made.append(.success(try await rendition(source, facts: facts, constraints: set)))
            } catch {
                made.append(.failure(error))
            }
        }
        return made
    }

    /// Prepares a picture; each way is tried until one fits.
    private func rendition(
        _ source: SpooledFile,
        facts: ImageFacts,
        constraints: RenditionConstraints
    ) async throws(ImageError) -> Rendition {
        var reason = ImageError.noRendition("there is no way to satisfy the service")
        for step in try LaneChooser.steps(for: facts, bytes: source.size, constraints: constraints) {
            if step == .untouched {
                return Rendition(
                    file: source,
                    mediaType: facts.mediaType,
                    width: facts.uprightWidth,
                    height: facts.uprightHeight,
                    lane: .untouched
                )
            }
            switch await take(step, source: source, facts: facts, constraints: constraints) {
            case .made(let rendition): return rendition
            case .failed(let error): throw error
            case .unfit(let error): reason = error
            }
        }
        throw reason
    }

    /// Numbers of the helpers that run, for tests.
    var processIdentifiers: [Int32] {
        state.withLock { ($0.idle + $0.busy.values).compactMap(\.processIdentifier) }
    }

    private func take(
        _ step: LaneChooser.Step,
        source: SpooledFile,
        facts: ImageFacts,
        constraints: RenditionConstraints
    ) async -> Outcome {
        let threads = step == .stripped ? fileThreads : pixelThreads
        return await withCheckedContinuation { continuation in
            let isQueued =
                threads?.submit {
                    continuation.resume(
                        returning: self.make(step, source: source, facts: facts, constraints: constraints)
                    )
                } ?? false
            if !isQueued {
                continuation.resume(returning: .failed(.processingFailed("picture processing is stopped or full")))
            }
        }
    }

    private func make(
        _ step: LaneChooser.Step,
        source: SpooledFile,
        facts: ImageFacts,
        constraints: RenditionConstraints
    ) -> Outcome {
        do throws(ImageError) {
            let retained = Self.retained(of: source, policy: constraints.metadata)
            let lane: Lane
            var bytes: [UInt8]
            switch step {
            case .untouched:
                return .unfit(.noRendition("the file is passed on as it is"))
            case .stripped:
                guard let all = source.readAll() else { throw .processingFailed("the spool cannot be read") }
                lane = .stripped
                bytes = try MetadataWriter.rewrite(all, source: retained)
            case .rotated, .pixels:
                var order = Self.order(step, source: source, facts: facts, constraints: constraints)
                if order.maxBytes > 0, order.output == .jpeg, let retained {
                    order.maxBytes = max(1, order.maxBytes - retained.insertedCount)
                }
                lane = if case .pixels(let work) = step { work.lane } else { .rotated }
                switch try ask(order) {
                case .picture(let picture): bytes = picture
                case .imperfect: return .unfit(.noRendition("the picture cannot be turned without loss"))
                case .refused(let error): throw error
                }
            }
            if let retained, step != .stripped { bytes = try MetadataWriter.rewrite(bytes, source: retained) }
            if let limit = constraints.maxBytes, bytes.count > limit {
                return .unfit(.noRendition("\(bytes.count) bytes where the service takes \(limit)"))
            }
            return .made(try store(bytes, lane: lane))
        } catch {
            // Coefficients of a very large picture may need more memory than its pixels, row by row.
            if step == .rotated, case .processingFailed = error { return .unfit(error) }
            return .failed(error)
        }
    }

    private static func order(
        _ step: LaneChooser.Step,
        source: SpooledFile,
        facts: ImageFacts,
        constraints: RenditionConstraints
    ) -> HelperOrder {
        var order = HelperOrder(
            path: source.path,
            source: facts.mediaType,
            orientation: facts.orientation,
            rotates: true,
            width: facts.width,
            height: facts.height,
            output: facts.mediaType
        )
        guard case .pixels(let work) = step else { return order }
        order.rotates = false
        order.maxWidth = work.width
        order.maxHeight = work.height
        order.quality = min(max(constraints.quality, 1), 100)
        order.maxBytes = constraints.maxBytes ?? 0
        order.output = work.output
        order.allFrames = work.allFrames
        return order
    }

    /// What the policy lets stay and encoders and strippers leave out.
    private static func retained(of source: SpooledFile, policy: MetadataPolicy) -> RetainedMetadata? {
        guard policy != .strip, let bytes = source.readAll() else { return nil }
        return RetainedMetadata(of: bytes, policy: policy)
    }

    /// Writes a rendition; its type and size are read from its own bytes.
    private func store(_ bytes: [UInt8], lane: Lane) throws(ImageError) -> Rendition {
        var limits = ImageLimits()
        // The source was held to the operator's limits; this is our own work.
        limits.maxPixels = 1 << 40
        limits.maxTotalPixels = 1 << 40
        limits.maxFrames = 1 << 20
        let facts = try ImageReader.read(bytes, limits: limits)
        guard let writer = spool.create() else { throw .processingFailed("the spool refuses a new file") }
        // SAFETY: the writer copies the bytes before it returns.
        let isWritten = unsafe bytes.withUnsafeBytes { unsafe writer.append($0) }
        guard isWritten, let file = writer.finish() else {
            writer.discard()
            throw .processingFailed("the spool is full")
        }
        return Rendition(
            file: file,
            mediaType: facts.mediaType,
            width: facts.uprightWidth,
            height: facts.uprightHeight,
            lane: lane
        )
    }

    /// One retry after a crash: the picture may not be what the helper died of.
    private func ask(_ order: HelperOrder) throws(ImageError) -> HelperProcess.Reply {
        for isRetry in [false, true] {
            let helper = try borrow()
            do throws(HelperProcess.Failure) {
                let reply = try helper.exchange(order, timeout: timeout)
                giveBack(helper, isUsable: true)
                return reply
            } catch {
                giveBack(helper, isUsable: false)
                switch error {
                case .timeout: throw .processingFailed("the picture took too long")
                case .nonsense: throw .processingFailed("the decoding process gave no sensible answer")
                case .ended(let signal):
                    // SIGXCPU: its processor time ran out, and would again.
                    if signal == 24 { throw .processingFailed("the picture took too much processor time") }
                    if isRetry { throw .processingFailed("the decoding process ended early (signal \(signal))") }
                    dropIdle()
                }
            }
        }
        throw .processingFailed("the decoding process ended early")
    }

    private func borrow() throws(ImageError) -> HelperProcess {
        let (isStopped, warm) = state.withLock { state in
            let helper = state.isStopped ? nil : state.idle.popLast()
            if let helper { state.busy[ObjectIdentifier(helper)] = helper }
            return (state.isStopped, helper)
        }
        if isStopped { throw .processingFailed("picture processing is stopped") }
        if let warm { return warm }
        guard let fresh = HelperProcess(executable: executable) else {
            throw .processingFailed("the decoding process cannot be started")
        }
        let isLate = state.withLock { state in
            if !state.isStopped { state.busy[ObjectIdentifier(fresh)] = fresh }
            return state.isStopped
        }
        if isLate { throw .processingFailed("picture processing is stopped") }
        return fresh
    }

    /// Helpers may have died together, and one that is dead must not cost the retry, too.
    private func dropIdle() {
        let dropped = state.withLock { state in
            defer { state.idle = [] }
            return state.idle
        }
        for helper in dropped { helper.kill() }
    }

    private func giveBack(_ helper: HelperProcess, isUsable: Bool) {
        state.withLock { state in
            state.busy[ObjectIdentifier(helper)] = nil
            if isUsable, !state.isStopped, helper.pictureCount < recycleAfter { state.idle.append(helper) }
        }
    }
}
