// SPDX-License-Identifier: Apache-2.0

// Which of the two declares the sockets depends on the order in which the compiler reads them.
import CMicrohttpd
import Glibc

/// Makes the listening socket; the library is given a finished one so that a failure has its errno.
enum ListenSocket {
    /// Connections that wait to be accepted; one that finds no room tries again after a second.
    private static let backlog: Int32 = 4_096

    /// Opens a socket that listens (C: getaddrinfo, socket, bind, listen).
    ///
    /// - Returns: The descriptor, which the caller owns, and the actual port.
    static func open(address: String, port: UInt16) throws(ServerError) -> (descriptor: Int32, port: UInt16) {
        var hints = unsafe addrinfo()
        unsafe hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let host: String? = address.isEmpty || address == "*" ? nil : address
        // SAFETY: the list is ours until freeaddrinfo below.
        guard unsafe getaddrinfo(host, String(port), &hints, &list) == 0, let first = unsafe list else {
            throw .badAddress(address)
        }
        defer { unsafe freeaddrinfo(first) }
        let info = unsafe first.pointee
        let kind = unsafe info.ai_socktype | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = unsafe socket(info.ai_family, kind, info.ai_protocol)
        guard descriptor >= 0 else { throw .cannotListen(address: address, port: port, errno: errno) }
        var on: Int32 = 1
        // SAFETY: the option and the address outlive the calls that read them.
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        guard unsafe bind(descriptor, info.ai_addr, info.ai_addrlen) == 0, listen(descriptor, backlog) == 0 else {
            let code = errno
            close(descriptor)
            throw .cannotListen(address: address, port: port, errno: code)
        }
        return (descriptor, localPort(of: descriptor) ?? port)
    }

    /// The errno's own words.
    static func words(for code: Int32) -> String {
        guard let text = unsafe strerror(code) else { return "error \(code)" }
        // SAFETY: copied at once; strerror's buffer is the thread's.
        return unsafe String(cString: text)
    }

    /// Takes over a socket that somebody else opened, made non-blocking as the library wants it.
    ///
    /// - Returns: Its address in digits and its port; `nil` when it is no TCP socket that listens.
    static func adopt(_ descriptor: Int32) -> (host: String, port: UInt16)? {
        guard option(SO_ACCEPTCONN, at: SOL_SOCKET, of: descriptor) == 1,
            let family = option(SO_DOMAIN, at: SOL_SOCKET, of: descriptor), family == AF_INET || family == AF_INET6,
            let host = localHost(of: descriptor), let port = localPort(of: descriptor)
        else { return nil }
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0 else { return nil }
        return (host, port)
    }

    /// True for a socket of IPv6 that takes no connections of IPv4.
    static func isIPv6Only(_ descriptor: Int32) -> Bool {
        option(IPV6_V6ONLY, at: Int32(IPPROTO_IPV6), of: descriptor) == 1
    }

    /// A number that the system tells of a socket; `nil` when it is none.
    private static func option(_ name: Int32, at level: Int32, of descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        // SAFETY: the variable and its size live through the call.
        return unsafe getsockopt(descriptor, level, name, &value, &size) == 0 ? value : nil
    }

    /// The address of a socket of IPv4 or IPv6 in digits (C: getnameinfo).
    private static func localHost(of descriptor: Int32) -> String? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        // SAFETY: both structures live through the calls, which get their sizes.
        let isKnown = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                guard unsafe getsockname(descriptor, generic, &size) == 0 else { return false }
                return unsafe getnameinfo(generic, size, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST) == 0
            }
        }
        guard isKnown else { return nil }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func localPort(of descriptor: Int32) -> UInt16? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        // SAFETY: the port lies at the same place in the IPv4 and IPv6 structures: two bytes after the family.
        return unsafe withUnsafeMutableBytes(of: &storage) { bytes in
            guard let base = bytes.baseAddress,
                unsafe getsockname(descriptor, base.assumingMemoryBound(to: sockaddr.self), &size) == 0
            else { return nil }
            return unsafe UInt16(bigEndian: bytes.load(fromByteOffset: 2, as: UInt16.self))
        }
    }
}
