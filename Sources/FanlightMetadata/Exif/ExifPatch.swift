// SPDX-License-Identifier: Apache-2.0

/// Makes a whole EXIF block true for a picture that was made upright or got another size.
///
/// Nothing moves, because maker notes point into the block by offsets of their own. The orientation becomes 1, sizes
/// become those of the new picture, and the thumbnail, which was not turned, is no longer pointed at.
enum ExifPatch {
    /// - Parameters:
    ///   - block: TIFF bytes, from the byte-order mark on.
    ///   - width: Pixels of the new picture.
    ///   - height: Pixels of the new picture.
    /// - Returns: The changed block; `nil` where it is none.
    static func upright(_ block: [UInt8], width: Int, height: Int) -> [UInt8]? {
        guard let file = TIFFStructure(ByteWindow(block)), let count = file.count(at: file.firstDirectory) else {
            return nil
        }
        var result = block
        let first = file.firstDirectory
        set(0x112, to: 1, in: &result, file, at: first)
        set(0x100, to: width, in: &result, file, at: first)
        set(0x101, to: height, in: &result, file, at: first)
        if let shot = file.directory(at: first)?[0x8769]?.integer(), shot != first {
            set(0xA002, to: width, in: &result, file, at: shot)
            set(0xA003, to: height, in: &result, file, at: shot)
        }
        let next = first + 2 + 12 * count
        guard file.bytes.window(at: next, count: 4) != nil else { return nil }
        result.replaceSubrange(next..<(next + 4), with: [0, 0, 0, 0])
        return result
    }

    /// Writes a number over that of every field with the tag; a field of another type is made one of the right type.
    private static func set(_ tag: Int, to value: Int, in block: inout [UInt8], _ file: TIFFStructure, at offset: Int) {
        let isShort = value < 65_536
        for index in 0..<(file.count(at: offset) ?? 0) {
            let place = offset + 2 + 12 * index
            guard file.bytes.uint16(place, little: file.isLittle) == tag, place + 12 <= block.count else { continue }
            let kind = isShort ? TIFFEntry.Kind.short : .long
            let width = isShort ? 2 : 4
            let entry = number(kind.rawValue, 2, file) + number(1, 4, file) + number(value, width, file)
            block.replaceSubrange((place + 2)..<(place + 12), with: entry + [UInt8](repeating: 0, count: 4 - width))
        }
    }

    private static func number(_ value: Int, _ size: Int, _ file: TIFFStructure) -> [UInt8] {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return file.isLittle ? bytes : bytes.reversed()
    }
}
