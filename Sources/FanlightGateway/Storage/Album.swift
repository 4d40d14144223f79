// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Glibc

/// A folder of pictures that the gateway itself serves.
struct Album: Sendable {
    /// Copies a rendition into the folder; true when it is complete under its name.
    static func store(_ file: SpooledFile, folder: String, name: String) -> Bool {
        guard isPlainName(name), Folder.make(folder) else { return false }
        // Two services may share a folder: each writes a file of its own, and the last one that is whole stays.
        let temporary = "\(folder)/.\(name).\(String(UInt64.random(in: 0...UInt64.max), radix: 36)).part"
        // SAFETY: the string lives through the call.
        let target = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard target >= 0 else { return false }
        let isComplete = copy(file, to: target) && fsync(target) == 0
        let isClosed = close(target) == 0
        // SAFETY: the strings live through the call.
        if isComplete, isClosed, unsafe rename(temporary, "\(folder)/\(name)") == 0 { return true }
        // SAFETY: the string lives through the call.
        _ = unsafe unlink(temporary)
        return false
    }

    private static func copy(_ file: SpooledFile, to target: Int32) -> Bool {
        var done = 0
        while done < file.head.count {
            // SAFETY: the array lives through the call, and the count is what is left of it.
            let written = unsafe file.head.withUnsafeBytes { head in
                unsafe write(target, head.baseAddress?.advanced(by: done), head.count - done)
            }
            if written < 0 && errno == EINTR { continue }
            if written <= 0 { return false }
            done += written
        }
        var offset = off_t(file.start)
        let end = file.start + file.size - file.head.count
        while offset < end {
            // SAFETY: the offset is a local that outlives the call.
            let sent = unsafe sendfile(target, file.descriptor, &offset, end - Int(offset))
            if sent < 0 && errno == EINTR { continue }
            if sent <= 0 { return false }
        }
        return true
    }

    /// The answer for a name below the folder; `nil` when there is no such picture.
    static func answer(folder: String, name: String) -> HTTPAnswer? {
        guard isPlainName(name), let type = mediaType(of: name) else { return nil }
        let path = "\(folder)/\(name)"
        var status = stat()
        // SAFETY: the string and the record live through the call.
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return HTTPAnswer(
            status: 200,
            headers: [
                HTTPField("Content-Type", type.mime),
                HTTPField("Cache-Control", "public, max-age=31536000, immutable"),
                HTTPField("X-Content-Type-Options", "nosniff"),
            ],
            body: .file(path: path)
        )
    }

    private static func mediaType(of name: String) -> MediaType? {
        guard let dot = name.lastIndex(of: ".") else { return nil }
        let ending = name[name.index(after: dot)...]
        return MediaType.allCases.first { $0.fileExtension == ending }
    }

    /// True for a name without folders, of harmless characters, not hidden.
    static func isPlainName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 200 && !name.hasPrefix(".")
            && name.utf8.allSatisfy {
                (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
                    || [45, 46, 95].contains($0)
            }
    }
}

extension Album {
    /// Removes a picture; true when there is none of that name afterwards.
    static func remove(folder: String, name: String) -> Bool {
        guard isPlainName(name) else { return false }
        // SAFETY: the string lives through the call.
        return unsafe unlink("\(folder)/\(name)") == 0 || errno == ENOENT
    }
}
