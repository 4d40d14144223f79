// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// The few EXIF fields of a JPEG that a policy lets stay, written anew for a picture whose EXIF is gone.
///
/// The fields are on a list. Thumbnails, maker notes, free comments and every field that is not understood stay out,
/// and so does the orientation, because a rendition is upright.
struct RetainedExif: Equatable {
    /// The TIFF structure of the new EXIF segment.
    let tiff: [UInt8]

    /// Bytes at the head of a file that are looked through.
    static let headSize = 1 << 20

    /// Bytes that an insertion adds.
    var insertedCount: Int { tiff.count + 10 }

    /// Picks from a JPEG's head; `nil` where the policy lets nothing stay or nothing is there.
    init?(head: [UInt8], policy: MetadataPolicy) {
        guard policy != .strip, let source = Self.exif(in: head), let reader = TIFFPicker(source) else { return nil }
        let main = reader.fields(at: reader.firstDirectory, tags: Self.mainTags(policy))
        var directories = TIFFDirectories(isBigEndian: reader.isBigEndian, main: main)
        if policy != .copyright, let offset = reader.pointer(0x8769) {
            directories.exif = reader.fields(at: offset, tags: Self.exifTags)
        }
        if policy == .keep, let offset = reader.pointer(0x8825) {
            directories.position = reader.fields(at: offset, tags: Set(0...31))
        }
        guard !directories.isEmpty else { return nil }
        tiff = directories.written()
        // A JPEG segment holds no more.
        if tiff.count > 65_000 { return nil }
    }

    /// The JPEG with these fields, behind its JFIF segment.
    func inserted(into jpeg: [UInt8]) -> [UInt8] {
        guard jpeg.count > 6, jpeg[0] == 0xFF, jpeg[1] == 0xD8 else { return jpeg }
        var place = 2
        if jpeg[2] == 0xFF, jpeg[3] == 0xE0 { place = min(jpeg.count, 4 + Int(jpeg[4]) << 8 + Int(jpeg[5])) }
        let length = tiff.count + 8
        let head: [UInt8] = [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + Array("Exif\0\0".utf8)
        return Array(jpeg[..<place]) + head + tiff + jpeg[place...]
    }

    private static func mainTags(_ policy: MetadataPolicy) -> Set<Int> {
        let author: Set = [0x013B, 0x8298]
        // Make, Model, DateTime.
        return policy == .copyright ? author : author.union([0x010F, 0x0110, 0x0132])
    }

    /// Exposure, sensitivity, dates with offsets and fractions, lens.
    private static let exifTags: Set = [
        0x829A, 0x829D, 0x8822, 0x8827, 0x9003, 0x9004, 0x9010, 0x9011, 0x9012, 0x9204, 0x9207, 0x9209, 0x920A, 0x9290,
        0x9291, 0x9292, 0xA402, 0xA403, 0xA405, 0xA433, 0xA434,
    ]

    /// The TIFF structure of the first EXIF segment.
    private static func exif(in jpeg: [UInt8]) -> ArraySlice<UInt8>? {
        guard jpeg.count > 4, jpeg[0] == 0xFF, jpeg[1] == 0xD8 else { return nil }
        var at = 2
        while at + 4 <= jpeg.count, jpeg[at] == 0xFF {
            let marker = jpeg[at + 1]
            if marker == 0xFF {
                at += 1
                continue
            }
            let end = at + 2 + Int(jpeg[at + 2]) << 8 + Int(jpeg[at + 3])
            guard marker != 0xDA, marker != 0xD9, end > at + 4, end <= jpeg.count else { return nil }
            if marker == 0xE1, end - at > 18, jpeg[(at + 4)..<(at + 10)].elementsEqual("Exif\0\0".utf8) {
                return jpeg[(at + 10)..<end]
            }
            at = end
        }
        return nil
    }
}

/// One field, its value in the byte order of its file.
private struct TIFFField: Equatable {
    var tag: Int
    var type: Int
    var count: Int
    var value: [UInt8]
}

/// Reads single directories of a TIFF structure.
private struct TIFFPicker {
    let bytes: [UInt8]
    let isBigEndian: Bool
    let firstDirectory: Int

