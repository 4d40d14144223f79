// SPDX-License-Identifier: Apache-2.0

public import FanlightCore
import Glibc
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

    private let executable: String
    private let limits: HelperProcess.Limits
    private let timeout: Duration
    private let recycleAfter: Int
    private let spool: any Spool
    private let pixelThreads: BlockingThreads?
    private let fileThreads: BlockingThreads?
    private let state = Mutex(State())
    private let decoded = Mutex(0)
    private let replacements = Mutex(
        [
            "recycled": 0, "crashed": 0, "processor_time": 0, "timeout": 0, "nonsense": 0, "shortage": 0,
            "unstartable": 0,
        ]
    )
    /// True when the last start failed, or a new helper ended before its first answer.
    private let mayBeUnstartable = Atomic(false)
    /// The program that was tried last.
    private let tried = Mutex<ProgramMark?>(nil)

    /// Makes a pool; helpers are started when they are first needed.
    ///
    /// - Parameters:
    ///   - executable: path of `fanlight-imaging`.
    ///   - workers: helpers at most; one for each processor that may be used is best, ``ProcessorShare``.
    ///   - timeout: wall-clock time for one file that is made.
    ///   - recycleAfter: pictures after which a helper is replaced.
    ///   - processorTime: for one file that is made; whole seconds, at least 1.
    ///   - memory: bytes of one helper, beyond what its libraries need to start.
    ///   - spool: where renditions are written.
    public init(
        executable: String,
        workers: Int,
        timeout: Duration,
        recycleAfter: Int,
        processorTime: Duration = .seconds(10),
        memory: Int = 1_000_000_000,
        spool: any Spool
    ) {
        self.executable = executable
        self.timeout = timeout
        self.recycleAfter = recycleAfter
        self.spool = spool
        limits = HelperProcess.Limits(
            processorSeconds: max(1, Int(processorTime.components.seconds)),
            memory: memory
        )
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

    /// Prepares a picture for all sets: without pixels where that is enough, else with one request to one helper.
    public func prepare(
        _ source: SpooledFile,
        facts: ImageFacts,
        constraints: [RenditionConstraints]
    ) async -> [Result<Rendition, ImageError>] {
        let fresh = RenditionBatch(source, facts, constraints, spool)
        let planned = await run(on: fileThreads, fresh) { $0.planAndStrip() }
        guard !planned.jobs.isEmpty else { return planned.complete }
        let made = await run(on: pixelThreads, planned) { batch in
            do throws(ImageError) {
                let whole = try self.whole(source)
                batch.take(try self.ask(batch.pixelSource, batch.jobs, picture: whole.descriptor))
            } catch {
                batch.fail(error)
            }
        }
        return made.complete
    }

    /// A file whose descriptor alone gives its bytes.
    private func whole(_ source: SpooledFile) throws(ImageError) -> SpooledFile {
        guard source.isPart else { return source }
        guard let bytes = source.readAll(), let writer = spool.create() else {
            throw .unavailable("the spool cannot be read")
        }
        // SAFETY: the writer copies the bytes before it returns.
        guard unsafe bytes.withUnsafeBytes({ unsafe writer.append($0) }), let file = writer.finish() else {
            writer.discard()
            throw .unavailable("the spool is full")
        }
        return file
    }

    /// How often pictures were decoded so far; turned coefficients count as none.
    public var decodes: Int { decoded.withLock { $0 } }

    /// Helpers that are alive.
    public var helperCount: Int { state.withLock { $0.idle.count + $0.busy.count } }

    /// Helpers that had to be replaced since the start, by reason: `recycled` after enough pictures, `crashed`,
    /// `processor_time`, `timeout`, `nonsense`, `shortage` of descriptors here, and `unstartable` for those that the system did not start.
    public var replaced: [String: Int] { replacements.withLock { $0 } }

    /// True when helpers can be started, also in the place of those that are alive: each is replaced sooner or later.
    ///
    /// Blocks for a look at the program's file; while a helper starts only where the last one did not, and where
    /// another program lies there than the one that was tried.
    public func canPrepare() -> Bool {
        guard let mark = ProgramMark(executable) else { return false }
        let isTried = tried.withLock { $0 == mark } && !mayBeUnstartable.load(ordering: .relaxed)
        return isTried || tryHelper()
    }

    /// Starts a helper of its own for a request without work, and ends it; blocks.
    ///
    /// - Returns: False when the program is missing, or ends instead of answering; ``canPrepare()`` then tries again
    ///   each time that it is asked.
    public func tryHelper() -> Bool {
        tried.withLock { $0 = ProgramMark(executable) }
        // SAFETY: the string is a constant.
        let nothing = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { _ = close(nothing) }
        var isAlive = false
        if nothing >= 0, let helper = HelperProcess(executable: executable, limits: limits) {
            let answer = try? helper.exchange(PixelSource(mediaType: .png), [], picture: nothing, timeout: timeout)
            isAlive = answer != nil
            helper.kill()
        }
        mayBeUnstartable.store(!isAlive, ordering: .relaxed)
        return isAlive
    }

    private func count(_ reason: String) { replacements.withLock { $0[reason, default: 0] += 1 } }

    /// Numbers of the helpers that work, for tests.
    var busyIdentifiers: [Int32] { state.withLock { $0.busy.values.compactMap(\.processIdentifier) } }

    /// Numbers of the helpers that run, for tests.
    var processIdentifiers: [Int32] {
        state.withLock { ($0.idle + $0.busy.values).compactMap(\.processIdentifier) }
    }

    /// Does a batch's blocking work on a thread for it.
    private func run(
        on threads: BlockingThreads?,
        _ batch: RenditionBatch,
        _ work: @escaping @Sendable (inout RenditionBatch) -> Void
    ) async -> RenditionBatch {
        await withCheckedContinuation { continuation in
            let isQueued =
                threads?.submit {
                    var batch = batch
                    work(&batch)
                    continuation.resume(returning: batch)
                } ?? false
            if !isQueued {
                var batch = batch
                batch.fail(.unavailable("picture processing is stopped or full"))
                continuation.resume(returning: batch)
            }
        }
    }

    private func ask(_ source: PixelSource, _ jobs: [PixelJob], picture: Int32) throws(ImageError)
        -> [HelperProcess.Reply]
    {
        var replies: [HelperProcess.Reply] = []
        for start in stride(from: 0, to: jobs.count, by: HelperRequest.mostJobs) {
            let part = Array(jobs[start..<min(jobs.count, start + HelperRequest.mostJobs)])
            replies += try askOnce(source, part, picture: picture).map { reply in
                if case .same(let other) = reply { return .same(as: other + start) }
                return reply
            }
        }
        return replies
    }

    /// One retry after a crash: the picture may not be what the helper died of.
    private func askOnce(_ source: PixelSource, _ jobs: [PixelJob], picture: Int32) throws(ImageError)
        -> [HelperProcess.Reply]
    {
        for isRetry in [false, true] {
            let helper = try borrow()
            do throws(HelperProcess.Failure) {
                let answer = try helper.exchange(source, jobs, picture: picture, timeout: timeout)
                giveBack(helper, isUsable: true)
                decoded.withLock { $0 += answer.decodes }
                return answer.replies
            } catch {
                giveBack(helper, isUsable: false)
                if case .ended = error, helper.pictureCount <= 1 { mayBeUnstartable.store(true, ordering: .relaxed) }
                switch error {
                case .timeout:
                    count("timeout")
                    throw .processingFailed("the picture took too long")
                case .nonsense:
                    count("nonsense")
                    throw .processingFailed("the decoding process gave no sensible answer")
                case .shortage:
                    count("shortage")
                    throw .unavailable("the gateway may open no further file")
                case .ended(let signal):
                    count(signal == 24 ? "processor_time" : "crashed")
                    // SIGXCPU: its processor time ran out, and would again.
                    if signal == 24 { throw .processingFailed("the picture took too much processor time") }
                    if isRetry {
                        let how = signal == 0 ? "" : " (signal \(signal))"
                        throw .processingFailed("the decoding process ended early" + how)
                    }
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
        if isStopped { throw .unavailable("picture processing is stopped") }
        if let warm { return warm }
        guard let fresh = HelperProcess(executable: executable, limits: limits) else {
            count("unstartable")
            mayBeUnstartable.store(true, ordering: .relaxed)
            throw .unavailable("the decoding process cannot be started")
        }
        mayBeUnstartable.store(false, ordering: .relaxed)
        let isLate = state.withLock { state in
            if !state.isStopped { state.busy[ObjectIdentifier(fresh)] = fresh }
            return state.isStopped
        }
        if isLate { throw .unavailable("picture processing is stopped") }
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
            guard isUsable, !state.isStopped else { return }
            if helper.pictureCount < recycleAfter { state.idle.append(helper) } else { count("recycled") }
        }
    }
}
