// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightCore
import Glibc
import Synchronization

/// A spool file while it is written, from its first byte on; it may hold an older, longer picture until then.
///
/// Bytes of a longer picture are gathered into whole blocks at whole offsets: the system then keeps the file in large
/// pieces of memory, and writing, flushing and reading it cost a fifth of what they cost in single pages.
final class DiskSpoolWriter: SpoolWriter {
    /// Bytes of a block; a picture shorter than that is written as it comes.
    fileprivate static let blockSize = 65_536

    let path: String
    private let name: String
    private let spool: DiskSpool
    private let oldSize: Int
    private let state: Mutex<State>

    fileprivate struct State: @unchecked Sendable {
        var descriptor: Int32
        /// Bytes that came, of which the last may still stand in the block.
        var count = 0
        /// Bytes that are in the file.
        var written = 0
        /// What came behind the last whole block.
        var block: [UInt8] = []
        // SAFETY: the writer owns the hash alone and uses it only inside `withLock`.
        var hash: ContentHash.Running?
    }

    var count: Int { state.withLock { $0.count } }

    init(_ name: String, path: String, descriptor: Int32, oldSize: Int, spool: DiskSpool) {
        self.name = name
        self.path = path
        self.oldSize = oldSize
        self.spool = spool
        state = Mutex(State(descriptor: descriptor))
    }

    deinit { discard() }

    func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        // SAFETY: the caller's buffer outlives this synchronous call.
        state.withLock { state in
            unsafe state.hash?.add(bytes)
            state.count += bytes.count
            guard state.count > Self.blockSize else { return unsafe state.write(bytes) }
            return unsafe state.gather(bytes)
        }
    }

    func beginHash() { state.withLock { $0.hash = ContentHash.Running() } }

    func finish() -> SpooledFile? {
        state.withLock { state in
            guard state.descriptor >= 0, state.writeBlock() else { return nil }
            // What is left of the older picture goes.
            guard oldSize <= state.count || ftruncate(state.descriptor, off_t(state.count)) == 0 else { return nil }
            let file = spool.finished(
                path: path,
                descriptor: state.descriptor,
                size: state.count,
                sha256: state.hash?.finish()
            )
            state.descriptor = -1
            state.block = []
            return file
        }
    }

    func discard() {
        state.withLock { state in
            guard state.descriptor >= 0 else { return }
            spool.discard(name, descriptor: state.descriptor, size: max(oldSize, state.written))
            state.descriptor = -1
        }
    }
}

extension DiskSpoolWriter.State {
    /// Writes whole blocks, and keeps what stands behind the last one.
    fileprivate mutating func gather(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = unsafe bytes
        while unsafe !rest.isEmpty {
            let missing = DiskSpoolWriter.blockSize - (written + block.count) % DiskSpoolWriter.blockSize
            let count = min(missing, rest.count)
            // SAFETY: the count is no more than what is left of the caller's buffer.
            let part = unsafe UnsafeRawBufferPointer(rebasing: rest[..<count])
            unsafe rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            if block.isEmpty, count == missing {
                guard unsafe write(part) else { return false }
                continue
            }
            if block.capacity == 0 { block.reserveCapacity(DiskSpoolWriter.blockSize) }
            unsafe block.append(contentsOf: part)
            if count == missing, !writeBlock() { return false }
        }
        return true
    }

    /// Writes what was gathered.
    fileprivate mutating func writeBlock() -> Bool {
        guard !block.isEmpty else { return true }
        var gathered: [UInt8] = []
        swap(&gathered, &block)
        // SAFETY: the array lives through the call.
        let isWritten = unsafe gathered.withUnsafeBytes { unsafe write($0) }
        gathered.removeAll(keepingCapacity: true)
        swap(&gathered, &block)
        return isWritten
    }

    /// Writes behind what is in the file (C: pwrite); false when the disk is full or fails.
    fileprivate mutating func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var done = 0
        while done < bytes.count {
            // SAFETY: the count is no more than what is left of the caller's buffer.
            let start = unsafe bytes.baseAddress?.advanced(by: done)
            let count = unsafe pwrite(descriptor, start, bytes.count - done, off_t(written + done))
            if count < 0 && errno == EINTR { continue }
            if count <= 0 { return false }
            done += count
        }
        written += done
        return true
    }
}