    init?(_ slice: ArraySlice<UInt8>) {
        bytes = Array(slice)
        guard bytes.count >= 8, bytes[0] == bytes[1], bytes[0] == 0x4D || bytes[0] == 0x49 else { return nil }
        isBigEndian = bytes[0] == 0x4D
        var offset = 0
        for index in 4..<8 { offset |= Int(bytes[index]) << (8 * (bytes[0] == 0x4D ? 7 - index : index - 4)) }
        firstDirectory = offset
    }

    /// Fields with these tags whose type and size are sensible, in ascending order, each tag once.
    func fields(at offset: Int, tags: Set<Int>) -> [TIFFField] {
        var found: [Int: TIFFField] = [:]
        for entry in entries(at: offset) {
            let tag = number(entry, 2)
            guard tags.contains(tag), found[tag] == nil, let field = field(at: entry, tag: tag) else { continue }
            found[tag] = field
        }
        return found.values.sorted { $0.tag < $1.tag }
    }

    /// Where a directory that the first one names is.
    func pointer(_ tag: Int) -> Int? {
        entries(at: firstDirectory).first { number($0, 2) == tag && number($0 + 2, 2) == 4 }.map { number($0 + 8, 4) }
    }

    private func entries(at offset: Int) -> [Int] {
        guard offset >= 8, offset + 2 <= bytes.count else { return [] }
        let count = min(number(offset, 2), (bytes.count - offset - 2) / 12, 512)
        return (0..<count).map { offset + 2 + $0 * 12 }
    }

    private func field(at entry: Int, tag: Int) -> TIFFField? {
        let type = number(entry + 2, 2)
        let count = number(entry + 4, 4)
        // Text and bytes, short and long numbers, fractions.
        guard let unit = [1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 10: 8][type], count > 0, count * unit <= 2048 else {
            return nil
        }
        let size = count * unit
        let start = size <= 4 ? entry + 8 : number(entry + 8, 4)
        guard start + size <= bytes.count else { return nil }
        return TIFFField(tag: tag, type: type, count: count, value: Array(bytes[start..<(start + size)]))
    }

    private func number(_ offset: Int, _ size: Int) -> Int {
        (0..<size).reduce(0) { sum, index in
            sum | Int(bytes[offset + index]) << (8 * (isBigEndian ? size - 1 - index : index))
        }
    }
}

/// Writes a TIFF structure of up to three directories.
private struct TIFFDirectories {
    var isBigEndian: Bool
    var main: [TIFFField]
    var exif: [TIFFField] = []
    var position: [TIFFField] = []

    init(isBigEndian: Bool, main: [TIFFField]) {
        self.isBigEndian = isBigEndian
        self.main = main
    }

    var isEmpty: Bool { main.isEmpty && exif.isEmpty && position.isEmpty }

    func written() -> [UInt8] {
        var fields = main
        let pointers = [(0x8769, exif), (0x8825, position)].filter { !$0.1.isEmpty }
        for (tag, _) in pointers { fields.append(TIFFField(tag: tag, type: 4, count: 1, value: [0, 0, 0, 0])) }
        fields.sort { $0.tag < $1.tag }
        var offset = 8 + size(fields)
        for (tag, directory) in pointers {
            if let index = fields.firstIndex(where: { $0.tag == tag }) { fields[index].value = number(offset, 4) }
            offset += size(directory)
        }
        let head: [UInt8] = isBigEndian ? [0x4D, 0x4D] : [0x49, 0x49]
        var bytes = head + number(42, 2) + number(8, 4)
        for directory in [fields] + pointers.map(\.1) { bytes += written(directory, at: bytes.count) }
        return bytes
    }

    private func size(_ fields: [TIFFField]) -> Int {
        fields.reduce(6 + fields.count * 12) { $0 + ($1.value.count > 4 ? ($1.value.count + 1) / 2 * 2 : 0) }
    }

    private func written(_ fields: [TIFFField], at offset: Int) -> [UInt8] {
        var table = number(fields.count, 2)
        var values: [UInt8] = []
        let valuesAt = offset + 6 + fields.count * 12
        for field in fields {
            table += number(field.tag, 2) + number(field.type, 2) + number(field.count, 4)
            if field.value.count <= 4 {
                table += field.value + [UInt8](repeating: 0, count: 4 - field.value.count)
            } else {
                table += number(valuesAt + values.count, 4)
                values += field.value
                if values.count % 2 == 1 { values.append(0) }
            }
        }
        return table + number(0, 4) + values
    }

    private func number(_ value: Int, _ size: Int) -> [UInt8] {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return isBigEndian ? bytes.reversed() : bytes
    }
}
