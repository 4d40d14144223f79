// SPDX-License-Identifier: Apache-2.0

import CImaging
import FanlightCore
import FanlightMetadata

/// The jobs of one picture, under way: decodes once, prepares once a distinct job, encodes once a file.
@safe final class PixelBatch {
    /// Jobs that differ in their byte limit alone.
    private struct Group {
        var job: PixelJob
        /// Largest limit first: a file that is small enough for the next one serves it, too.
        var members: [Int]
    }

    private let bytes: [UInt8]
    // SAFETY: the bytes above, lent by the caller for the whole life of this object.
    private let raw: UnsafeRawBufferPointer
    private let source: PixelSource
    private let jobs: [PixelJob]
    /// How often the picture's pixels were decoded.
    private(set) var decodes = 0

    private var turned: [PixelJob.Turning: Result<[UInt8], CodecError>] = [:]
    private var planes: Result<JPEGPlanes?, CodecError>?
    private var held: [Int: Picture] = [:]
    private lazy var profile: [UInt8]? = (try? JPEGHeader.inspect(bytes))?.iccProfile

    init(bytes: [UInt8], raw: UnsafeRawBufferPointer, source: PixelSource, jobs: [PixelJob]) {
        self.bytes = bytes
        unsafe self.raw = raw
        self.source = source
        self.jobs = jobs
    }

    func run(_ answer: (Int, PixelPipeline.Outcome) -> Void) {
        var groups: [Group] = []
        for index in turnedFirst(answer) {
            var job = jobs[index]
            job.maxBytes = 0
            if let place = groups.firstIndex(where: { $0.job == job }) {
                groups[place].members.append(index)
            } else {
                groups.append(Group(job: job, members: [index]))
            }
        }
        let sharesPixels = groups.count > 1
        for var group in groups {
            group.members.sort { limit($0) > limit($1) }
            run(group, sharesPixels, answer)
        }
    }

    private func limit(_ index: Int) -> Int { jobs[index].maxBytes == 0 ? .max : jobs[index].maxBytes }

    /// Answers what turned coefficients satisfy; returns the jobs that are left.
    private func turnedFirst(_ answer: (Int, PixelPipeline.Outcome) -> Void) -> [Int] {
        var made: [PixelJob.Turning: Int] = [:]
        return jobs.indices.filter { index in
            let turning = jobs[index].turning
            guard turning != .never, source.mediaType == .jpeg else { return true }
            let result = turned[turning] ?? turn(turning)
            turned[turning] = result
            guard case .success(let file) = result, file.count <= limit(index) else { return true }
            if let first = made[turning] {
                answer(index, .same(as: first))
            } else {
                made[turning] = index
                answer(index, .made(file, isTurned: true, []))
            }
            return false
        }
    }

    private func turn(_ turning: PixelJob.Turning) -> Result<[UInt8], CodecError> {
        do throws(CodecError) {
            return .success(
                try LosslessRotation.upright(bytes, orientation: source.orientation, trims: turning == .trimmed)
            )
        } catch {
            return .failure(error)
        }
    }

    private func run(_ group: Group, _ sharesPixels: Bool, _ answer: (Int, PixelPipeline.Outcome) -> Void) {
        let prepared: PreparedPicture
        do throws(CodecError) {
            prepared = try prepare(group, sharesPixels)
        } catch {
            for index in group.members { answer(index, .failed(error)) }
            return
        }
        var last: (index: Int, count: Int)?
        for index in group.members {
            if let last, last.count <= limit(index) {
                answer(index, .same(as: last.index))
                continue
            }
            do throws(CodecError) {
                let file = try search(jobs[index], prepared)
                last = (index, file.count)
                answer(index, .made(file, isTurned: false, prepared.notes))
            } catch {
                answer(index, .failed(error))
            }
        }
    }

    /// Encodes once, or as often as a byte limit needs.
    private func search(_ job: PixelJob, _ prepared: PreparedPicture) throws(CodecError) -> [UInt8] {
        guard job.maxBytes > 0 else { return try prepared.encoded(.init(quality: job.quality, scale: 1)) }
        let lever: SizeSearch.Lever =
            switch job.output {
            case .jpeg, .webp: .quality
            case .png: .palette
            default: .none
            }
        var search = SizeSearch(
            limit: job.maxBytes,
            quality: job.quality,
            lever: lever,
            longEdge: max(prepared.size.width, prepared.size.height)
        )
        var kept: [UInt8] = []
        while search.outcome == nil {
            let encoded = try prepared.encoded(search.attempt)
            if encoded.count <= job.maxBytes { kept = encoded }
            search.record(size: encoded.count)
        }
        guard case .use = search.outcome else {
            throw .tooLarge("no encoding of the picture is within \(job.maxBytes) bytes")
        }
        return kept
    }

