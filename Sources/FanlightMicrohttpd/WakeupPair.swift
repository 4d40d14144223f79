// SPDX-License-Identifier: Apache-2.0

// Which of the two declares the sockets depends on the order in which the compiler reads them.
import CMicrohttpd
import Glibc

/// Ends the pause of a thread that polls; without descriptors the pause is just not cut short.
final class WakeupPair: Sendable {
    private let reader: Int32
    private let writer: Int32

    /// Makes the two ends (C: socketpair).
    init() {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        // SAFETY: the array has room for the two descriptors.
        _ = unsafe ends.withUnsafeMutableBufferPointer { unsafe socketpair(AF_UNIX, kind, 0, $0.baseAddress) }
        (reader, writer) = (ends[0], ends[1])
    }

    deinit {
        close(reader)
        close(writer)
    }

    /// Ends the pause, or the next one.
    func wake() {
        var one: UInt8 = 1
        // SAFETY: one byte; a full pair wakes the reader as well.
        _ = unsafe write(writer, &one, 1)
    }

    /// Pauses until a wake, or until another descriptor has something to read, or for a number of milliseconds; -1 = no end.
    func pause(_ milliseconds: Int32, for other: Int32 = -1) {
        var descriptors = [
            pollfd(fd: reader, events: Int16(POLLIN), revents: 0), pollfd(fd: other, events: Int16(POLLIN), revents: 0),
        ]
        // SAFETY: both structures live through the call; a negative descriptor is passed over.
        guard unsafe poll(&descriptors, 2, milliseconds) > 0, descriptors[0].revents != 0 else { return }
        var bytes: (UInt64, UInt64) = (0, 0)
        _ = unsafe read(reader, &bytes, MemoryLayout.size(ofValue: bytes))
    }
}
