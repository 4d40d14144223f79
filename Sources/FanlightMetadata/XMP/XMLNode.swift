// SPDX-License-Identifier: Apache-2.0

/// A name of an XML element or attribute.
struct XMLName: Hashable, Sendable {
    /// The namespace; empty where there is none.
    var space: String
    var local: String

    init(_ space: String, _ local: String) {
        self.space = space
        self.local = local
    }
}

/// An XML element with what stands in it.
struct XMLNode: Equatable, Sendable {
    var name: XMLName
    var attributes: [(name: XMLName, value: String)] = []
    var children: [XMLNode] = []
    /// All text directly inside, in one piece.
    var text = ""

    static func == (a: XMLNode, b: XMLNode) -> Bool {
        a.name == b.name && a.text == b.text && a.children == b.children
            && a.attributes.elementsEqual(b.attributes) { $0.name == $1.name && $0.value == $1.value }
    }

    func attribute(_ name: XMLName) -> String? { attributes.first { $0.name == name }?.value }

    /// Text without blanks at its ends.
    var trimmedText: String { Self.trimmed(text) }

    static func trimmed(_ text: String) -> String {
        let scalars = text.unicodeScalars
        func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace || scalar.value == 0xFEFF }
        guard let first = scalars.firstIndex(where: { !isBlank($0) }),
            let last = scalars.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(scalars[first...last])
    }
}
