// SPDX-License-Identifier: Apache-2.0

import Glibc

/// One spelling for all spellings of a path.
enum RealPath {
    /// Links that are followed where the file is gone; more go in a circle.
    private static let mostLinks = 40

    /// The names by which a file is known, without `.`, `..` and links; it need not exist.
    ///
    /// - Returns: The file that a link leads to, then the link itself where it is one: it may lead elsewhere later.
    static func names(of path: String) -> [String] {
        let (folder, name) = split(absolute(path))
        let target = resolved(path)
        guard !["", ".", ".."].contains(name) else { return [target] }
        let own = joined(resolved(folder), name)
        return own == target ? [own] : [target, own]
    }

    /// The path without `.`, `..` and links; what does not exist keeps its name.
    static func resolved(_ path: String) -> String { resolved(absolute(path), links: 0) }

    private static func resolved(_ path: String, links: Int) -> String {
        // SAFETY: the call makes memory of its own, which is freed when its text is copied.
        if let real = unsafe realpath(path, nil) {
            defer { unsafe free(real) }
            return unsafe String(cString: real)
        }
        let (parent, name) = split(path)
        guard !name.isEmpty else { return "/" }
        let folder = resolved(parent, links: links)
        switch name {
        case ".": return folder
        case "..": return split(folder).folder
        default:
            let place = joined(folder, name)
            guard links < mostLinks, let target = target(of: place) else { return place }
            return resolved(target.hasPrefix("/") ? target : joined(folder, target), links: links + 1)
        }
    }

    /// What a link says; `nil` for all that is none.
    private static func target(of path: String) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        // SAFETY: the buffer and its size live through the call.
        let count = unsafe readlink(path, &bytes, bytes.count)
        guard count > 0 else { return nil }
        return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func absolute(_ path: String) -> String {
        // SAFETY: the call makes memory of its own, which is freed when its text is copied.
        guard !path.hasPrefix("/"), let folder = unsafe getcwd(nil, 0) else { return path }
        defer { unsafe free(folder) }
        return joined(unsafe String(cString: folder), path)
    }

    private static func joined(_ folder: String, _ name: String) -> String {
        folder.hasSuffix("/") ? folder + name : folder + "/" + name
    }

    /// The last part of a path and what stands before it; the root has no last part.
    private static func split(_ path: String) -> (folder: String, name: String) {
        let parts = path.split(separator: "/")
        return ("/" + parts.dropLast().joined(separator: "/"), String(parts.last ?? ""))
    }
}
