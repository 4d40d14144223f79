// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Copies the first picture of a JPEG without metadata.
enum JPEGStripper {
    /// Most bytes behind the names of the segments.
    static let longestExif = 65_527
    static let longestXMP = 65_533 - xmpName.count
    static let longestPhotoshop = 65_533 - photoshopName.count

    private static let xmpName = Array("http://ns.adobe.com/xap/1.0/\u{0}".utf8)
    private static let photoshopName = Array("Photoshop 3.0\u{0}".utf8)

    static func strip(
        _ bytes: ByteWindow,
        adding insertion: MetadataInsertion = .none
    ) throws(ImageError) -> [PicturePiece] {
        var cursor = try JPEGCursor(bytes)
        var head: [UInt8] = []
        var body = PieceList()
        var profile = ICCParts()
        var components = 0
        var hasScan = false
        while let segment = try cursor.next() {
            if segment.isJFIF, head.isEmpty {
                head = jfif(segment.payload)
            } else if let part = segment.icc {
                profile.add(part)
            } else if segment.isAdobe {
                body.append([0xFF, 0xEE, 0, 14] + segment.payload.head(12))
            } else if isCoding(segment.marker) {
                body.append(segment.whole)
            }
            if segment.isFrameHeader { components = segment.payload.uint8(5) ?? 0 }
            if segment.marker == JPEGSegment.startOfScan { hasScan = true }
        }
        guard hasScan else { throw .corrupt("no picture data") }
        var result: [UInt8] = [0xFF, 0xD8]
        result += head
        if !insertion.exif.isEmpty { result += segment(0xE1, Array("Exif\u{0}\u{0}".utf8), insertion.exif) }
        if !insertion.xmp.isEmpty { result += segment(0xE1, xmpName, insertion.xmp) }
        if !insertion.photoshop.isEmpty { result += segment(0xED, photoshopName, insertion.photoshop) }
        let found = insertion.profile.isEmpty ? profile.joined ?? [] : insertion.profile
        if ICCProfile.isSound(found, components: components) { result += ICCParts.segments(of: found) }
        // The end marker follows the last scan, so that both are one part of the file.
        if let trailer = cursor.trailer, let end = bytes.window(at: trailer.place.lowerBound - 2, count: 2) {
            body.append(end)
        } else {
            body.append([0xFF, 0xD9])
        }
        return PieceList(result).joined(with: body).pieces
    }

    /// Frame headers, tables, restart intervals, scans and line counts.
    private static func isCoding(_ marker: UInt8) -> Bool {
        switch marker {
        case 0xC8: false
        case 0xC0...0xCF, 0xDA...0xDF: true
        default: false
        }
    }

    /// Version, unit and density; the thumbnail is left out.
    private static func jfif(_ payload: ByteWindow) -> [UInt8] {
        [0xFF, 0xE0, 0, 16] + payload.head(12) + [0, 0]
    }

    private static func segment(_ marker: UInt8, _ name: [UInt8], _ data: [UInt8]) -> [UInt8] {
        let length = name.count + data.count + 2
        return [0xFF, marker, UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF)] + name + data
    }
}
