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
    /// Lower-case hexadecimal SHA-256 of the bytes, where the writer computed it on the way.
    public let sha256: String?
    /// A file that this one is a part of.
    private let base: SpooledFile?
    /// Bytes that stand before the part.
    public let head: [UInt8]
    /// Where the part begins in the other file.
    public let start: Int
    private let owner: (any SpoolOwner)?

    /// Takes ownership of an open descriptor and of the name.
    ///
    /// - Parameter owner: gets both back in the end; `nil` = they are closed and removed.
    public init(
        path: String,
        descriptor: Int32,
        size: Int,
        sha256: String? = nil,
        owner: (any SpoolOwner)? = nil
    ) {
        self.path = path
        self.descriptor = descriptor
        self.size = size
        self.sha256 = sha256
        self.owner = owner
        base = nil
        head = []
        start = 0
    }

    /// New bytes followed by a part of another file, of which nothing is copied.
    ///
    /// - Parameters:
    ///   - head: in memory; a few kilobytes.
    ///   - range: inside the other file.
    ///   - base: lives as long as this one, and gives it its path, descriptor and name.
    public init(head: [UInt8], range: Range<Int>, of base: SpooledFile) {
        path = base.path
        descriptor = base.descriptor
        size = head.count + range.count
        sha256 = nil
        owner = nil
        self.base = base
        self.head = head
        start = range.lowerBound
    }

    deinit {
        guard base == nil else { return }
        if let owner { return owner.release(name, descriptor: descriptor, size: size) }
        _ = Glibc.close(descriptor)
        // SAFETY: the string lives through the call.
        _ = unsafe unlink(path)
    }

    /// Name in the spool's folder, by which the journal knows it.
    public var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    /// From now on the journal removes the file: the name outlives this object.
    public func keep() {
        if let base { base.keep() } else { owner?.keep(name) }
    }

    /// True where the bytes are a part of another file, so that its descriptor alone does not give them.
    public var isPart: Bool { base != nil }

    /// The file of which this is a part, else this one.
    public var whole: SpooledFile { base?.whole ?? self }

    /// Size of the file on disk, of which this may be a part.
    public var storedSize: Int { base?.storedSize ?? size }

    /// Waits until the bytes are on the disk; blocks (C: fdatasync).
    ///
    /// - Returns: False when the disk fails.
    public func synchronize() -> Bool { fdatasync(descriptor) == 0 }

    /// Reads at most `buffer.count` bytes from `offset` (C: pread).
    ///
    /// - Returns: Bytes read; 0 at the end; -1 when the disk fails.
    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        if offset < head.count {
            let count = min(buffer.count, head.count - offset)
            // SAFETY: the buffer is the caller's, and the count is no more than it holds.
            unsafe buffer.copyBytes(from: head[offset..<(offset + count)])
            return count
        }
        let count = min(buffer.count, max(0, size - offset))
        // SAFETY: the buffer is the caller's and outlives this call; the count is no more than it holds.
        return unsafe pread(descriptor, buffer.baseAddress, count, off_t(start + offset - head.count))
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
