// SPDX-License-Identifier: Apache-2.0

/// Reads the elements of an XMP packet.
///
/// Only what packets have is known: elements, attributes, namespaces, character data, comments, processing
/// instructions. Entities are the five of XML and numbers, so that nothing ever expands; a document type ends the
/// reading. What is broken ends it too, and what was read until then counts, because packets of the field are often
/// cut or padded. Nothing recurses.
struct XMLReader {
    /// Most bytes of a packet; more is not looked at.
    static let maxBytes = 1 << 20
    private static let maxDepth = 32
    private static let maxNodes = 20_000
    private static let maxAttributes = 1_000
    private static let maxSpaces = 200

    /// Prefixes that count where a packet uses them without declaring them.
    private static let usualSpaces = [
        "exif": XMPSpace.exif, "tiff": XMPSpace.tiff, "dc": XMPSpace.dublinCore, "xmp": XMPSpace.xmp,
        "rdf": XMPSpace.rdf, "xmpRights": XMPSpace.rights, "photoshop": XMPSpace.photoshop, "x": XMPSpace.meta,
        "xml": XMPSpace.xml,
    ]

    private let bytes: [UInt8]
    private var offset = 0
    private var nodes = 0
    private var roots: [XMLNode] = []
    private var open: [(node: XMLNode, tag: String, spaces: [String: String])] = []

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The elements on the outermost level.
    static func read(_ packet: ByteWindow) -> [XMLNode] {
        var reader = XMLReader(XMPEncoding.utf8(packet, limit: maxBytes))
        while reader.step() {}
        while !reader.open.isEmpty { reader.close() }
        return reader.roots
    }

    /// Reads one piece of markup with the text in front of it; false at the end.
    private mutating func step() -> Bool {
        guard let mark = bytes[offset...].firstIndex(of: 0x3C) else { return false }
        if !open.isEmpty { open[open.count - 1].node.text += Self.unescaped(bytes[offset..<mark]) }
        offset = mark
        if skip("<!--", "-->") || skip("<?", "?>") { return offset < bytes.count }
        if has("<![CDATA[") { return characterData() }
        if has("<!") { return false }
        guard let end = endOfTag(from: mark + 1) else { return false }
        let tag = bytes[(mark + 1)..<end]
        offset = end + 1
        return tag.first == 0x2F ? closeTag(tag.dropFirst()) : openTag(tag)
    }

    private func has(_ text: String) -> Bool { bytes[offset...].starts(with: text.utf8) }

    /// Steps over a piece of markup; to the end where it is not closed.
    private mutating func skip(_ start: String, _ end: String) -> Bool {
        guard has(start) else { return false }
        offset = self.end(of: end, from: offset + start.utf8.count) ?? bytes.count
        return true
    }

    /// Where the first place of the text ends.
    private func end(of text: String, from start: Int) -> Int? {
        let mark = Array(text.utf8)
        var position = start
        while let found = bytes[position...].firstIndex(of: mark[0]) {
            if bytes[found...].starts(with: mark) { return found + mark.count }
            position = found + 1
        }
        return nil
    }

    private mutating func characterData() -> Bool {
        let start = offset + 9
        guard let end = end(of: "]]>", from: start) else { return false }
        if !open.isEmpty {
            open[open.count - 1].node.text += String(decoding: bytes[start..<(end - 3)], as: UTF8.self)
        }
        offset = end
        return true
    }

    /// The closing bracket of a tag, not one inside quotes.
    private func endOfTag(from start: Int) -> Int? {
        var quote: UInt8?
        for index in start..<bytes.count {
            let byte = bytes[index]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == 0x22 || byte == 0x27 {
                quote = byte
            } else if byte == 0x3E {
                return index
            } else if byte == 0x3C {
                return nil
            }
        }
        return nil
    }

    private mutating func closeTag(_ tag: ArraySlice<UInt8>) -> Bool {
        let name = String(decoding: tag.prefix { !Self.isBlank($0) }, as: UTF8.self)
        guard open.last?.tag == name else { return false }
        close()
        return true
    }

