// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The service manager that started the program, systemd or one that speaks its protocol (sd_notify(3), sd_listen_fds(3)).
///
/// A datagram and two variables: not worth a library that a container would have to carry.
enum ServiceManager {
    /// Tells the manager a state, such as `READY=1`; nothing happens when there is none.
    ///
    /// - Returns: True when the manager took it.
    @discardableResult static func tell(_ state: String) -> Bool {
        guard let path = Environment.value("NOTIFY_SOCKET"), let first = path.utf8.first else { return false }
        // A name in the abstract namespace begins with a zero byte, which is written as @.
        let name = first == UInt8(ascii: "@") ? [0] + Array(path.utf8.dropFirst()) : Array(path.utf8)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        // SAFETY: the name is shorter than the field, as checked above.
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { _ = close(descriptor) }
        let bytes = Array(state.utf8)
        let size = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        // SAFETY: both structures live through the call, and their sizes are what is told.
        let sent = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, size)
            }
        }
        return sent == bytes.count
    }

    /// The socket that the manager opened for this process; `nil` when it opened none.
    ///
    /// - Throws: A failure when it opened several: clients of the others would wait for ever.
    static func listeningSocket() throws(CommandFailure) -> Int32? {
        guard Environment.value("LISTEN_PID") == "\(getpid())",
            let count = Environment.value("LISTEN_FDS").flatMap(Int.init), count >= 1
        else { return nil }
        guard count == 1 else {
            throw CommandFailure("the service manager hands over \(count) sockets; leave one ListenStream= in its unit")
        }
        let first: Int32 = 3
        _ = fcntl(first, F_SETFD, FD_CLOEXEC)
        return first
    }
}
