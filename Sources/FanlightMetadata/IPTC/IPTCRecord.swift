// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// The texts of an IPTC record (IIM 4.2), which Photoshop's resources hold.
struct IPTCRecord: Equatable {
    /// One dataset of record 2.
    struct Entry: Equatable {
        var number: Int
        var text: String
    }

    private(set) var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    /// The first text with a number.
    subscript(number: Int) -> String? { entries.first { $0.number == number }?.text }

    static let byline = 80
    static let credit = 110
    static let copyright = 116
    private static let maxEntries = 1_000
    private static let resource = 0x0404

    init(entries: [Entry] = []) {
        self.entries = entries
    }

    /// Reads Photoshop's resources; the parts of several segments are joined.
    init(photoshop parts: [ByteWindow]) {
        let resources = ByteWindow(parts.reduce(into: []) { $0 += $1.slice })
        var offset = 0
        while resources.has("8BIM", at: offset), let identifier = resources.uint16(offset + 4),
            let nameLength = resources.uint8(offset + 6)
        {
            let sizeAt = offset + 6 + (nameLength + 2) / 2 * 2
            guard let size = resources.uint32(sizeAt), let data = resources.window(at: sizeAt + 4, count: size) else {
                return
            }
            if identifier == Self.resource {
                self = IPTCRecord(record: data)
                return
            }
            offset = sizeAt + 4 + (size + 1) / 2 * 2
        }
    }

    /// Reads the record itself.
    init(record: ByteWindow) {
        var offset = 0
        while record.uint8(offset) == 0x1C, let number = record.uint8(offset + 2), let size = record.uint16(offset + 3),
            let data = record.window(at: offset + 5, count: size), entries.count < Self.maxEntries
        {
            if record.uint8(offset + 1) == 2, number > 0 {
                entries.append(Entry(number: number, text: Self.text(data)))
            }
            offset += 5 + size
        }
    }

    /// What a policy lets stay: by-line, credit and copyright notice, with `strip_gps` the date too.
    func allowed(by policy: MetadataPolicy) -> IPTCRecord {
        switch policy {
        case .strip: return IPTCRecord()
        case .keep: return self
        case .copyright, .stripGPS:
            let numbers = [Self.byline, Self.credit, Self.copyright] + (policy == .stripGPS ? [55, 60] : [])
            return IPTCRecord(entries: entries.filter { numbers.contains($0.number) })
        }
    }

    /// Photoshop's resources with this record, in UTF-8; a text that is too long for the format is cut.
    func photoshopResources() -> [UInt8] {
        guard !isEmpty else { return [] }
        // Dataset 1:90 says that the texts are UTF-8.
        var record: [UInt8] = [0x1C, 1, 90, 0, 3, 0x1B, 0x25, 0x47]
        for entry in entries {
            let bytes = Self.cut(entry.text)
            record += [0x1C, 2, UInt8(entry.number & 0xFF), UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
        }
        let size = (0..<4).reversed().map { UInt8(truncatingIfNeeded: record.count >> (8 * $0)) }
        if record.count % 2 == 1 { record.append(0) }
        return Array("8BIM".utf8) + [0x04, 0x04, 0, 0] + size + record
    }

    /// The text's first whole characters, 2,000 bytes at most.
    private static func cut(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for character in text where bytes.count + character.utf8.count <= 2_000 { bytes += character.utf8 }
        return bytes
    }

    /// UTF-8, else Latin-1.
    private static func text(_ data: ByteWindow) -> String {
        if let text = String(validating: data.slice, as: UTF8.self) { return text }
        return String(String.UnicodeScalarView(data.slice.map { Unicode.Scalar($0) }))
    }
}
