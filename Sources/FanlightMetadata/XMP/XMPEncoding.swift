// SPDX-License-Identifier: Apache-2.0

/// Brings an XMP packet into UTF-8.
///
/// Source: XMP part 1, section 7.3.2: packets may be in UTF-8, UTF-16 and UTF-32, in either byte order.
enum XMPEncoding {
    /// - Returns: At most `limit` bytes of the packet, as UTF-8 without a byte-order mark.
    static func utf8(_ packet: ByteWindow, limit: Int) -> [UInt8] {
        let bytes = packet.head(limit)
        let head = Array(bytes.prefix(4))
        switch head {
        case [0xFF, 0xFE, 0, 0], [0x3C, 0, 0, 0]: return wide(bytes, width: 4, little: true)
        case [0, 0, 0xFE, 0xFF], [0, 0, 0, 0x3C]: return wide(bytes, width: 4, little: false)
        default: break
        }
        switch Array(head.prefix(2)) {
        case [0xFF, 0xFE], [0x3C, 0]: return wide(bytes, width: 2, little: true)
        case [0xFE, 0xFF], [0, 0x3C]: return wide(bytes, width: 2, little: false)
        default: break
        }
        return Array(head.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes)
    }

    /// Units of two or four bytes; those that are no character become U+FFFD.
    private static func wide(_ bytes: ArraySlice<UInt8>, width: Int, little: Bool) -> [UInt8] {
        let bytes = Array(bytes)
        let units = stride(from: 0, to: bytes.count / width * width, by: width).map { start in
            (0..<width).reduce(UInt32(0)) { value, index in
                value << 8 | UInt32(bytes[start + (little ? width - 1 - index : index)])
            }
        }
        let text =
            width == 2
            ? String(decoding: units.map { UInt16(truncatingIfNeeded: $0) }, as: UTF16.self)
            : String(decoding: units, as: UTF32.self)
        return Array(text.utf8.starts(with: [0xEF, 0xBB, 0xBF]) ? text.utf8.dropFirst(3) : text.utf8[...])
    }
}
