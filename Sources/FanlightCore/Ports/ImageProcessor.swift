// SPDX-License-Identifier: Apache-2.0

/// Makes renditions.
public protocol ImageProcessor: Sendable {
    /// Prepares a picture for several sets of constraints, in a helper process where pixels must be touched.
    ///
    /// The picture is decoded once for all sets that need its pixels; sets that turn out to give the same file share it.
    ///
    /// - Parameters:
    ///   - source: The upload's bytes; `facts` were read from them.
    ///   - constraints: Distinct sets.
    /// - Returns: One result a set, in the order of the sets; ``ImageError/noRendition(_:)`` concerns that set alone,
    ///   every other error the picture.
    func prepare(
        _ source: SpooledFile,
        facts: ImageFacts,
        constraints: [RenditionConstraints]
    ) async -> [Result<Rendition, ImageError>]
}

extension ImageProcessor {
    /// Prepares a picture for one set of constraints.
    public func prepare(
        _ source: SpooledFile,
        facts: ImageFacts,
        constraints: RenditionConstraints
    ) async throws(ImageError) -> Rendition {
        let made = await prepare(source, facts: facts, constraints: [constraints])
        guard let result = made.first else { throw .processingFailed("no rendition was made") }
        return try result.get()
    }
}

/// Makes spool files.
public protocol Spool: Sendable {
    /// Opens a new empty file for writing; `nil` when the disk refuses.
    func create() -> (any SpoolWriter)?
    /// Opens a file that the journal kept, perhaps in an earlier run; the object does not own the name.
    ///
    /// - Parameter size: bytes that it must have.
    /// - Returns: `nil` when it is gone or has another size.
    func reopen(_ name: String, size: Int) -> SpooledFile?
}

extension Spool {
    /// A spool that keeps nothing.
    public func reopen(_ name: String, size: Int) -> SpooledFile? { nil }
}

/// A spool file while it is written; single owner.
public protocol SpoolWriter: AnyObject, Sendable {
    /// Path of the file.
    var path: String { get }
    /// Bytes written so far.
    var count: Int { get }
    /// Appends bytes; false when the disk is full or fails.
    func append(_ bytes: UnsafeRawBufferPointer) -> Bool
    /// Closes for writing and hands the file over; `nil` when the disk fails.
    func finish() -> SpooledFile?
    /// Removes the file.
    func discard()
}
