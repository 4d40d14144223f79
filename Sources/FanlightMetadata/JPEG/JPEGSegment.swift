// SPDX-License-Identifier: Apache-2.0

/// One marker segment of a JPEG.
struct JPEGSegment {
    /// The byte after 0xFF.
    let marker: UInt8
    /// What stands behind the length.
    let payload: ByteWindow
    /// Marker, length, payload, and behind a start of scan the coded data.
    let whole: ByteWindow

    static let startOfScan: UInt8 = 0xDA

    /// True for SOF0 to SOF15, which share their numbers with DHT, JPG and DAC.
    var isFrameHeader: Bool {
        switch marker {
        case 0xC4, 0xC8, 0xCC: false
        case 0xC0...0xCF: true
        default: false
        }
    }

    /// TIFF bytes where this is an EXIF segment.
    var exif: ByteWindow? {
        marker == 0xE1 && payload.has("Exif\u{0}") ? payload.window(from: 6) : nil
    }

    /// Text where this is a main XMP segment.
    var xmp: ByteWindow? {
        let name = "http://ns.adobe.com/xap/1.0/\u{0}"
        return marker == 0xE1 && payload.has(name) ? payload.window(from: name.utf8.count) : nil
    }

    /// A part of the packet that the main XMP segment has no room for.
    var extendedXMP: XMPExtension? {
        let name = "http://ns.adobe.com/xmp/extension/\u{0}"
        let start = name.utf8.count
        guard marker == 0xE1, payload.has(name), let identifier = payload.window(at: start, count: 32),
            let total = payload.uint32(start + 32), let offset = payload.uint32(start + 36),
            let part = payload.window(from: start + 40)
        else { return nil }
        return XMPExtension(
            identifier: String(decoding: identifier.slice, as: UTF8.self),
            total: total,
            offset: offset,
            part: part
        )
    }

    /// Photoshop's resources, or a part of them.
    var photoshop: ByteWindow? {
        let name = "Photoshop 3.0\u{0}"
        return marker == 0xED && payload.has(name) ? payload.window(from: name.utf8.count) : nil
    }

    /// TIFF bytes where this is the index of several pictures (CIPA DC-007).
    var pictureIndex: ByteWindow? {
        marker == 0xE2 && payload.has("MPF\u{0}") ? payload.window(from: 4) : nil
    }

    /// Number, count and bytes where this is a part of an ICC profile.
    var icc: (number: Int, count: Int, part: ByteWindow)? {
        guard marker == 0xE2, payload.has("ICC_PROFILE\u{0}"), let number = payload.uint8(12),
            let count = payload.uint8(13), let part = payload.window(from: 14)
        else { return nil }
        return (number, count, part)
    }

    var isAdobe: Bool { marker == 0xEE && payload.has("Adobe") && payload.count >= 12 }

    var isJFIF: Bool { marker == 0xE0 && payload.has("JFIF\u{0}") && payload.count >= 12 }
}