    private func prepare(_ group: Group, _ sharesPixels: Bool) throws(CodecError) -> PreparedPicture {
        let needsSearch = group.members.contains { jobs[$0].maxBytes > 0 }
        if let planes = try decodedPlanes() {
            if let prepared = try prepare(group.job, planes, needsSearch: needsSearch) { return prepared }
        }
        var job = group.job
        var notes = CodedColours.goBeyondWhite(of: bytes, type: source.mediaType) ? PixelNotes.lightFlattened : []
        let picture: Picture
        do throws(CodecError) {
            picture = try decodedPicture(frames: job.frames, sharesPixels)
        } catch {
            // Its frames together may be too large where the first one is not.
            guard source.mediaType == .png, job.frames > 1, case .failed = error else { throw error }
            job.frames = 1
            notes.insert(.animationLost)
            picture = try decodedPicture(frames: 1, sharesPixels)
        }
        let turning = SourceLoader.turnsByItself(source.mediaType) ? .upright : source.orientation
        let order = fl_order(job: job, orientation: turning, keep: needsSearch)
        return try PreparedPicture(picture, order, job, notes: notes)
    }

    /// By way of the JPEG's own planes: small before it becomes RGB, if it has to become RGB at all.
    private func prepare(_ job: PixelJob, _ planes: JPEGPlanes, needsSearch: Bool) throws(CodecError)
        -> PreparedPicture?
    {
        let bounds =
            job.maxWidth > 0 && job.maxHeight > 0 ? (job.maxWidth, job.maxHeight) : (Int(Int32.max), Int(Int32.max))
        // The box as the stored picture sees it.
        let box = source.orientation.swapsSides ? (bounds.1, bounds.0) : bounds
        let full = source.width > 0 ? (source.width, source.height) : (planes.width, planes.height)
        let size = planes.size(within: box, of: full)
        let isSame = size == (planes.width, planes.height)
        guard
            let fitted = try? planes.fitted(
                width: size.width,
                height: size.height,
                orientation: source.orientation,
                keepsSampling: job.keepsSampling && isSame || job.output != .jpeg
            )
        else { return nil }
        let space = ProfileSpace(profile)
        let needsConversion = (job.srgb || job.output == .gif) && space == .rgb
        if job.output == .jpeg, !needsConversion {
            let fits = space == nil || space == (fitted.isGrey ? .grey : .rgb) || space == .srgb && !fitted.isGrey
            // Plain sRGB is what no profile means.
            let kept = fits && !(job.srgb && space == .srgb) ? profile : nil
            return PreparedPicture(fitted, profile: kept, notes: fits ? [] : .profileUnfit)
        }
        let picture = try Picture.of(
            pixels: try fitted.pixels(),
            width: fitted.width,
            height: fitted.height,
            bands: fitted.isGrey ? 1 : 3,
            profile: profile
        )
        var order = fl_order(job: job, keep: needsSearch)
        (order.box_width, order.box_height) = (0, 0)
        return try PreparedPicture(picture, order, job)
    }

    private func decodedPlanes() throws(CodecError) -> JPEGPlanes? {
        guard source.mediaType == .jpeg else { return nil }
        if let planes { return try planes.get() }
        let bounds = largestBox() ?? (Int(Int32.max), Int(Int32.max))
        let box = source.orientation.swapsSides ? (bounds.height, bounds.width) : (bounds.width, bounds.height)
        do throws(CodecError) {
            let made = try JPEGPlanes(bytes, box: box)
            if made != nil { decodes += 1 }
            planes = .success(made)
            return made
        } catch {
            planes = .failure(error)
            throw error
        }
    }

    private func decodedPicture(frames: Int, _ sharesPixels: Bool) throws(CodecError) -> Picture {
        let frames = min(max(1, frames), source.frames)
        if let picture = held[frames] { return picture }
        decodes += 1
        if source.mediaType == .png, frames > 1 {
            let picture = try coloured(try APNG(bytes).picture(frames: frames))
            held[frames] = picture
            return picture
        }
        let opened = try coloured(
            unsafe try SourceLoader.open(raw, bytes, source, frames: frames, box: largestBox())
        )
        guard sharesPixels, opened.byteCount <= PixelPipeline.heldBytes else { return opened }
        let picture = try opened.inMemory()
        held[frames] = picture
        return picture
    }

    /// Gives pixels whose colours the file tells by numbers alone a profile that says the same.
    private func coloured(_ picture: Picture) throws(CodecError) -> Picture {
        guard let colours = CodedColours(of: bytes, type: source.mediaType) else { return picture }
        // In a PNG the numbers count before a profile, in HEIF after it.
        if source.mediaType != .png, picture.profile != nil { return picture }
        return try picture.tagged(colours.profile)
    }

    /// The bounds that hold those of all jobs; `nil` where one has none.
    private func largestBox() -> (width: Int, height: Int)? {
        var box = (width: 0, height: 0)
        for job in jobs {
            guard job.maxWidth > 0, job.maxHeight > 0 else { return nil }
            box = (max(box.width, job.maxWidth), max(box.height, job.maxHeight))
        }
        return box.width > 0 ? box : nil
    }
}
