// SPDX-License-Identifier: Apache-2.0

/// Makes spool files, and keeps those that the journal owns.
public protocol Spool: Sendable {
    /// Opens a new empty file for writing; `nil` when the disk refuses.
    func create() -> (any SpoolWriter)?

    /// Opens a file that the journal owns, perhaps since an earlier run.
    ///
    /// - Parameters:
    ///   - name: ``SpooledFile/name`` of then.
    ///   - size: bytes that it must have.
    /// - Returns: `nil` when it is gone or has another size.
    /// - Throws: Where it may be there, and this process may open no further file at present.
    func reopen(_ name: String, size: Int) throws(DescriptorShortage) -> SpooledFile?

    /// Removes a file that the journal owned; one that is still in use goes with its last user.
    func remove(_ name: String)

    /// Removes every file but those; once, at the start, before the first ``create()``.
    func sweep(keeping names: Set<String>)

    /// Waits until the names of all files are on the disk; blocks. False when it fails.
    func synchronize() -> Bool
}

/// This process, or the system, may open no further file until another is closed (C: EMFILE, ENFILE).
public struct DescriptorShortage: Error {
    /// Creates it.
    public init() {}
}

/// Who is told that the last user of a file has let go of it.
public protocol SpoolOwner: AnyObject, Sendable {
    /// The journal owns the file from now on.
    func keep(_ name: String)
    /// Nobody uses the file any more; the descriptor is the owner's to close.
    func release(_ name: String, descriptor: Int32, size: Int)
}

/// A spool file while it is written; single owner.
public protocol SpoolWriter: AnyObject, Sendable {
    /// Path of the file.
    var path: String { get }
    /// Bytes written so far.
    var count: Int { get }
    /// Appends bytes; false when the disk is full or fails.
    func append(_ bytes: UnsafeRawBufferPointer) -> Bool
    /// The bytes are to be hashed on their way, which is cheaper than to read them again; before the first one.
    func beginHash()
    /// Closes for writing and hands the file over; `nil` when the disk fails.
    func finish() -> SpooledFile?
    /// Removes the file.
    func discard()
}

extension SpoolWriter {
    /// Leaves ``SpooledFile/sha256`` empty.
    public func beginHash() {}
}
