// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// What an EXIF block says.
struct ExifFacts {
    var orientation: Orientation
    var takenAt: String?
    var make: String?
    var model: String?
    /// The position directory, where there is one.
    var gps: TIFFDirectory?
}

/// Reads an EXIF block: the first directory and the two that it points at, never further.
///
/// Source: Exif 3.0 (CIPA DC-008) section 4.6.
enum ExifReader {
    /// - Parameter bytes: TIFF bytes from the byte-order mark on.
    /// - Returns: `nil` where the header is none of TIFF's.
    static func read(_ bytes: ByteWindow) -> ExifFacts? {
        guard let file = TIFFStructure(bytes), let first = file.directory(at: file.firstDirectory) else { return nil }
        let exif = subdirectory(0x8769, of: first, in: file)
        let taken = exif.flatMap { date($0, time: 0x9003, offset: 0x9011) ?? date($0, time: 0x9004, offset: 0x9012) }
        return ExifFacts(
            orientation: first[0x112]?.integer().flatMap(Orientation.init(rawValue:)) ?? .upright,
            takenAt: taken,
            make: first[0x10F]?.text,
            model: first[0x110]?.text,
            gps: subdirectory(0x8825, of: first, in: file)
        )
    }

    private static func subdirectory(_ tag: Int, of first: TIFFDirectory, in file: TIFFStructure) -> TIFFDirectory? {
        guard let offset = first[tag]?.integer(), offset != file.firstDirectory else { return nil }
        return file.directory(at: offset)
    }

    /// `YYYY-MM-DDTHH:MM:SS` with the offset where one is given; `nil` where the tag holds no date.
    private static func date(_ directory: TIFFDirectory, time: Int, offset: Int) -> String? {
        guard let text = directory[time]?.text, let stamp = timestamp(text) else { return nil }
        return stamp + (directory[offset]?.text.flatMap(zone) ?? "")
    }

    /// Turns `YYYY:MM:DD HH:MM:SS` into ISO 8601.
    static func timestamp(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.count == 19, bytes[4] == bytes[7], bytes[4] == 0x3A || bytes[4] == 0x2D,
            bytes[10] == 0x20 || bytes[10] == 0x54, bytes[13] == 0x3A, bytes[16] == 0x3A,
            let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]),
            let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]), let second = number(bytes[17..<19]),
            year > 0, (1...12).contains(month), day >= 1, day <= days(of: month, in: year), hour < 24, minute < 60,
            second <= 60
        else { return nil }
        let part = { (range: Range<Int>) in String(decoding: bytes[range], as: UTF8.self) }
        return "\(part(0..<4))-\(part(5..<7))-\(part(8..<10))T\(part(11..<19))"
    }

    /// `+HH:MM`, `-HH:MM` or `Z`.
    private static func zone(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        if text == "Z" { return text }
        guard bytes.count == 6, bytes[0] == 0x2B || bytes[0] == 0x2D, bytes[3] == 0x3A,
            let hour = number(bytes[1..<3]), let minute = number(bytes[4..<6]), hour <= 14, minute < 60
        else { return nil }
        return text
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1) - 0x30 }
    }

    private static func days(of month: Int, in year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
