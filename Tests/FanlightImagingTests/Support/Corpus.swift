// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Glibc

/// Pictures with known answers: the folder named by FANLIGHT_SHARED, else `shared` beside the package.
enum Corpus {
    struct Entry: Sendable, CustomStringConvertible {
        var path: String
        var name: String
        var type: MediaType
        var uprightWidth: Int
        var uprightHeight: Int
        var frames: Int
        var verdict: String
        var description: String { name }
    }

    static let folder: String = {
        if let named = unsafe getenv("FANLIGHT_SHARED") { return unsafe String(cString: named) + "/corpus" }
        let package = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
        return (package.dropLast() + ["shared", "corpus"]).joined(separator: "/")
    }()

    /// Lines of the folder's `expected.tsv`.
    static let entries: [Entry] = {
        guard let table = read(folder + "/expected.tsv") else { return [] }
        return String(decoding: table, as: UTF8.self).split(separator: "\n").dropFirst().compactMap { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard fields.count >= 17, let type = MediaType.allCases.first(where: { $0.mime == fields[2] }),
                let width = Int(fields[6]), let height = Int(fields[7])
            else { return nil }
            return Entry(
                path: folder + "/" + fields[0],
                name: String(fields[0]),
                type: type,
                uprightWidth: width,
                uprightHeight: height,
                frames: Int(fields[8]) ?? 1,
                verdict: fields.last?.contains("AMBIGUOUS(verdict") == true ? "open" : String(fields[16])
            )
        }
    }()

    static var accepted: [Entry] { entries.filter { $0.verdict == "accept" } }
    static var refused: [Entry] { entries.filter { $0.verdict.hasPrefix("refuse") } }

    static func read(_ path: String) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { _ = close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: max(0, Int(lseek(descriptor, 0, SEEK_END))))
        let got = unsafe bytes.withUnsafeMutableBytes { unsafe pread(descriptor, $0.baseAddress, $0.count, 0) }
        return got == bytes.count ? bytes : nil
    }
}
