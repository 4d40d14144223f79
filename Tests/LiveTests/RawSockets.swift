// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization

/// A TCP connection that sends bytes exactly as given.
enum RawClient {
    /// Sends the pieces and returns everything up to the end of the answer, or what came within the time.
    static func exchange(port: UInt16, _ pieces: [[UInt8]], pause: UInt32 = 0, seconds: Int = 20) -> [UInt8] {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        _ = unsafe setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = loopback(port)
        let isConnected = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { return [] }
        for piece in pieces {
            _ = unsafe send(socket, piece, piece.count, Int32(MSG_NOSIGNAL))
            if pause > 0 { usleep(pause) }
        }
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while !isComplete(answer) {
            let got = unsafe recv(socket, &buffer, buffer.count, 0)
            if got <= 0 { break }
            answer += buffer[..<got]
        }
        return answer
    }

    /// Status of the first answer that is not 100; 0 when there is none.
    static func status(_ answer: [UInt8]) -> Int {
        let text = String(decoding: answer, as: UTF8.self)
        return text.components(separatedBy: "HTTP/1.").dropFirst().compactMap { part in
            Int(part.dropFirst(2).prefix(3))
        }.first { $0 != 100 } ?? 0
    }

    static func body(_ answer: [UInt8]) -> [UInt8] {
        let text = String(decoding: answer, as: UTF8.self)
        guard let range = text.range(of: "\r\n\r\n") else { return [] }
        return Array(text[range.upperBound...].utf8)
    }

    static func isComplete(_ answer: [UInt8]) -> Bool {
        let text = String(decoding: answer, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n"),
            let length = text[..<end.lowerBound].lowercased().range(of: "content-length: "),
            let count = Int(text[length.upperBound...].prefix { $0.isNumber })
        else { return false }
        return text[end.upperBound...].utf8.count >= count
    }

    /// Whether nobody listens on a port.
    static func canBind(_ port: UInt16) -> Bool {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = loopback(port)
        return unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}

/// A TCP connection that stays open for more requests.
final class KeptConnection: Sendable {
    private let socket: Int32

    /// Connects to a loopback port; `nil` when nobody listens.
    init?(port: UInt16) {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        _ = unsafe setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = RawClient.loopback(port)
        let socket = socket
        let isConnected = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        if !isConnected { return nil }
    }

    deinit { close(socket) }

    /// Sends a request and gives its whole answer, or what came within the time.
    func ask(_ request: String) -> String { ask(Array(request.utf8)) }

    /// Sends a part of a request.
    func write(_ bytes: [UInt8]) { _ = unsafe send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

    /// Sends the rest of a request and gives its whole answer.
    func ask(_ bytes: [UInt8]) -> String {
        write(bytes)
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while !RawClient.isComplete(answer) {
            let got = unsafe recv(socket, &buffer, buffer.count, 0)
            if got <= 0 { break }
            answer += buffer[..<got]
        }
        return String(decoding: answer, as: UTF8.self)
    }
}

/// A service host that answers every request with the same bytes, whatever they are.
final class RawUpstream: Sendable {
    let port: UInt16
    private let socket: Int32
    private let count = Mutex(0)

    /// Requests that were answered.
    var requests: Int { count.withLock { $0 } }

    init(answer: [UInt8]) {
        let listener = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        socket = listener
        var address = RawClient.loopback(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        unsafe withUnsafeMutablePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                _ = unsafe bind(listener, pointer, size)
                _ = listen(listener, 64)
                _ = unsafe getsockname(listener, pointer, &size)
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(listener, nil, nil)
                if connection < 0 { return }
                Self.readRequest(connection)
                self?.count.withLock { $0 += 1 }
                _ = unsafe send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
                shutdown(connection, Int32(SHUT_RDWR))
                close(connection)
            }
        }
    }

    deinit {
        shutdown(socket, Int32(SHUT_RDWR))
        close(socket)
    }

    private static func readRequest(_ connection: Int32) {
        var request: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let got = unsafe recv(connection, &buffer, buffer.count, 0)
            if got <= 0 { return }
            request += buffer[..<got]
            guard
                let end = (0..<max(0, request.count - 3)).first(where: {
                    request[$0..<$0 + 4].elementsEqual([13, 10, 13, 10])
                })
            else { continue }
            let head = String(decoding: request[..<end], as: UTF8.self).lowercased()
            guard let length = head.range(of: "content-length: ") else { return }
            let wanted = Int(head[length.upperBound...].prefix { $0.isNumber }) ?? 0
            if request.count - end - 4 >= wanted { return }
        }
    }
}
