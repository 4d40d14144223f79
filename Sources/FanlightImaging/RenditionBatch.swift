// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightMetadata

/// The renditions of one upload, under way: planned, made without pixels where that is enough, else by one helper.
struct RenditionBatch: Sendable {
    private let source: SpooledFile
    private let facts: ImageFacts
    private let sets: [RenditionConstraints]
    private let spool: any Spool

    private var plans: [LanePlan?]
    private var results: [Result<Rendition, ImageError>?]
    /// What the metadata of the source lets stay, by policy; `nil` where nothing stays.
    private var retained: [MetadataPolicy: RetainedMetadata?] = [:]
    private var probe = PictureProbe()
    /// Distinct jobs in the order of first use, and which sets want each.
    private(set) var jobs: [PixelJob] = []
    private var wanted: [[Int]] = []

    init(_ source: SpooledFile, _ facts: ImageFacts, _ sets: [RenditionConstraints], _ spool: any Spool) {
        self.source = source
        self.facts = facts
        self.sets = sets
        self.spool = spool
        plans = sets.map { _ in nil }
        results = sets.map { _ in nil }
    }

    /// One result a set.
    var complete: [Result<Rendition, ImageError>] {
        results.map { $0 ?? .failure(.noRendition("there is no way to satisfy the service")) }
    }

    /// The picture, for a helper.
    var pixelSource: PixelSource { PixelSource(facts) }

    /// Gives the same error to every set that has no result yet.
    mutating func fail(_ error: ImageError) {
        for index in results.indices where results[index] == nil { results[index] = .failure(error) }
    }

    /// Chooses the lanes and makes what needs no pixels, reading the disk; what is left is then in `jobs`.
    mutating func planAndStrip() {
        probe = PictureProbe(source, facts.mediaType)
        var stripped: [MetadataPolicy: Result<Rendition, ImageError>] = [:]
        for (index, set) in sets.enumerated() {
            do throws(ImageError) {
                let plan = try LaneChooser.plan(for: facts, probe: probe, bytes: source.size, constraints: set)
                plans[index] = plan
                for step in plan.steps where results[index] == nil {
                    try take(step, set: index, &stripped)
                }
            } catch {
                results[index] = .failure(error)
            }
        }
    }

    private mutating func take(
        _ step: LanePlan.Step,
        set index: Int,
        _ stripped: inout [MetadataPolicy: Result<Rendition, ImageError>]
    ) throws(ImageError) {
        let set = sets[index]
        switch step {
        case .untouched:
            results[index] = .success(
                Rendition(
                    file: source,
                    mediaType: facts.mediaType,
                    width: facts.uprightWidth,
                    height: facts.uprightHeight,
                    lane: .untouched
                )
            )
        case .stripped:
            let made = stripped[set.metadata] ?? strip(set.metadata)
            stripped[set.metadata] = made
            let rendition = try made.get()
            let isLast = plans[index]?.steps.count == 1
            if let limit = set.maxBytes, rendition.file.size > limit {
                guard isLast else { return }
                throw .noRendition("\(rendition.file.size) bytes where the service takes \(limit)")
            }
            results[index] = made
        case .pixels(var job):
            if job.maxBytes > 0, let added = retention(set.metadata)?.insertedCount {
                job.maxBytes = max(1, job.maxBytes - added)
            }
            if let place = jobs.firstIndex(of: job) {
                wanted[place].append(index)
            } else {
                jobs.append(job)
                wanted.append([index])
            }
        }
    }

    /// Turns a helper's files into renditions; files that several sets share are stored once.
    mutating func take(_ replies: [HelperProcess.Reply]) {
        var stored: [StoredKey: Result<Rendition, ImageError>] = [:]
        for (job, reply) in replies.enumerated() where job < wanted.count {
            for index in wanted[job] {
                results[index] = rendition(of: job, reply, replies, set: index, &stored)
            }
        }
    }

    private struct StoredKey: Hashable {
        var job: Int
        var metadata: MetadataPolicy
    }

    private mutating func rendition(
        of job: Int,
        _ reply: HelperProcess.Reply,
        _ replies: [HelperProcess.Reply],
        set index: Int,
        _ stored: inout [StoredKey: Result<Rendition, ImageError>]
    ) -> Result<Rendition, ImageError> {
        switch reply {
        case .refused(let error): return .failure(error)
        case .same(let other) where other != job && replies.indices.contains(other):
            return rendition(of: other, replies[other], replies, set: index, &stored)
        case .same: return .failure(.processingFailed("the decoding process gave no sensible answer"))
        case .made(let bytes, let isTurned, let notes):
            let key = StoredKey(job: job, metadata: sets[index].metadata)
            let lane: Lane = isTurned ? .rotated : jobs[job].output == facts.mediaType ? .resized : .converted
            let made = stored[key] ?? store(bytes, retention(key.metadata), lane)
            stored[key] = made
            return made.flatMap { rendition in
                if let limit = sets[index].maxBytes, rendition.file.size > limit {
                    return .failure(.noRendition("\(rendition.file.size) bytes where the service takes \(limit)"))
                }
                var rendition = rendition
                rendition.warnings = (plans[index]?.warnings ?? []) + profileWarnings(notes) + losses(notes)
                return .success(rendition)
            }
        }
    }

