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
        let taken = exif.flatMap { directory in
            date(directory, time: 0x9003, fraction: 0x9291, offset: 0x9011)
                ?? date(directory, time: 0x9004, fraction: 0x9292, offset: 0x9012)
        }
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

    /// `YYYY-MM-DDTHH:MM:SS` with fraction and offset where they are given; `nil` where the tag holds no date.
    private static func date(_ directory: TIFFDirectory, time: Int, fraction: Int, offset: Int) -> String? {
        guard let text = directory[time]?.text, let stamp = Timestamp.exif(text) else { return nil }
        return stamp + (directory[fraction]?.text.flatMap(Timestamp.fraction) ?? "")
            + (directory[offset]?.text.flatMap(Timestamp.zone) ?? "")
    }
}
