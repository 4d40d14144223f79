// SPDX-License-Identifier: Apache-2.0

/// The properties of an XMP packet about the picture itself.
///
/// A property may be written as an attribute or as an element, its value plainly, as a resource, or as an array.
/// Properties inside other properties, such as those of a picture that this one was made from, do not count.
/// Source: XMP part 1 (ISO 16684-1) section 7.
struct XMPPacket: Equatable {
    /// In the order of the packet; of a property that stands twice the first counts.
    private(set) var properties: [XMLNode] = []

    init(properties: [XMLNode] = []) {
        self.properties = properties
    }

    init(_ packet: ByteWindow) {
        let roots = XMLReader.read(packet)
        let description = XMLName(XMPSpace.rdf, "Description")
        var seen: Set<XMLName> = []
        for node in Self.subjects(in: roots) {
            // A bare property stands for itself where there is no description around it.
            let own = node.name == description || node.name.space == XMPSpace.rdf ? Self.members(of: node) : [node]
            for property in own where seen.insert(property.name).inserted { properties.append(property) }
        }
    }

    var isEmpty: Bool { properties.isEmpty }

    subscript(_ space: String, _ local: String) -> XMLNode? {
        let name = XMLName(space, local)
        return properties.first { $0.name == name }
    }

    /// A property's value as one text, without blanks at its ends; of an array the first entry.
    func text(_ space: String, _ local: String) -> String? {
        self[space, local].flatMap(Self.value).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// True where any property is in the namespace.
    func uses(_ space: String) -> Bool { properties.contains { $0.name.space == space } }

    mutating func append(_ property: XMLNode) { properties.append(property) }

    mutating func keep(where passes: (XMLNode) -> Bool) { properties.removeAll { !passes($0) } }

    /// The nodes whose attributes and children are properties, wherever wrappers put them.
    private static func subjects(in roots: [XMLNode]) -> [XMLNode] {
        var level = roots
        for _ in 0..<4 {
            let wrappers: Set = [XMLName(XMPSpace.rdf, "RDF")]
            let isWrapper = { (node: XMLNode) in
                wrappers.contains(node.name) || node.name.space == XMPSpace.meta || node.name.local == "xmpmeta"
                    || node.name.local == "xapmeta"
            }
            guard level.contains(where: isWrapper) else { break }
            level = level.flatMap { isWrapper($0) ? $0.children : [$0] }
        }
        return level
    }

    private static func members(of node: XMLNode) -> [XMLNode] {
        let attributes = node.attributes.filter { ![XMPSpace.rdf, XMPSpace.xml, ""].contains($0.name.space) }
        return attributes.map { XMLNode(name: $0.name, text: $0.value) } + node.children
    }

    /// The text of a property: its own, that of `rdf:value`, or that of the first entry of an array.
    static func value(_ property: XMLNode) -> String? {
        var node = property
        for _ in 0..<6 {
            if let value = node.attribute(XMLName(XMPSpace.rdf, "value")) { return XMLNode.trimmed(value) }
            if node.children.isEmpty { return node.trimmedText }
            let name = XMLName(XMPSpace.rdf, "value")
            guard let inner = node.children.first(where: { $0.name == name }) ?? node.children.first,
                inner.name.space == XMPSpace.rdf
            else { return nil }
            node = inner
        }
        return nil
    }
}
