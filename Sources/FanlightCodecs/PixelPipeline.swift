// SPDX-License-Identifier: Apache-2.0

import CImaging
public import FanlightCore

/// Decodes, turns, resizes and encodes pictures, in helper processes only.
public struct PixelPipeline: Sendable {
    /// What became of a job.
    public enum Outcome: Sendable, Equatable {
        /// A file; true where only coefficients were turned.
        case made([UInt8], isTurned: Bool, PixelNotes)
        /// The file of another job, answered before, serves this one, too.
        case same(as: Int)
        /// No file.
        case failed(CodecError)
    }

    /// Bytes of decoded pixels that are held for several jobs; larger pictures are decoded once for each.
    static let heldBytes = 256 << 20

    /// Starts libvips (C: vips_init); `nil` when it refuses.
    public init?() {
        guard fl_init() else { return nil }
    }

    /// Makes all files that are asked of one picture.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - source: What its facts say; sizes may be 0 where unknown.
    ///   - answer: Called once a job, in an order of the pipeline's own; a file is not kept beyond the call.
    /// - Returns: How often the picture's pixels were decoded.
    public func run(
        _ bytes: [UInt8],
        _ source: PixelSource,
        _ jobs: [PixelJob],
        answer: (Int, Outcome) -> Void
    ) -> Int {
        // What has no planes needs the memory, which is bounded, in another form.
        if source.mediaType != .jpeg { PlaneMemory.discard() }
        return unsafe bytes.withUnsafeBytes { raw in
            // SAFETY: the batch and all pictures that read the bytes are gone when this closure returns.
            let batch = unsafe PixelBatch(bytes: bytes, raw: raw, source: source, jobs: jobs)
            batch.run(answer)
            return batch.decodes
        }
    }

    /// Makes one file.
    public func make(_ bytes: [UInt8], _ source: PixelSource, _ job: PixelJob) throws(CodecError) -> [UInt8] {
        var made = Outcome.failed(.failed("no answer"))
        _ = run(bytes, source, [job]) { _, outcome in made = outcome }
        switch made {
        case .made(let file, _, _): return file
        case .failed(let error): throw error
        case .same: throw .failed("no answer")
        }
    }

    /// Decodes to upright 8-bit RGB on white, row by row from the top.
    public func pixels(_ bytes: [UInt8], _ source: PixelSource, srgb: Bool = false) throws(CodecError) -> (
        width: Int, height: Int, rgb: [UInt8]
    ) {
        let job = PixelJob(output: .jpeg, srgb: srgb)
        let result: Result<(width: Int, height: Int, rgb: [UInt8]), CodecError> = unsafe bytes.withUnsafeBytes { raw in
            do throws(CodecError) {
                // SAFETY: the pictures are gone when this closure returns.
                let opened = unsafe try SourceLoader.open(raw, bytes, source, frames: 1, box: nil)
                var notes = PixelNotes()
                let turning = SourceLoader.turnsByItself(source.mediaType) ? .upright : source.orientation
                let flat = try opened.prepared(fl_order(job: job, orientation: turning, keep: true), notes: &notes)
                return .success((flat.size.width, flat.size.height, try flat.rgb()))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
