// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightCore
import Glibc
import Synchronization

/// A spool file while it is written, from its first byte on; it may hold an older, longer picture until then.
final class DiskSpoolWriter: SpoolWriter {
    let path: String
    private let spool: DiskSpool
    private let oldSize: Int
    private let state: Mutex<State>

    private struct State: @unchecked Sendable {
        var descriptor: Int32
        var count = 0
        // SAFETY: the writer owns the hash alone and uses it only inside `withLock`.
        var hash: ContentHash.Running?
    }

    var count: Int { state.withLock { $0.count } }

    init(path: String, descriptor: Int32, oldSize: Int, spool: DiskSpool) {
        self.path = path
        self.oldSize = oldSize
        self.spool = spool
        state = Mutex(State(descriptor: descriptor))
    }

    deinit { discard() }

    func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        // SAFETY: the caller's buffer outlives this synchronous call, and its count bounds what is read of it.
        state.withLock { state in
            var done = 0
            while done < bytes.count {
                let start = unsafe bytes.baseAddress?.advanced(by: done)
                let place = off_t(state.count + done)
                let written = unsafe pwrite(state.descriptor, start, bytes.count - done, place)
                if written < 0 && errno == EINTR { continue }
                if written <= 0 { return false }
                done += written
            }
            state.count += done
            unsafe state.hash?.add(bytes)
            return true
        }
    }

    func beginHash() { state.withLock { $0.hash = ContentHash.Running() } }

    func finish() -> SpooledFile? {
        state.withLock { state in
            guard state.descriptor >= 0 else { return nil }
            // What is left of the older picture goes.
            guard oldSize <= state.count || ftruncate(state.descriptor, off_t(state.count)) == 0 else { return nil }
            let file = spool.finished(
                path: path,
                descriptor: state.descriptor,
                size: state.count,
                sha256: state.hash?.finish()
            )
            state.descriptor = -1
            return file
        }
    }

    func discard() {
        state.withLock { state in
            guard state.descriptor >= 0 else { return }
            _ = close(state.descriptor)
            Folder.remove(path)
            state.descriptor = -1
        }
    }
}
