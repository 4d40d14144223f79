// SPDX-License-Identifier: Apache-2.0

/// One field of a new EXIF block, its value in the block's byte order.
struct ExifField: Equatable, Sendable {
    var tag: Int
    var kind: TIFFEntry.Kind
    var count: Int
    var value: [UInt8]

    init(tag: Int, kind: TIFFEntry.Kind, count: Int, value: [UInt8]) {
        self.tag = tag
        self.kind = kind
        self.count = count
        self.value = value
    }

    init(tag: Int, _ entry: TIFFEntry) {
        self.init(tag: tag, kind: entry.kind, count: entry.count, value: Array(entry.value.slice))
    }
}

/// The fields of a new EXIF block and how they are written.
///
/// A directory's entries stand in ascending order; there is no second directory and so no thumbnail.
struct ExifFields: Equatable, Sendable {
    var isLittle = true
    var main: [ExifField] = []
    var exif: [ExifField] = []
    var position: [ExifField] = []
    /// True where the source tells the picture's size, which is then told anew.
    var hasSize = false

    var isEmpty: Bool { main.isEmpty && exif.isEmpty && position.isEmpty }

    private enum Tag {
        static let exif = 0x8769, position = 0x8825
        static let width = 0xA002, height = 0xA003
    }

    /// TIFF bytes, from the byte-order mark on.
    ///
    /// - Parameters:
    ///   - width: Pixels of the picture that the block is for; told where the source told its own.
    ///   - height: Pixels of the picture that the block is for.
    func bytes(width: Int, height: Int) -> [UInt8] {
        var shot = exif
        if hasSize, !shot.isEmpty {
            for (tag, pixels) in [(Tag.width, width), (Tag.height, height)] {
                shot.append(ExifField(tag: tag, kind: .long, count: 1, value: number(pixels, 4)))
            }
        }
        var fields = main
        let others = [(Tag.exif, shot), (Tag.position, position)].filter { !$0.1.isEmpty }
        for (tag, _) in others { fields.append(ExifField(tag: tag, kind: .long, count: 1, value: number(0, 4))) }
        var offset = 8 + size(fields)
        for (tag, directory) in others {
            if let index = fields.firstIndex(where: { $0.tag == tag }) { fields[index].value = number(offset, 4) }
            offset += size(directory)
        }
        var bytes: [UInt8] = Array((isLittle ? "II" : "MM").utf8) + number(42, 2) + number(8, 4)
        for directory in [fields] + others.map(\.1) { bytes += written(directory, at: bytes.count) }
        return bytes
    }

    private func size(_ fields: [ExifField]) -> Int {
        fields.reduce(6 + fields.count * 12) { $0 + ($1.value.count > 4 ? ($1.value.count + 1) / 2 * 2 : 0) }
    }

    private func written(_ fields: [ExifField], at offset: Int) -> [UInt8] {
        var table = number(fields.count, 2)
        var values: [UInt8] = []
        let valuesAt = offset + 6 + fields.count * 12
        for field in fields.sorted(by: { $0.tag < $1.tag }) {
            table += number(field.tag, 2) + number(field.kind.rawValue, 2) + number(field.count, 4)
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
        return isLittle ? bytes : bytes.reversed()
    }
}
