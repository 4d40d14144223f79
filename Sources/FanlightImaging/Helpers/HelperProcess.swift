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
        /// This process may open no further file.
        case shortage
    }

    /// What an exchange gave for one job.
    enum Reply: Sendable, Equatable {
        case made([UInt8], isTurned: Bool, PixelNotes)
        case same(as: Int)
        case refused(ImageError)
    }

    /// What an exchange gave: one reply a job, and how often the picture was decoded.
    struct Answer: Sendable, Equatable {
        var replies: [Reply]
        var decodes: Int
    }

    /// What a helper may use.
    struct Limits: Sendable, Equatable {
        /// Processor time for each file that it makes.
        var processorSeconds = 10
        /// Bytes of memory.
        var memory = 1_000_000_000
    }

    private let socket: Int32
    private let process: Mutex<pid_t?>
    private let pictures = Mutex(0)

    /// Starts a helper; `nil` when the system refuses.
    init?(executable: String, limits: Limits) {
        guard let (own, theirs) = MessageSocket.pair() else { return nil }
        defer { _ = close(theirs) }
        let arguments = [executable, "--cpu", "\(limits.processorSeconds)", "--memory", "\(limits.memory)"]
        guard let started = Self.spawn(arguments, standardStreams: theirs) else {
            _ = close(own)
            return nil
        }
        socket = own
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

    /// Asks and waits for all answers.
    ///
    /// After a failure the helper is of no more use.
    ///
    /// - Parameters:
    ///   - picture: Descriptor of the whole file; stays the caller's.
    ///   - timeout: For each answer: a helper that hangs is not given the time of all files that it does not make.
    func exchange(_ source: PixelSource, _ jobs: [PixelJob], picture: Int32, timeout: Duration) throws(Failure)
        -> Answer
    {
        let id = pictures.withLock { count in
            count += 1
            return count
        }
        let messages = MessageSocket(descriptor: socket)
        guard messages.send(HelperRequest(id: id, source: source, jobs: jobs).text, descriptor: picture) else {
            throw died()
        }
        var replies = [Reply?](repeating: nil, count: jobs.count)
        // One message for each job and the last one.
        for _ in 0...jobs.count {
            try awaitMessage(until: .now + timeout)
            guard let message = messages.receive() else { throw died() }
            defer { if let descriptor = message.descriptor { _ = close(descriptor) } }
            if message.isDescriptorLost { throw stop(.shortage) }
            guard let answer = HelperAnswer(text: message.text, id: id) else { throw stop(.nonsense) }
            switch answer {
            case .end(let decodes):
                let complete = replies.compactMap { $0 }
                guard complete.count == jobs.count else { throw stop(.nonsense) }
                return Answer(replies: complete, decodes: decodes)
            case .made(let job, let count, let isTurned, let notes):
                guard replies.indices.contains(job), replies[job] == nil, let descriptor = message.descriptor,
                    let file = Self.read(descriptor, count)
                else { throw stop(.nonsense) }
                replies[job] = .made(file, isTurned: isTurned, notes)
            case .same(let job, let other):
                guard replies.indices.contains(job), replies.indices.contains(other), replies[job] == nil,
                    case .made = replies[other]
                else { throw stop(.nonsense) }
                replies[job] = .same(as: other)
            case .refused(let job, let error):
                guard replies.indices.contains(job), replies[job] == nil else { throw stop(.nonsense) }
                replies[job] = .refused(error)
            }
        }
        throw stop(.nonsense)
    }

    /// The bytes of a file that the helper made; read, not mapped: the helper could still cut it short.
    private static func read(_ descriptor: Int32, _ count: Int) -> [UInt8]? {
        // SAFETY: the buffer has room for `count` bytes, and at most so many are read.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let rest = unsafe UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...]
                )
                let got = unsafe pread(descriptor, rest.baseAddress, rest.count, off_t(filled))
                if got <= 0 { return }
                filled += got
            }
        }
        return bytes.count == count ? bytes : nil
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

    private func awaitMessage(until deadline: ContinuousClock.Instant) throws(Failure) {
        var ready = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        while true {
            let left = (deadline - .now).components
            guard left.seconds >= 0, left.attoseconds >= 0 else { throw stop(.timeout) }
            let milliseconds = Int32(clamping: left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1)
            // SAFETY: one structure, a local variable.
            let count = unsafe poll(&ready, 1, milliseconds)
            if count > 0 { return }
            if count < 0, errno != EINTR { throw died() }
        }
    }

    private func died() -> Failure {
        .ended(signal: end())
    }

    /// Starts the program with both standard streams on one socket, messages thrown away and a bare environment.
    private static func spawn(_ command: [String], standardStreams socket: Int32) -> pid_t? {
        guard !command.isEmpty else { return nil }
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
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe (command.map { unsafe strdup($0) } + [nil])
        var environment: [UnsafeMutablePointer<CChar>?] =
            unsafe (childEnvironment().map { unsafe strdup($0) } + [nil])
        defer {
            unsafe (arguments + environment).forEach { unsafe free($0) }
        }
        var process: pid_t = 0
        let status = unsafe posix_spawn(&process, command[0], &actions, &attributes, &arguments, &environment)
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