    /// What became of a colour profile that could not stay.
    private func profileWarnings(_ notes: PixelNotes = []) -> [Warning] {
        if probe.profile == .unfit || notes.contains(.profileUnfit) {
            let message = "The picture's colour profile is for other colours than the picture's; sRGB is assumed."
            return [Warning(code: "profile_removed", message: message)]
        }
        guard notes.contains(.profileBroken) else { return [] }
        let message = "The picture's colour profile cannot be read; sRGB is assumed."
        return [Warning(code: "profile_broken", message: message)]
    }

    /// What else of the picture could not stay.
    private func losses(_ notes: PixelNotes) -> [Warning] {
        var warnings: [Warning] = []
        if notes.contains(.animationLost) {
            let message = "The \(facts.frames) frames are too large to be made smaller; only the first is sent."
            warnings.append(Warning(code: "animation_lost", message: message))
        }
        if notes.contains(.lightFlattened) {
            let message =
                "The picture's light goes beyond white (PQ or HLG); made for ordinary screens it may look pale."
            warnings.append(Warning(code: "light_flattened", message: message))
        }
        return warnings
    }

    private mutating func strip(_ policy: MetadataPolicy) -> Result<Rendition, ImageError> {
        guard let whole = sourceBytes() else {
            return .failure(.unavailable("the spool cannot be read"))
        }
        let made: Result<Rendition, ImageError>
        do throws(ImageError) {
            let pieces = try MetadataWriter.pieces(whole, source: retention(policy))
            if let file = part(pieces) {
                made = .success(
                    Rendition(
                        file: file,
                        mediaType: facts.mediaType,
                        width: facts.uprightWidth,
                        height: facts.uprightHeight,
                        lane: .stripped
                    )
                )
            } else {
                made = store(MetadataWriter.bytes(pieces, of: whole), nil, .stripped)
            }
        } catch {
            made = .failure(error)
        }
        return made.map { rendition in
            var rendition = rendition
            rendition.warnings = profileWarnings()
            return rendition
        }
    }

    /// A file of a new head and the rest of the source, where the pieces are just that: nothing is copied then.
    private func part(_ pieces: [PicturePiece]) -> SpooledFile? {
        guard !source.isPart, pieces.count == 2, case .bytes(let head) = pieces[0], case .range(let range) = pieces[1],
            head.count <= Self.longestHead
        else { return nil }
        return SpooledFile(head: head, range: range, of: source)
    }

    /// What a rendition may hold in memory for as long as it lives.
    private static let longestHead = 65_536

    /// What the policy lets stay and encoders and strippers leave out.
    private mutating func retention(_ policy: MetadataPolicy) -> RetainedMetadata? {
        if let known = retained[policy] { return known }
        let found = policy == .strip ? nil : sourceBytes().flatMap { RetainedMetadata(of: $0, policy: policy) }
        retained.updateValue(found, forKey: policy)
        return found
    }

    /// The source, of which only the pages that are looked at come into memory.
    private func sourceBytes() -> PictureBytes? {
        source.isPart
            ? source.readAll().map { PictureBytes($0) } : PictureBytes(mapping: source.descriptor, size: source.size)
    }

    /// Writes a rendition with the metadata that may stay; its type and size are read from its own bytes.
    private func store(_ source: [UInt8], _ retained: RetainedMetadata?, _ lane: Lane) -> Result<Rendition, ImageError>
    {
        var limits = ImageLimits()
        // The source was held to the operator's limits; this is our own work.
        limits.maxPixels = 1 << 40
        limits.maxTotalPixels = 1 << 40
        limits.maxFrames = 1 << 20
        do throws(ImageError) {
            // What a helper made has no metadata of its own, and what was stripped has it no more.
            let bytes = retained == nil ? source : try MetadataWriter.rewrite(source, source: retained)
            let made = try ImageReader.read(bytes, limits: limits)
            guard let writer = spool.create() else { throw .unavailable("the spool refuses a new file") }
            // SAFETY: the writer copies the bytes before it returns.
            let isWritten = unsafe bytes.withUnsafeBytes { unsafe writer.append($0) }
            guard isWritten, let file = writer.finish() else {
                writer.discard()
                throw .unavailable("the spool is full")
            }
            return .success(
                Rendition(
                    file: file,
                    mediaType: made.mediaType,
                    width: made.uprightWidth,
                    height: made.uprightHeight,
                    lane: lane
                )
            )
        } catch {
            return .failure(error)
        }
    }
}
