// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Counts the pictures of an image sequence, which a HEIC or AVIF file may have beside its still.
///
/// Source: ISO/IEC 23008-12 section 7, ISO/IEC 14496-12 sections 8.4.3 and 8.7.3.
enum HEIFSequence {
    /// Brands that say that the sequence is what is to be shown.
    private static let brands: Set<String> = ["avis", "msf1", "hevc", "hevx", "heim", "heis"]
    /// Most tracks that are looked at.
    private static let maxTracks = 64

    /// The pictures of the longest track of pictures; 1 where the file's main brand is that of a still.
    ///
    /// - Parameters:
    ///   - movie: The body of the `moov` box.
    ///   - brand: The file's main brand.
    static func frames(of movie: ByteWindow, brand: String?) throws(ImageError) -> Int {
        guard let brand, brands.contains(brand) else { return 1 }
        var frames = 1
        var tracks = 0
        var boxes = BoxCursor(movie)
        while let box = try boxes.next() {
            guard box.name == "trak" else { continue }
            tracks += 1
            guard tracks <= maxTracks else { throw .corrupt("too many tracks") }
            frames = max(frames, try count(track: box.body))
        }
        return frames
    }

    private static func count(track: ByteWindow) throws(ImageError) -> Int {
        guard let media = try child("mdia", of: track), let handler = try child("hdlr", of: media),
            handler.has("pict", at: 8), let information = try child("minf", of: media),
            let table = try child("stbl", of: information)
        else { return 1 }
        // Sizes stand in one of two boxes; both have the count at the same place.
        let (plain, compact) = (try child("stsz", of: table), try child("stz2", of: table))
        return (plain ?? compact)?.uint32(8) ?? 1
    }

    private static func child(_ name: String, of box: ByteWindow) throws(ImageError) -> ByteWindow? {
        var boxes = BoxCursor(box)
        while let child = try boxes.next() {
            if child.name == name { return child.body }
        }
        return nil
    }
}
