// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Glibc
import Synchronization

/// A socket server that misbehaves as scripted: each connection runs the script on a thread of its own.
public final class RawServer: Sendable {
    /// One accepted connection.
    public struct Peer: Sendable {
        /// The connection, open while the script runs.
        public let descriptor: Int32

        /// Reads until `marker` was seen, or the end; returns what came.
        public func read(until marker: String) -> String {
            var text = ""
            while !text.contains(marker) {
                let part = readSome()
                if part.isEmpty { break }
                text += part
            }
            return text
        }

        /// Reads once, at most 64 KB; empty at the end.
        public func readSome() -> String {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            // SAFETY: the buffer is alive during the call and bounds it.
            let got = unsafe recv(descriptor, &buffer, buffer.count, 0)
            return got > 0 ? String(decoding: buffer[..<got], as: UTF8.self) : ""
        }

        /// Reads once, at most 64 KB, as bytes; empty at the end.
        public func readBytes() -> [UInt8] {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            // SAFETY: the buffer is alive during the call and bounds it.
            let got = unsafe recv(descriptor, &buffer, buffer.count, 0)
            return Array(buffer.prefix(max(0, got)))
        }

        /// Sends text; a connection that is closed takes none.
        public func write(_ text: String) {
            let bytes = Array(text.utf8)
            // SAFETY: the array is alive during the call.
            _ = unsafe send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }

        /// Sends a text several times, with a pause before each, until the client has closed.
        public func writeSlowly(_ text: String, times: Int, milliseconds: Int) {
            let bytes = Array(text.utf8)
            for _ in 0..<times {
                usleep(UInt32(milliseconds) * 1_000)
                // SAFETY: the array is alive during the call.
                guard unsafe send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { return }
            }
        }

        /// Reads nothing and waits until the client has closed, a minute at most.
        public func waitForHangUp() {
            // POLLRDHUP, which Glibc's module leaves out; the same number on all Linux machines.
            var entry = pollfd(fd: descriptor, events: 0x2000, revents: 0)
            // SAFETY: one entry, alive during the call.
            _ = unsafe poll(&entry, 1, 60_000)
        }

        /// Waits until the client closes, a minute at most.
        public func waitForClose() { while !readSome().isEmpty {} }
    }

    /// Port on the loopback interface, chosen by the system.
    public let port: UInt16
    private let listener: Int32
    private let accepted = Mutex(0)
    private let script: @Sendable (Peer) -> Void

    /// Connections accepted so far.
    public var connections: Int { accepted.withLock { $0 } }
    /// Base of its URLs.
    public var url: String { "http://127.0.0.1:\(port)" }

    /// Waits until so many connections were accepted, five seconds at most.
    public func hasConnections(_ count: Int) async throws -> Bool {
        for _ in 0..<1_000 where connections < count { try await Task.sleep(for: .milliseconds(5)) }
        return connections >= count
    }

    /// Listens until ``stop()``.
    public init(_ script: @escaping @Sendable (Peer) -> Void) {
        self.script = script
        (listener, port) = Self.listen()
        OwnThread { self.acceptAll() }?.detach()
    }

    /// Accepts no more.
    public func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func acceptAll() {
        while true {
            // SAFETY: no address is asked for.
            let descriptor = accept(listener, nil, nil)
            guard descriptor >= 0 else { break }
            accepted.withLock { $0 += 1 }
            var patience = timeval(tv_sec: 60, tv_usec: 0)
            unsafe setsockopt(
                descriptor,
                SOL_SOCKET,
                SO_RCVTIMEO,
                &patience,
                socklen_t(MemoryLayout<timeval>.size)
            )
            let peer = Peer(descriptor: descriptor)
            OwnThread { [script] in
                script(peer)
                close(peer.descriptor)
            }?.detach()
        }
        close(listener)
    }

    /// A listening socket on a free port of the loopback interface.
    public static func listen() -> (descriptor: Int32, port: UInt16) {
        let (descriptor, port) = reserve()
        _ = Glibc.listen(descriptor, 128)
        return (descriptor, port)
    }

    /// A port of the loopback interface on which nobody listens, and which nobody else gets before the socket is closed.
    public static func reserve() -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        // SAFETY: the structure is alive during the calls and of the size that is told.
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                _ = unsafe bind(descriptor, generic, size)
                _ = unsafe getsockname(descriptor, generic, &size)
            }
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }
}
