// SPDX-License-Identifier: Apache-2.0

/// Makes renditions.
public protocol ImageProcessor: Sendable {
    /// Prepares a picture for one set of constraints, in a helper process where pixels must be touched.
    ///
    /// - Parameter source: the upload's bytes; `facts` were read from them.
    func prepare(
        _ source: SpooledFile,
        facts: ImageFacts,
        constraints: RenditionConstraints
    ) async throws(ImageError) -> Rendition
}

/// Makes spool files.
public protocol Spool: Sendable {
    /// Opens a new empty file for writing; `nil` when the disk refuses.
    func create() -> (any SpoolWriter)?
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
