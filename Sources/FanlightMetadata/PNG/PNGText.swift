// SPDX-License-Identifier: Apache-2.0

/// A text chunk of a PNG: keyword and text, unpacked where it is packed.
///
/// Source: PNG, third edition, section 11.3.3; the profiles in hexadecimal are a habit of ImageMagick and others.
struct PNGText {
    /// Most bytes that a text stands for.
    private static let maxBytes = 1 << 20

    let keyword: String
    let text: ByteWindow

    /// `nil` for other chunks and for text that is broken or too long.
    init?(_ chunk: PNGChunk) {
        let data = chunk.data
        guard ["tEXt", "zTXt", "iTXt"].contains(chunk.name), let end = data.firstOffset(of: 0, from: 0), end <= 79,
            let name = data.window(at: 0, count: end)
        else { return nil }
        keyword = String(decoding: name.slice, as: UTF8.self)
        let found: ByteWindow?
        switch chunk.name {
        case "zTXt": found = data.uint8(end + 1) == 0 ? data.window(from: end + 2).flatMap(Self.unpacked) : nil
        case "iTXt": found = Self.international(data, from: end + 1)
        default: found = data.window(from: end + 1)
        }
        guard let found, found.count <= Self.maxBytes else { return nil }
        text = found
    }

    /// True where the keyword says that this is an XMP packet.
    var isXMP: Bool { keyword == "XML:com.adobe.xmp" }

    /// The bytes of a profile that stands in hexadecimal digits behind its name and its length; `nil` for other texts.
    func profile(_ kinds: [String]) -> ByteWindow? {
        guard kinds.contains(where: { keyword == "Raw profile type " + $0 }) else { return nil }
        let words = text.slice.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D || $0 == 0x20 })
        guard words.count > 2, let count = Int(String(decoding: words[1], as: UTF8.self)), count > 0,
            count <= Self.maxBytes
        else { return nil }
        var bytes: [UInt8] = []
        var high: UInt8?
        for digit in words[2...].joined() {
            guard let value = Self.value(digit) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes.count == count ? ByteWindow(bytes) : nil
    }

    private static func unpacked(_ stream: ByteWindow) -> ByteWindow? {
        DeflateMeter.unpack(zlib: stream, limit: maxBytes, wanted: maxBytes).map { ByteWindow($0.head) }
    }

    /// Behind the keyword stand two flags, a language and the keyword in that language.
    private static func international(_ data: ByteWindow, from start: Int) -> ByteWindow? {
        guard let packing = data.uint8(start), let method = data.uint8(start + 1),
            let language = data.firstOffset(of: 0, from: start + 2),
            let translated = data.firstOffset(of: 0, from: language + 1), let text = data.window(from: translated + 1)
        else { return nil }
        switch (packing, method) {
        case (0, _): return text
        case (1, 0): return unpacked(text)
        default: return nil
        }
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x37
        case 0x61...0x66: digit - 0x57
        default: nil
        }
    }
}
