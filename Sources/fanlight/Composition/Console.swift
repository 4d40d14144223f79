// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Standard output and error without buffering, so that a waiting script sees each line at once.
enum Console {
    /// The errno of the first result that could not be written; 0 = all were.
    private static let failure = Atomic<Int32>(0)

    /// Prints a line of the command's result; ``requireOutput()`` tells whether it arrived.
    static func out(_ line: String) { out(text: line + "\n") }

    /// Prints a part of the command's result as it is.
    static func out(text: String) {
        let code = write(text, to: STDOUT_FILENO)
        if code != 0 { _ = failure.compareExchange(expected: 0, desired: code, ordering: .relaxed) }
    }

    /// Prints a line to standard output that the work does not depend on.
    static func announce(_ line: String) { write(line + "\n", to: STDOUT_FILENO) }

    static func error(_ line: String) { write(line + "\n", to: STDERR_FILENO) }

    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Fails where a part of the result did not arrive: a script must not take half a result for the whole.
    static func requireOutput() throws(CommandFailure) {
        let code = failure.load(ordering: .relaxed)
        guard code != 0 else { return }
        // SAFETY: the message is copied at once.
        let reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
        throw CommandFailure("standard output cannot be written: \(reason)")
    }

    /// Gives closed standard streams a descriptor that can do nothing.
    ///
    /// Otherwise the next file that is opened, perhaps the journal, would take the number, and lines meant for people
    /// would be written into it.
    static func holdStandardStreams() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is the one that is missing; its wrong direction makes every use an error.
            // SAFETY: the path is a constant.
            _ = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Writes all of a text; the errno of what went wrong, else 0.
    @discardableResult
    static func write(_ text: String, to descriptor: Int32) -> Int32 {
        let bytes = Array(text.utf8)
        var done = 0
        while done < bytes.count {
            // SAFETY: the array lives through the call and its count bounds the write.
            let written = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress?.advanced(by: done), bytes.count - done)
            }
            if written < 0, errno == EINTR { continue }
            if written < 0, errno == EAGAIN {
                // Somebody who shares the stream made it non-blocking.
                var facts = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&facts, 1, -1)
                continue
            }
            if written <= 0 { return written < 0 ? errno : EIO }
            done += written
        }
        return 0
    }
}

/// Whole files.
enum Files {
    /// Reads a file of at most `limit` bytes; `nil` when it cannot be read or is larger.
    static func read(_ path: String, limit: Int = 268_435_456) -> [UInt8]? {
        // SAFETY: the string lives through the call.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { _ = close(descriptor) }
        return read(descriptor, limit)
    }

    /// Reads a regular file of at most `limit` bytes; `nil` when it is none, is larger or cannot be read.
    ///
    /// Waits for nobody: a pipe, a socket and a device are refused instead of holding up the thread that opens them.
    static func readRegular(_ path: String, limit: Int) -> [UInt8]? {
        // SAFETY: the string and the structure live through each call.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        defer { _ = close(descriptor) }
        var facts = stat()
        guard unsafe fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        return read(descriptor, limit)
    }

    private static func read(_ descriptor: Int32, _ limit: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            // SAFETY: the buffer lives through the call and its count bounds it.
            let got = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if got == 0 { return bytes }
            guard got > 0, bytes.count + got <= limit else { return nil }
            bytes += buffer[..<got]
        }
    }

    /// Writes a file; false when that fails.
    static func write(_ bytes: [UInt8], to path: String) -> Bool {
        // SAFETY: the string and the array live through each call.
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { return false }
        var done = 0
        while done < bytes.count {
            let written = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress?.advanced(by: done), bytes.count - done)
            }
            if written <= 0 { break }
            done += written
        }
        // A disk on a network tells only now that it is full.
        return close(descriptor) == 0 && done == bytes.count
    }

    /// Removes a file, if it is there.
    static func remove(_ path: String) {
        // SAFETY: the string lives through the call.
        _ = unsafe unlink(path)
    }

    /// Removes an empty folder.
    static func removeFolder(_ path: String) {
        // SAFETY: the string lives through the call.
        _ = unsafe rmdir(path)
    }

    /// Path of another program that lies beside this one.
    static func sibling(_ name: String) -> String {
        var buffer = [CChar](repeating: 0, count: 4_096)
        // SAFETY: the buffer is larger than the count that is passed.
        let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count - 1)
        let own = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard let slash = own.lastIndex(of: "/") else { return name }
        return own[...slash] + name
    }
}

/// Variables of the environment.
enum Environment {
    static func value(_ name: String) -> String? {
        // SAFETY: the C string is copied before anything else can change the environment.
        guard let text = unsafe getenv(name) else { return nil }
        return unsafe String(cString: text)
    }
}
