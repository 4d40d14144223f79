// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Reads the position of an XMP packet.
///
/// The packet is searched for the properties' names, as attributes or elements; it is not parsed as XML, so that no
/// entity is ever expanded. Extended XMP is not looked at.
/// Source: XMP part 2, section "EXIF schema", type GPSCoordinate.
enum XMPPosition {
    /// Most bytes of a packet that are searched.
    private static let maxBytes = 1 << 20

    static func read(_ packet: ByteWindow) -> PositionReading {
        let values = properties(packet)
        guard let north = values["GPSLatitude"], let east = values["GPSLongitude"] else {
            return values["GPSLatitude"] == nil && values["GPSLongitude"] == nil
                ? PositionReading() : .none(.incomplete)
        }
        guard let latitude = coordinate(north, reference: values["GPSLatitudeRef"], "N", "S"),
            let longitude = coordinate(east, reference: values["GPSLongitudeRef"], "E", "W")
        else { return .none(.unreadable) }
        let isBelow = ["1", "3"].contains(values["GPSAltitudeRef"])
        let metres = values["GPSAltitude"].flatMap(PositionNumber.quotient).map { isBelow ? -abs($0) : $0 }
        return PositionReader.finish(
            latitude: latitude,
            longitude: longitude,
            altitude: metres.flatMap { abs($0) <= 100_000 ? $0 : nil },
            source: .xmp,
            remarks: []
        )
    }

    /// `D,M,S` or `D,M.m` with a letter behind, or a bare signed decimal; a separate reference gives the letter.
    static func coordinate(
        _ text: String,
        reference: String?,
        _ positive: Character,
        _ negative: Character
    ) -> Double? {
        var body = text.uppercased().filter { !$0.isWhitespace }
        var letter = reference?.uppercased().first { !$0.isWhitespace }
        if let last = body.last, last.isLetter {
            letter = last
            body.removeLast()
        }
        let words = body.split(separator: ",", omittingEmptySubsequences: false).map {
            PositionNumber.number(String($0))
        }
        guard (1...3).contains(words.count), !words.contains(nil) else { return nil }
        let parts = words.compactMap { $0 } + [0, 0]
        let magnitude = abs(parts[0]) + abs(parts[1]) / 60 + abs(parts[2]) / 3600
        switch letter {
        case positive: return magnitude
        case negative: return -magnitude
        case nil: return words.count == 1 ? parts[0] : nil
        default: return nil
        }
    }

    /// The EXIF schema's GPS properties, of each the first.
    private static func properties(_ packet: ByteWindow) -> [String: String] {
        let bytes = Array(packet.slice.prefix(maxBytes))
        var found: [String: String] = [:]
        let mark = Array(":GPS".utf8)
        var index = bytes.firstIndex(of: mark[0])
        while let colon = index, colon + mark.count < bytes.count {
            if bytes[colon..<(colon + mark.count)].elementsEqual(mark), isStart(bytes, before: colon) {
                let name = bytes[(colon + 1)...].prefix(while: isLetter)
                if let value = value(bytes[name.endIndex...]) {
                    let key = String(decoding: name, as: UTF8.self)
                    if found[key] == nil { found[key] = value }
                }
            }
            index = bytes[(colon + 1)...].firstIndex(of: mark[0])
        }
        return found
    }

    /// True where the prefix before the colon is `exif`, and opens an element or an attribute.
    private static func isStart(_ bytes: [UInt8], before colon: Int) -> Bool {
        let start = colon - 4
        guard start >= 1, bytes[start..<colon].elementsEqual("exif".utf8) else { return false }
        return [0x3C, 0x20, 0x09, 0x0A, 0x0D].contains(bytes[start - 1])
    }

    /// The quoted text behind an equals sign, or the text up to the next tag behind a closing bracket.
    private static func value(_ bytes: ArraySlice<UInt8>) -> String? {
        let rest = bytes.drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
        if rest.first == 0x3E {
            let text = rest.dropFirst().prefix(128).prefix { $0 != 0x3C }
            return trimmed(text)
        }
        guard rest.first == 0x3D else { return nil }
        let quoted = rest.dropFirst().drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
        guard let quote = quoted.first, quote == 0x22 || quote == 0x27 else { return nil }
        return trimmed(quoted.dropFirst().prefix(128).prefix { $0 != quote })
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> String? {
        let text = String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
        return text.isEmpty ? nil : text
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}
