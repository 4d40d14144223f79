// SPDX-License-Identifier: Apache-2.0

/// Writes an XMP packet with one description.
enum XMPWriter {
    /// - Returns: A packet in UTF-8, equal for equal properties; none where there are no properties.
    static func bytes(_ packet: XMPPacket) -> [UInt8] {
        guard !packet.isEmpty else { return [] }
        let prefixes = prefixes(of: packet.properties)
        let declarations = prefixes.filter { $0.key != XMPSpace.rdf && $0.key != XMPSpace.xml }
            .sorted { $0.value < $1.value }.map { " xmlns:\($0.value)=\"\(escaped($0.key))\"" }.joined()
        let body = packet.properties.map { element($0, prefixes, depth: 0) }.joined()
        let text =
            "<?xpacket begin=\"\u{FEFF}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>"
            + "<x:xmpmeta xmlns:x=\"\(XMPSpace.meta)\"><rdf:RDF xmlns:rdf=\"\(XMPSpace.rdf)\">"
            + "<rdf:Description rdf:about=\"\"\(declarations)>\(body)</rdf:Description></rdf:RDF></x:xmpmeta>"
            + "<?xpacket end=\"r\"?>"
        return Array(text.utf8)
    }

    /// A prefix for every namespace in use: the usual one, else a number in the order of appearance.
    private static func prefixes(of nodes: [XMLNode]) -> [String: String] {
        var result = [XMPSpace.rdf: "rdf", XMPSpace.xml: "xml"]
        var waiting = Array(nodes.reversed())
        while let node = waiting.popLast() {
            for name in [node.name] + node.attributes.map(\.name) where !name.space.isEmpty {
                if result[name.space] == nil {
                    result[name.space] = XMPSpace.prefixes[name.space] ?? "ns\(result.count)"
                }
            }
            waiting += node.children.reversed()
        }
        return result
    }

    /// An element with what stands in it; the reader bounds the depth.
    private static func element(_ node: XMLNode, _ prefixes: [String: String], depth: Int) -> String {
        guard depth < 40, let name = qualified(node.name, prefixes) else { return "" }
        let attributes = node.attributes.compactMap { attribute in
            qualified(attribute.name, prefixes).map { " \($0)=\"\(escaped(attribute.value))\"" }
        }.joined()
        let body =
            node.children.isEmpty
            ? escaped(node.text) : node.children.map { element($0, prefixes, depth: depth + 1) }.joined()
        return body.isEmpty ? "<\(name)\(attributes)/>" : "<\(name)\(attributes)>\(body)</\(name)>"
    }

    /// Prefix and name; `nil` for a name that XML does not allow, or without a namespace.
    private static func qualified(_ name: XMLName, _ prefixes: [String: String]) -> String? {
        guard let prefix = prefixes[name.space], let first = name.local.unicodeScalars.first,
            first.properties.isAlphabetic || first == "_",
            name.local.unicodeScalars.allSatisfy({ scalar in
                scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                    || "_-.".unicodeScalars.contains(scalar)
            })
        else { return nil }
        return "\(prefix):\(name.local)"
    }

    /// False for characters that XML does not allow.
    static func isWritable(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x20 && !(0xFFFE...0xFFFF).contains(scalar.value)
    }

    /// Text for an element or a quoted attribute; characters that XML does not allow are left out.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\t", "\n", "\r": result += "&#\(scalar.value);"
            case _ where !isWritable(scalar): continue
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
