// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A file in the spool that goes when its last user lets go of it, unless the journal keeps it.
///
/// Reads use `pread`, so that any number of deliveries can stream from one descriptor at the same time.
public final class SpooledFile: Sendable {
    /// Absolute path; helper processes open it by this name.
    public let path: String
    /// Descriptor, open for reading; owned by this object.
    public let descriptor: Int32
    /// Size in bytes; the file does not change any more.
    public let size: Int
    private let owner: (any SpoolOwner)?

    /// Takes ownership of an open descriptor and of the name.
    ///
    /// - Parameter owner: gets both back in the end; `nil` = they are closed and removed.
    public init(path: String, descriptor: Int32, size: Int, owner: (any SpoolOwner)? = nil) {
        self.path = path
        self.descriptor = descriptor
        self.size = size
        self.owner = owner
    }

    deinit {
        if let owner { return owner.release(name, descriptor: descriptor, size: size) }
        _ = Glibc.close(descriptor)
        // SAFETY: the string lives through the call.
        _ = unsafe unlink(path)
    }

    /// Name in the spool's folder, by which the journal knows it.
    public var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    /// From now on the journal removes the file: the name outlives this object.
    public func keep() { owner?.keep(name) }

    /// Waits until the bytes are on the disk; blocks (C: fdatasync).
    ///
    /// - Returns: False when the disk fails.
    public func synchronize() -> Bool { fdatasync(descriptor) == 0 }

    /// Reads at most `buffer.count` bytes from `offset` (C: pread).
    ///
    /// - Returns: Bytes read; 0 at the end; -1 when the disk fails.
    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        // SAFETY: the buffer is the caller's and outlives this call; its count bounds the read.
        unsafe pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
    }

    /// Reads the whole file into memory; `nil` when the disk fails.
    public func readAll() -> [UInt8]? {
        var failed = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size {
                let part = unsafe UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[count...]
                )
                let got = unsafe read(into: part, at: count)
                if got <= 0 { failed = true; break }
                count += got
            }
        }
        return failed ? nil : bytes
    }
}
