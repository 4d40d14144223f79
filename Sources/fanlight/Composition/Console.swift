// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Standard output and error without buffering, so that a waiting script sees each line at once.
enum Console {
    static func out(_ line: String) { write(line + "\n", to: STDOUT_FILENO) }

    static func error(_ line: String) { write(line + "\n", to: STDERR_FILENO) }

    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    static func write(_ text: String, to descriptor: Int32) {
        let bytes = Array(text.utf8)
        var done = 0
        while done < bytes.count {
            // SAFETY: the array lives through the call and its count bounds the write.
            let written = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress?.advanced(by: done), bytes.count - done)
            }
            if written <= 0 { return }
            done += written
        }
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
        defer { _ = close(descriptor) }
        var done = 0
        while done < bytes.count {
            let written = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress?.advanced(by: done), bytes.count - done)
            }
            if written <= 0 { return false }
            done += written
        }
        return true
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
