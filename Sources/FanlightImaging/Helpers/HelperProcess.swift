// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Glibc
import Synchronization

/// One running helper.
///
/// Used by one thread at a time; only `kill` may come from another.
final class HelperProcess: Sendable {
    /// Why an exchange gave nothing.
    enum Failure: Error, Equatable {
        /// The process ended; the value is its signal, 0 where it left by itself.
        case ended(signal: Int32)
        case timeout
        /// The process answers in a way that is not agreed.
        case nonsense
    }

    /// What an exchange gave.
    enum Reply: Sendable, Equatable {
        case picture([UInt8])
        case imperfect
        case refused(ImageError)
    }

    private let socket: Int32
    private let process: Mutex<pid_t?>
    private let pictures = Mutex(0)

    /// Starts a helper; `nil` when the system refuses.
    init?(executable: String) {
        var ends: [Int32] = [-1, -1]
        // SAFETY: the array has room for the two descriptors.
        guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0
        else { return nil }
        defer { _ = close(ends[1]) }
        guard let started = Self.spawn(executable, standardStreams: ends[1]) else {
            _ = close(ends[0])
            return nil
        }
        socket = ends[0]
        process = Mutex(started)
    }

    deinit {
        _ = end()
        _ = close(socket)
    }

    /// The process's number while it is not yet reaped.
    var processIdentifier: pid_t? { process.withLock { $0 } }

    /// Pictures answered so far.
    var pictureCount: Int { pictures.withLock { $0 } }

    /// Kills the process; a thread that waits for its answer is woken.
    func kill() {
        process.withLock { process in
            if let process { _ = Glibc.kill(process, SIGKILL) }
        }
    }

    /// Asks and waits for the answer.
    ///
    /// After a failure the helper is of no more use.
    func exchange(_ order: HelperOrder, timeout: Duration) throws(Failure) -> Reply {
        let id = pictures.withLock { count in
            count += 1
            return count
        }
        guard let line = order.line(id: id) else {
            return .refused(.processingFailed("the spool's path has a control character"))
        }
        let deadline = ContinuousClock.now + timeout
        try send(Array((line + "\n").utf8))
        var input: [UInt8] = []
        var lineEnd: Int?
        while lineEnd == nil {
            let scanned = input.count
            guard scanned < 4096 || input[..<4096].contains(10) else { throw stop(.nonsense) }
            try receive(into: &input, atMost: 65536, until: deadline)
            lineEnd = input[scanned...].firstIndex(of: 10)
        }
        guard let lineEnd, let answer = HelperAnswer(String(decoding: input[..<lineEnd], as: UTF8.self), id: id)
        else { throw stop(.nonsense) }
        switch answer {
        case .imperfect: return .imperfect
        case .refused(let error): return .refused(error)
        case .picture(let count):
            input.removeFirst(lineEnd + 1)
            input.reserveCapacity(count)
            while input.count < count { try receive(into: &input, atMost: count - input.count, until: deadline) }
            guard input.count == count else { throw stop(.nonsense) }
            return .picture(input)
        }
    }

    /// Kills and reaps; returns the signal that ended the process before, 0 for none.
    private func end() -> Int32 {
        let ended = process.withLock { process in
            defer { process = nil }
            return process
        }
        guard let ended else { return 0 }
        var status: Int32 = 0
        // A process that is dying gets a moment, so that its own signal is known and not ours.
        for _ in 0..<20 {
            // SAFETY: the status is a local variable.
            if unsafe waitpid(ended, &status, WNOHANG) == ended { return status & 0x7F }
            usleep(1000)
        }
        _ = Glibc.kill(ended, SIGKILL)
        // SAFETY: the status is a local variable.
        while unsafe waitpid(ended, &status, 0) < 0, errno == EINTR {}
        return 0
    }

    private func stop(_ failure: Failure) -> Failure {
        kill()
        let signal = end()
        if case .ended = failure { return .ended(signal: signal) }
        return failure
    }

    private func send(_ bytes: [UInt8]) throws(Failure) {
        // SAFETY: pointer and count describe the same bytes. A request is far smaller than the socket's buffer.
        let sent = unsafe bytes.withUnsafeBytes { buffer in
            unsafe Glibc.send(socket, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
        }
        guard sent == bytes.count else { throw died() }
    }

    private func receive(into input: inout [UInt8], atMost limit: Int, until deadline: ContinuousClock.Instant)
        throws(Failure)
    {
        var ready = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        while true {
            let left = (deadline - .now).components
            guard left.seconds >= 0, left.attoseconds >= 0 else { throw stop(.timeout) }
            let milliseconds = Int32(clamping: left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1)
            // SAFETY: one structure, a local variable.
            let count = unsafe poll(&ready, 1, milliseconds)
            if count > 0 { break }
            if count < 0, errno != EINTR { throw died() }
        }
        let size = min(limit, 1 << 20)
        // SAFETY: the buffer has room for `size` bytes, and at most so many are received.
        let part = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = max(0, unsafe recv(socket, buffer.baseAddress, size, 0))
        }
        guard !part.isEmpty else { throw died() }
        input += part
    }

    private func died() -> Failure {
        .ended(signal: end())
    }

    /// Starts the program with both standard streams on one socket, messages thrown away and a bare environment.
    private static func spawn(_ executable: String, standardStreams socket: Int32) -> pid_t? {
        // SAFETY: C structures without a default initialiser's meaning until the init calls below.
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        // SAFETY: both are local, initialised here and destroyed before they go out of scope.
        guard unsafe posix_spawn_file_actions_init(&actions) == 0 else { return nil }
        defer { _ = unsafe posix_spawn_file_actions_destroy(&actions) }
        guard unsafe posix_spawnattr_init(&attributes) == 0 else { return nil }
        defer { _ = unsafe posix_spawnattr_destroy(&attributes) }
        _ = unsafe posix_spawn_file_actions_adddup2(&actions, socket, 0)
        _ = unsafe posix_spawn_file_actions_adddup2(&actions, socket, 1)
        _ = unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        // SAFETY: signal sets are plain memory that sigemptyset and sigfillset set up.
        var none = sigset_t()
        var all = sigset_t()
        _ = unsafe sigemptyset(&none)
        _ = unsafe sigfillset(&all)
        _ = unsafe posix_spawnattr_setsigmask(&attributes, &none)
        _ = unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        _ = unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        // SAFETY: copies made by strdup, freed below; both lists end with a null pointer.
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe [strdup(executable), nil]
        var environment: [UnsafeMutablePointer<CChar>?] =
            unsafe (childEnvironment().map { unsafe strdup($0) } + [nil])
        defer {
            unsafe (arguments + environment).forEach { unsafe free($0) }
        }
        var process: pid_t = 0
        let status = unsafe posix_spawn(&process, executable, &actions, &attributes, &arguments, &environment)
        return status == 0 ? process : nil
    }

    /// The gateway's secrets stay out of the process that decodes strangers' bytes.
    private static func childEnvironment() -> [String] {
        var lines = [
            "PATH=/usr/bin:/bin", "LC_ALL=C", "SWIFT_BACKTRACE=enable=no", "MALLOC_ARENA_MAX=2",
            // Planes of the last picture are used again for the next: half the time of a lossless turn was page faults.
            "MALLOC_MMAP_THRESHOLD_=134217728", "MALLOC_TRIM_THRESHOLD_=134217728",
        ]
        // SAFETY: the value is copied at once.
        if let path = unsafe getenv("LD_LIBRARY_PATH").map({ unsafe String(cString: $0) }) {
            lines.append("LD_LIBRARY_PATH=" + path)
        }
        return lines
    }
}
