// SPDX-License-Identifier: Apache-2.0

/// Builds TIFF bytes: an EXIF block, or with strips a whole picture.
struct TIFFSample {
    /// A value as it stands in a directory.
    enum Value {
        case byte([Int])
        case ascii(String)
        case short([Int])
        case long([Int])
        case rational([(Int, Int)])
        case signedRational([(Int, Int)])
        case double([Double])
        /// Any type number, count and four value bytes, as a hostile file may have them.
        case raw(type: Int, count: Int, word: Int)
    }

    var isLittle = true
    var first: [(Int, Value)] = []
    var exif: [(Int, Value)] = []
    var gps: [(Int, Value)] = []
    /// What the first directory says about the next.
    var next = 0

    /// The whole block: header, first directory, then the others, each with its values behind it.
    var bytes: [UInt8] {
        var tags = first
        if !exif.isEmpty { tags.append((0x8769, .long([0]))) }
        if !gps.isEmpty { tags.append((0x8825, .long([0]))) }
        let exifOffset = 8 + directory(tags, at: 8, next: 0).count
        let gpsOffset = exifOffset + (exif.isEmpty ? 0 : directory(exif, at: exifOffset, next: 0).count)
        tags = first
        if !exif.isEmpty { tags.append((0x8769, .long([exifOffset]))) }
        if !gps.isEmpty { tags.append((0x8825, .long([gpsOffset]))) }
        var result: [UInt8] = Array((isLittle ? "II" : "MM").utf8) + integer(42, 2) + integer(8, 4)
        result += directory(tags, at: 8, next: next)
        if !exif.isEmpty { result += directory(exif, at: exifOffset, next: 0) }
        if !gps.isEmpty { result += directory(gps, at: gpsOffset, next: 0) }
        return result
    }

    /// A grey picture of one strip behind the directory.
    static func picture(width: Int, height: Int, orientation: Int = 1, extra: [(Int, Value)] = []) -> [UInt8] {
        var sample = TIFFSample()
        let tags: (Int) -> [(Int, Value)] = { offset in
            [
                (0x100, .long([width])), (0x101, .long([height])), (0x111, .long([offset])),
                (0x112, .short([orientation])),
                (0x117, .long([width * height])),
            ] + extra
        }
        sample.first = tags(0)
        let offset = sample.bytes.count
        sample.first = tags(offset)
        return sample.bytes + [UInt8](repeating: 7, count: width * height)
    }

    /// Pages of one pixel that all name the same long list of empty strips.
    static func pages(_ count: Int, strips: Int) -> [UInt8] {
        let directorySize = 2 + 12 * 4 + 4
        let list = 8 + count * directorySize
        let sample = TIFFSample()
        var result: [UInt8] = Array("II".utf8) + sample.integer(42, 2) + sample.integer(8, 4)
        for page in 1...count {
            result += sample.integer(4, 2)
            for (tag, number, value) in [(0x100, 1, 1), (0x101, 1, 1), (0x111, strips, list), (0x117, strips, list)] {
                result += sample.integer(tag, 2) + sample.integer(4, 2) + sample.integer(number, 4)
                result += sample.integer(value, 4)
            }
            result += sample.integer(page == count ? 0 : 8 + page * directorySize, 4)
        }
        return result + [UInt8](repeating: 0, count: 4 * strips)
    }

    private func directory(_ tags: [(Int, Value)], at offset: Int, next: Int) -> [UInt8] {
        var entries: [UInt8] = []
        var values: [UInt8] = []
        let start = offset + 2 + 12 * tags.count + 4
        for (tag, value) in tags {
            let (type, count, bytes) = encoded(value)
            entries += integer(tag, 2) + integer(type, 2) + integer(count, 4)
            if bytes.count <= 4 {
                entries += bytes + [UInt8](repeating: 0, count: 4 - bytes.count)
            } else {
                entries += integer(start + values.count, 4)
                values += bytes + (bytes.count % 2 == 1 ? [0] : [])
            }
        }
        return integer(tags.count, 2) + entries + integer(next, 4) + values
    }

    private func encoded(_ value: Value) -> (type: Int, count: Int, bytes: [UInt8]) {
        switch value {
        case .byte(let list): (1, list.count, list.flatMap { integer($0, 1) })
        case .ascii(let text): (2, text.utf8.count, Array(text.utf8))
        case .short(let list): (3, list.count, list.flatMap { integer($0, 2) })
        case .long(let list): (4, list.count, list.flatMap { integer($0, 4) })
        case .rational(let list): (5, list.count, list.flatMap { integer($0.0, 4) + integer($0.1, 4) })
        case .signedRational(let list): (10, list.count, list.flatMap { integer($0.0, 4) + integer($0.1, 4) })
        case .double(let list): (12, list.count, list.flatMap(double))
        case .raw(let type, let count, let word): (type, count, integer(word, 4))
        }
    }

    private func double(_ value: Double) -> [UInt8] {
        let bits = value.bitPattern
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: bits >> (8 * UInt64($0))) }
        return isLittle ? bytes : bytes.reversed()
    }

    private func integer(_ value: Int, _ width: Int) -> [UInt8] {
        let bytes = (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return isLittle ? bytes : bytes.reversed()
    }
}
