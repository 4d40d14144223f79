// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A client that writes exactly the bytes it is told to.
///
/// Reading never blocks a thread: the service under test computes its answers on the same few threads.
final class RawClient: Sendable {
    private let descriptor: Int32
    private let patience: Duration

    /// Connects to the loopback interface, from an address of it; `nil` when refused.
    init?(port: UInt16, from source: UInt32? = nil, patience: Duration = .seconds(8)) {
        self.patience = patience
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let descriptor = descriptor
        var isBound = true
        if let source {
            // SAFETY: the call keeps nothing of the address.
            isBound = unsafe Self.with(source, port: 0) { unsafe bind(descriptor, $0, $1) } == 0
        }
        // SAFETY: as above.
        let isConnected = unsafe Self.with(0x7f00_0001, port: port) { unsafe connect(descriptor, $0, $1) } == 0
        guard isBound, isConnected else {
            close(descriptor)
            return nil
        }
    }

    deinit { close(descriptor) }

    private static func with(
        _ host: UInt32,
        port: UInt16,
        _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = host.bigEndian
        // SAFETY: the structure is alive during the call and of the size that is told.
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe call($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    @discardableResult func write(_ text: String) -> Bool { write(Array(text.utf8)) }

    @discardableResult func write(_ bytes: [UInt8]) -> Bool {
        // SAFETY: the array is alive during the call.
        unsafe send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    /// Tells the server that nothing more comes.
    func finishWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Reads until the marker was seen `count` times, or the server closes, or patience ends.
    func read(until marker: String, count: Int = 1) async -> String {
        var text = ""
        while text.ranges(of: marker).count < count {
            let part = await readSome()
            if part.isEmpty { break }
            text += part
        }
        return text
    }

    /// Reads until the server closes.
    func readAll() async -> String {
        var text = ""
        while true {
            let part = await readSome()
            if part.isEmpty { return text }
            text += part
        }
    }

    private func readSome() async -> String {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let end = ContinuousClock.now + patience
        while ContinuousClock.now < end {
            // SAFETY: the buffer is alive during the call and bounds it.
            let got = unsafe recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if got > 0 { return String(decoding: buffer[..<got], as: UTF8.self) }
            if got == 0 || errno != EAGAIN { return "" }
            try? await Task.sleep(for: .milliseconds(1))
        }
        return ""
    }
}
