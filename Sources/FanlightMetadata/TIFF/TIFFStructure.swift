// SPDX-License-Identifier: Apache-2.0

/// The tags of one TIFF directory; of a tag that stands twice the first counts.
struct TIFFDirectory {
    var entries: [Int: TIFFEntry]
    /// Where the next directory stands; 0 at the end.
    var next: Int

    subscript(tag: Int) -> TIFFEntry? { entries[tag] }
}

/// TIFF's header and directories, as a file of its own and inside EXIF blocks.
///
/// Entries of unknown type and those whose value does not lie inside the bytes are left out.
/// Source: TIFF 6.0 section 2.
struct TIFFStructure {
    let bytes: ByteWindow
    let isLittle: Bool
    let firstDirectory: Int

    /// Most entries of a directory that are looked at.
    static let maxEntries = 512

    init?(_ bytes: ByteWindow) {
        if bytes.has("II") {
            isLittle = true
        } else if bytes.has("MM") {
            isLittle = false
        } else {
            return nil
        }
        guard bytes.uint16(2, little: isLittle) == 42, let first = bytes.uint32(4, little: isLittle) else { return nil }
        self.bytes = bytes
        firstDirectory = first
    }

    /// Entries of the directory at an offset that lie inside the bytes, as many as are looked at.
    func count(at offset: Int) -> Int? {
        guard offset >= 8, let count = bytes.uint16(offset, little: isLittle) else { return nil }
        return min(count, Self.maxEntries, (bytes.count - offset - 2) / 12)
    }

    /// The directory at an offset; `nil` where its count does not lie inside the bytes.
    func directory(at offset: Int) -> TIFFDirectory? {
        guard offset >= 8, let count = bytes.uint16(offset, little: isLittle) else { return nil }
        var entries: [Int: TIFFEntry] = [:]
        for index in 0..<min(count, Self.maxEntries) {
            guard let raw = bytes.window(at: offset + 2 + 12 * index, count: 12) else { break }
            if let (tag, entry) = entry(raw), entries[tag] == nil { entries[tag] = entry }
        }
        let next = bytes.uint32(offset + 2 + 12 * count, little: isLittle) ?? 0
        return TIFFDirectory(entries: entries, next: next)
    }

    private func entry(_ raw: ByteWindow) -> (tag: Int, entry: TIFFEntry)? {
        guard let tag = raw.uint16(0, little: isLittle), let type = raw.uint16(2, little: isLittle),
            let kind = TIFFEntry.Kind(rawValue: type), let count = raw.uint32(4, little: isLittle),
            let offset = raw.uint32(8, little: isLittle)
        else { return nil }
        let size = count * kind.size
        let value = size <= 4 ? raw.window(at: 8, count: size) : bytes.window(at: offset, count: size)
        guard let value else { return nil }
        return (tag, TIFFEntry(kind: kind, count: count, value: value, isLittle: isLittle))
    }
}
