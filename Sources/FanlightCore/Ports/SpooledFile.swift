// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A file in the spool that is removed when its last user lets go of it.
///
/// Reads use `pread`, so that any number of deliveries can stream from one descriptor at the same time.
public final class SpooledFile: Sendable {
    /// Absolute path; helper processes open it by this name.
    public let path: String
    /// Descriptor, open for reading; owned by this object.
    public let descriptor: Int32
    /// Size in bytes; the file does not change any more.
    public let size: Int

    /// Takes ownership of an open descriptor and of the name.
    public init(path: String, descriptor: Int32, size: Int) {
        self.path = path
        self.descriptor = descriptor
        self.size = size
    }

    deinit {
        _ = Glibc.close(descriptor)
        // SAFETY: the string lives through the call.
        _ = unsafe unlink(path)
    }

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
