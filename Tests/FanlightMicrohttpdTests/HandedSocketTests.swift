// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightMicrohttpd
import Glibc
import Testing

/// Sockets that a service manager hands over.
@Suite("Sockets that somebody else opened")
struct HandedSocketTests {
    /// A socket bound to an address of the loopback interface.
    private func socket(
        _ host: String,
        _ kind: __socket_type = SOCK_STREAM,
        listens: Bool = true,
        isIPv6Only: Bool = false
    ) throws -> Int32 {
        var hints = unsafe addrinfo()
        unsafe hints.ai_flags = AI_PASSIVE | AI_NUMERICHOST
        unsafe hints.ai_socktype = Int32(kind.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        // SAFETY: the list is ours until freeaddrinfo below.
        let code = unsafe getaddrinfo(host, "0", &hints, &list)
        try #require(code == 0)
        guard let info = unsafe list else { throw ServerError.badAddress(host) }
        defer { unsafe freeaddrinfo(info) }
        let descriptor = unsafe Glibc.socket(info.pointee.ai_family, info.pointee.ai_socktype, info.pointee.ai_protocol)
        if host.contains(":") {
            var only: Int32 = isIPv6Only ? 1 : 0
            // SAFETY: the variable and its size live through the call.
            let code = unsafe setsockopt(
                descriptor,
                Int32(IPPROTO_IPV6),
                IPV6_V6ONLY,
                &only,
                socklen_t(MemoryLayout<Int32>.size)
            )
            try #require(code == 0)
        }
        let isBound = unsafe bind(descriptor, info.pointee.ai_addr, info.pointee.ai_addrlen) == 0
        try #require(isBound)
        if listens { try #require(listen(descriptor, 16) == 0) }
        return descriptor
    }

    @Test("The server tells the address that it has", arguments: ["127.0.0.1", "::1", "0.0.0.0", "::"])
    func addressIsTold(host: String) throws {
        let server = try MicrohttpdServer(socket: socket(host), service: ScriptedService(file: ""))
        defer { server.stop() }
        #expect(server.host == host)
        #expect(server.port > 0)
    }

    @Test(
        "The server tells an address by which this machine reaches it",
        arguments: [
            ("127.0.0.1", false, "127.0.0.1"), ("0.0.0.0", false, "127.0.0.1"), ("::1", true, "::1"),
            ("::", false, "127.0.0.1"), ("::", true, "::1"),
        ]
    )
    func localAddressIsTold(host: String, isIPv6Only: Bool, local: String) throws {
        let listener = try socket(host, isIPv6Only: isIPv6Only)
        let server = try MicrohttpdServer(socket: listener, service: ScriptedService(file: ""))
        defer { server.stop() }
        #expect(server.localHost == local)
        #expect(reaches(local, server.port))
    }

    /// True where a connection comes to stand.
    private func reaches(_ host: String, _ port: UInt16) -> Bool {
        var list: UnsafeMutablePointer<addrinfo>?
        var hints = unsafe addrinfo()
        unsafe hints.ai_flags = AI_NUMERICHOST
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        // SAFETY: the list is ours until freeaddrinfo below.
        guard unsafe getaddrinfo(host, "\(port)", &hints, &list) == 0, let info = unsafe list else { return false }
        defer { unsafe freeaddrinfo(info) }
        let descriptor = unsafe Glibc.socket(info.pointee.ai_family, info.pointee.ai_socktype, info.pointee.ai_protocol)
        defer { close(descriptor) }
        return unsafe connect(descriptor, info.pointee.ai_addr, info.pointee.ai_addrlen) == 0
    }

    @Test("A stop leaves the socket as it was to whoever handed it over; clients wait for the next server")
    func stopLeavesTheSocket() async throws {
        let kept = try socket("127.0.0.1")
        defer { close(kept) }
        let first = try MicrohttpdServer(socket: dup(kept), service: ScriptedService(file: ""))
        first.stopAccepting()
        let client = try #require(RawClient(port: first.port))
        client.write("GET /answer HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        first.stop()
        let second = try MicrohttpdServer(socket: dup(kept), service: ScriptedService(file: ""))
        defer { second.stop() }
        #expect(second.port == first.port)
        #expect(await client.readAll().hasSuffix("at once"))
    }

    @Test("Clients that queue before the service is there wait in the kernel, and are then served")
    func queuedClientsWait() async throws {
        let listener = try socket("127.0.0.1")
        let server = try MicrohttpdServer(socket: listener, service: ScriptedService(file: ""), accepting: false)
        defer { server.stop() }
        let clients = try (0..<8).map { _ in try #require(RawClient(port: server.port)) }
        for client in clients { client.write("GET /answer HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n") }
        try await Task.sleep(for: .milliseconds(100))
        #expect(server.connectionCount == 0)
        server.startAccepting()
        for client in clients { #expect(await client.readAll().hasSuffix("at once")) }
    }

    @Test("A server that never took a client stops at once")
    func waitingServerStops() throws {
        let server = try MicrohttpdServer(
            socket: try socket("127.0.0.1"),
            service: ScriptedService(file: ""),
            accepting: false
        )
        server.stop()
        server.startAccepting()
        #expect(server.connectionCount == 0)
    }

    @Test("What is no TCP socket that listens is refused")
    func othersAreRefused() throws {
        let datagrams = try socket("127.0.0.1", SOCK_DGRAM, listens: false)
        let silent = try socket("127.0.0.1", listens: false)
        let local = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // Only the family: the system chooses a name that is no file.
        // SAFETY: the structure lives through the call, which reads its first field.
        let code = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(local, $0, socklen_t(MemoryLayout<sa_family_t>.size))
            }
        }
        try #require(code == 0)
        try #require(listen(local, 16) == 0)
        let none: Int32 = 9_999
        for descriptor in [datagrams, silent, local, none] {
            #expect(throws: ServerError.unfitSocket) {
                try MicrohttpdServer(socket: descriptor, service: ScriptedService(file: ""))
            }
        }
        for descriptor in [datagrams, silent, local] { _ = close(descriptor) }
    }
}
