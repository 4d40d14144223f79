// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// One row of the picture corpus' table of expected values.
struct CorpusRow: Sendable, CustomTestStringConvertible {
    let values: [String: String]

    subscript(column: String) -> String { values[column] ?? "" }

    var testDescription: String { self["file"] }

    /// True where the note says that careful readers differ on the column.
    func isAmbiguous(_ column: String) -> Bool { columns(after: "AMBIGUOUS(").contains(column) }

    /// True where the column's value may be left out.
    func isOptional(_ column: String) -> Bool { columns(after: "OPTIONAL(").contains(column) }

    var bytes: [UInt8] { Self.folder.flatMap { Self.read($0 + "/" + self["file"]) } ?? [] }

    private func columns(after word: String) -> [String] {
        let note = Array(self["note"])
        let mark = Array(word)
        guard note.count >= mark.count else { return [] }
        for start in 0...(note.count - mark.count) where Array(note[start..<(start + mark.count)]) == mark {
            let list = note[(start + mark.count)...].prefix { $0 != ")" }
            return list.split(separator: ",").map { String($0) }
        }
        return []
    }

    /// False for the row that stands for an absent corpus.
    var isPresent: Bool { !values.isEmpty }

    /// The rows that pass, or one empty row where there are none: a test without arguments would count as skipped.
    static func rows(where passes: (CorpusRow) -> Bool = { _ in true }) -> [CorpusRow] {
        let rows = all.filter(passes)
        return rows.isEmpty ? [CorpusRow(values: [:])] : rows
    }

    /// All rows; none where the corpus is not there.
    private static let all: [CorpusRow] = {
        guard let folder, let table = read(folder + "/expected.tsv") else { return [] }
        let lines = String(decoding: table, as: UTF8.self).split(separator: "\n").map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0) }
        }
        guard let names = lines.first else { return [] }
        return lines.dropFirst().map { fields in
            CorpusRow(values: Dictionary(zip(names, fields), uniquingKeysWith: { first, _ in first }))
        }
    }()

    /// The corpus of `FANLIGHT_SHARED`, else that of a folder `shared` beside the package.
    static let folder: String? = {
        // SAFETY: the text is copied before anything may change the environment.
        if let set = unsafe getenv("FANLIGHT_SHARED") { return unsafe String(cString: set) + "/corpus" }
        let parts = #filePath.split(separator: "/").map { String($0) }
        for count in stride(from: parts.count, to: 0, by: -1) {
            let candidate = "/" + parts.prefix(count).joined(separator: "/") + "/shared/corpus"
            if unsafe access(candidate + "/expected.tsv", R_OK) == 0 { return candidate }
        }
        return nil
    }()

    // SAFETY: the buffer is written for at most its size, and only what was written is counted.
    static func read(_ path: String) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY)
        guard descriptor >= 0 else { return nil }
        defer { _ = close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        let size = Int(status.st_size)
        return unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size {
                let read = unsafe Glibc.read(descriptor, buffer.baseAddress.map { unsafe $0 + count }, size - count)
                guard read > 0 else { return }
                count += read
            }
        }
    }
}
