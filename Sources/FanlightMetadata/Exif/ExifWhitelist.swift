// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// The EXIF fields that a policy lets stay, each with the types that it may have.
///
/// Thumbnails, maker notes, comments, serial numbers, owners and every field that is not listed stay out, and so does
/// the orientation, because a rendition is upright. A field of another type than the standard's stays out too.
/// Source: Exif 3.0 (CIPA DC-008) sections 4.6.4 and 4.6.5.
enum ExifWhitelist {
    /// Most bytes of one value.
    static let maxValue = 2_048

    private typealias Kinds = Set<TIFFEntry.Kind>
    private static let text: Kinds = [.ascii]
    private static let short: Kinds = [.short]
    private static let whole: Kinds = [.short, .long]
    private static let fraction: Kinds = [.rational]
    private static let signedFraction: Kinds = [.signedRational]

    /// Artist and Copyright.
    private static let author: [Int: Kinds] = [0x013B: text, 0x8298: text]
    /// Make, Model and DateTime.
    private static let camera: [Int: Kinds] = [0x010F: text, 0x0110: text, 0x0132: text]
    /// Exposure, sensitivity, dates with offsets and fractions, focal length, lens.
    private static let shot: [Int: Kinds] = [
        0x829A: fraction, 0x829D: fraction, 0x8822: short, 0x8827: whole, 0x8830: short, 0x8832: whole, 0x9003: text,
        0x9004: text, 0x9010: text, 0x9011: text, 0x9012: text, 0x9201: signedFraction, 0x9202: fraction,
        0x9203: signedFraction, 0x9204: signedFraction, 0x9205: fraction, 0x9207: short, 0x9208: short, 0x9209: short,
        0x920A: fraction, 0x9290: text, 0x9291: text, 0x9292: text, 0xA402: short, 0xA403: short, 0xA404: fraction,
        0xA405: short, 0xA432: fraction, 0xA433: text, 0xA434: text,
    ]
    /// Fields that must hold a date, an offset or digits and nothing else.
    private static let clocks: Set = [0x0132, 0x9003, 0x9004, 0x9010, 0x9011, 0x9012, 0x9290, 0x9291, 0x9292]

    /// - Parameters:
    ///   - block: TIFF bytes, from the byte-order mark on.
    ///   - policy: `keep` adds the position to what `strip_gps` lets stay, and every other field of the first two
    ///     directories that is no structure of its file.
    /// - Returns: The fields that stay; `nil` where none is there.
    static func fields(of block: ByteWindow, policy: MetadataPolicy) -> ExifFields? {
        guard policy != .strip, let file = TIFFStructure(block), let first = file.directory(at: file.firstDirectory)
        else { return nil }
        var fields = ExifFields(isLittle: file.isLittle)
        let directory = { (tag: Int) in
            first[tag]?.integer().flatMap { $0 == file.firstDirectory ? nil : file.directory(at: $0) }
        }
        switch policy {
        case .strip: return nil
        case .copyright: fields.main = chosen(first, author)
        case .stripGPS:
            fields.main = chosen(first, author.merging(camera) { first, _ in first })
            fields.exif = directory(0x8769).map { chosen($0, shot) } ?? []
        case .keep:
            fields.main = all(first, without: structure)
            fields.exif = directory(0x8769).map { all($0, without: [0x927C, 0xA002, 0xA003, 0xA005]) } ?? []
            fields.position = directory(0x8825).map { all($0, without: []) } ?? []
        }
        fields.hasSize = directory(0x8769)?[0xA002] != nil
        return fields.isEmpty ? nil : fields
    }

    /// What describes a file's own pixels and parts: sizes, strips, tiles, tables, orientation, other directories,
    /// other metadata.
    private static let structure: Set<Int> = [
        0xFE, 0xFF, 0x100, 0x101, 0x102, 0x103, 0x106, 0x107, 0x10A, 0x111, 0x112, 0x115, 0x116, 0x117, 0x118, 0x119,
        0x11C, 0x120, 0x121, 0x122, 0x123, 0x124, 0x125, 0x129, 0x12D, 0x13D, 0x140, 0x141, 0x142, 0x143, 0x144, 0x145,
        0x14A, 0x150, 0x151, 0x152, 0x153, 0x154, 0x155, 0x156, 0x15B, 0x200, 0x201, 0x202, 0x203, 0x205, 0x206, 0x207,
        0x208, 0x209, 0x211, 0x212, 0x213, 0x214, 0x2BC, 0x83BB, 0x8649, 0x8769, 0x8773, 0x8825, 0x935C, 0xA005,
    ]

    private static func chosen(_ directory: TIFFDirectory, _ list: [Int: Kinds]) -> [ExifField] {
        list.keys.sorted().compactMap { tag in
            guard let entry = directory[tag], list[tag]?.contains(entry.kind) == true else { return nil }
            return field(tag, entry)
        }
    }

    private static func all(_ directory: TIFFDirectory, without excluded: Set<Int>) -> [ExifField] {
        directory.entries.keys.sorted().compactMap { tag in
            guard !excluded.contains(tag), let entry = directory[tag], entry.kind != .directory else { return nil }
            return field(tag, entry)
        }
    }

    private static func field(_ tag: Int, _ entry: TIFFEntry) -> ExifField? {
        guard entry.count > 0, entry.value.count <= maxValue else { return nil }
        if clocks.contains(tag), !entry.value.slice.allSatisfy(isClock) { return nil }
        return ExifField(tag: tag, entry)
    }

    /// Digits, signs, colons, points, blanks, `T`, `Z` and NUL.
    private static func isClock(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x3A, 0x2B, 0x2D, 0x2E, 0x20, 0x54, 0x5A, 0: true
        default: false
        }
    }
}