    private mutating func close() {
        guard let closed = open.popLast() else { return }
        if open.isEmpty {
            roots.append(closed.node)
        } else {
            open[open.count - 1].node.children.append(closed.node)
        }
    }

    private mutating func openTag(_ whole: ArraySlice<UInt8>) -> Bool {
        let isEmpty = whole.last == 0x2F
        let tag = isEmpty ? whole.dropLast() : whole
        let name = tag.prefix { !Self.isBlank($0) }
        nodes += 1
        guard !name.isEmpty, nodes <= Self.maxNodes, open.count < Self.maxDepth,
            let pairs = Self.pairs(tag[name.endIndex...])
        else { return false }
        nodes += pairs.count
        var spaces = open.last?.spaces ?? Self.usualSpaces
        for (key, value) in pairs {
            if key == "xmlns" { spaces[""] = value }
            if key.hasPrefix("xmlns:") { spaces[String(key.dropFirst(6))] = value }
        }
        guard spaces.count <= Self.maxSpaces else { return false }
        let text = String(decoding: name, as: UTF8.self)
        var node = XMLNode(name: Self.resolved(text, spaces, isElement: true))
        for (key, value) in pairs where key != "xmlns" && !key.hasPrefix("xmlns:") {
            node.attributes.append((Self.resolved(key, spaces, isElement: false), value))
        }
        open.append((node, text, spaces))
        if isEmpty { close() }
        return true
    }

    /// Names and values of a tag's attributes; `nil` where they are none.
    private static func pairs(_ tag: ArraySlice<UInt8>) -> [(String, String)]? {
        var result: [(String, String)] = []
        var rest = tag.drop(while: isBlank)
        while !rest.isEmpty {
            let name = rest.prefix { $0 != 0x3D && !isBlank($0) }
            let afterName = rest[name.endIndex...].drop(while: isBlank)
            guard !name.isEmpty, afterName.first == 0x3D else { return nil }
            let quoted = afterName.dropFirst().drop(while: isBlank)
            guard let quote = quoted.first, quote == 0x22 || quote == 0x27,
                let end = quoted.dropFirst().firstIndex(of: quote), result.count < maxAttributes
            else { return nil }
            let value = quoted[(quoted.startIndex + 1)..<end]
            result.append((String(decoding: name, as: UTF8.self), unescaped(value)))
            rest = quoted[(end + 1)...].drop(while: isBlank)
        }
        return result
    }

    private static func resolved(_ text: String, _ spaces: [String: String], isElement: Bool) -> XMLName {
        guard let colon = text.firstIndex(of: ":") else {
            return XMLName(isElement ? spaces[""] ?? "" : "", text)
        }
        let prefix = String(text[..<colon])
        return XMLName(spaces[prefix] ?? "", String(text[text.index(after: colon)...]))
    }

    /// Text with its entities replaced; unknown ones are left out.
    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> String {
        guard bytes.contains(0x26) else { return String(decoding: bytes, as: UTF8.self) }
        var result = ""
        var rest = bytes
        while let mark = rest.firstIndex(of: 0x26) {
            result += String(decoding: rest[..<mark], as: UTF8.self)
            let body = rest[(mark + 1)...].prefix(12)
            guard let end = body.firstIndex(of: 0x3B) else {
                rest = rest[(mark + 1)...]
                continue
            }
            if let scalar = entity(String(decoding: body[..<end], as: UTF8.self)) {
                result.unicodeScalars.append(scalar)
            }
            rest = rest[(end + 1)...]
        }
        return result + String(decoding: rest, as: UTF8.self)
    }

    private static func entity(_ name: String) -> Unicode.Scalar? {
        switch name {
        case "lt": return "<"
        case "gt": return ">"
        case "amp": return "&"
        case "quot": return "\""
        case "apos": return "'"
        default: break
        }
        guard name.hasPrefix("#") else { return nil }
        let isHexadecimal = name.hasPrefix("#x")
        let value = UInt32(name.dropFirst(isHexadecimal ? 2 : 1), radix: isHexadecimal ? 16 : 10)
        return value.flatMap(Unicode.Scalar.init)
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
