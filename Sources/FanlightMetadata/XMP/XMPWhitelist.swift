// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// The XMP properties that a policy lets stay.
///
/// What is listed is written anew from its text; structures stay out. `keep` leaves all but what belongs to the file
/// that the packet came from.
enum XMPWhitelist {
    private static let copyright: Set<XMLName> = [
        XMLName(XMPSpace.dublinCore, "creator"), XMLName(XMPSpace.dublinCore, "rights"),
        XMLName(XMPSpace.rights, "Marked"), XMLName(XMPSpace.rights, "Owner"), XMLName(XMPSpace.rights, "UsageTerms"),
        XMLName(XMPSpace.rights, "WebStatement"), XMLName(XMPSpace.rights, "Certificate"),
        XMLName(XMPSpace.photoshop, "Credit"),
    ]
    private static let shot: Set<XMLName> = [
        XMLName(XMPSpace.xmp, "CreateDate"), XMLName(XMPSpace.photoshop, "DateCreated"), XMLName(XMPSpace.tiff, "Make"),
        XMLName(XMPSpace.tiff, "Model"), XMLName(XMPSpace.tiff, "Artist"), XMLName(XMPSpace.tiff, "Copyright"),
        XMLName(XMPSpace.exif, "DateTimeOriginal"), XMLName(XMPSpace.exif, "ExposureTime"),
        XMLName(XMPSpace.exif, "FNumber"), XMLName(XMPSpace.exif, "ISOSpeedRatings"),
        XMLName(XMPSpace.exif, "FocalLength"), XMLName(XMPSpace.exifEx, "LensModel"),
        XMLName(XMPSpace.auxiliary, "Lens"),
    ]
    /// Namespaces whose properties speak of parts that a rewritten file no longer has.
    private static let companions: Set = [
        XMPSpace.gainMap, XMPSpace.appleGainMap, XMPSpace.container, XMPSpace.camera, XMPSpace.note,
    ]
    /// Properties that would be false for a picture made upright or smaller.
    private static let stale: Set<XMLName> = [
        XMLName(XMPSpace.tiff, "Orientation"), XMLName(XMPSpace.tiff, "ImageWidth"),
        XMLName(XMPSpace.tiff, "ImageLength"), XMLName(XMPSpace.exif, "PixelXDimension"),
        XMLName(XMPSpace.exif, "PixelYDimension"), XMLName(XMPSpace.exif, "Orientation"),
        XMLName(XMPSpace.xmp, "Thumbnails"), XMLName(XMPSpace.xmp, "ThumbnailsIsDirty"),
    ]

    static func properties(of packet: XMPPacket, policy: MetadataPolicy) -> XMPPacket {
        let names: Set<XMLName>
        switch policy {
        case .strip: return XMPPacket()
        case .copyright: names = copyright
        case .stripGPS: names = copyright.union(shot)
        case .keep:
            var result = packet
            result.keep { !companions.contains($0.name.space) && !stale.contains($0.name) }
            return result
        }
        return XMPPacket(properties: packet.properties.filter { names.contains($0.name) }.compactMap(plain))
    }

    /// Most characters of one text, and most texts of one property.
    private static let maxText = 4_096
    private static let maxEntries = 64

    /// The property with its text or its array of texts and nothing else; `nil` for a structure.
    private static func plain(_ property: XMLNode) -> XMLNode? {
        let array = property.children.first
        if let array, property.children.count == 1, array.name.space == XMPSpace.rdf,
            ["Alt", "Bag", "Seq"].contains(array.name.local)
        {
            var copy = XMLNode(name: array.name)
            for entry in array.children.prefix(maxEntries) {
                guard entry.children.isEmpty, entry.name == XMLName(XMPSpace.rdf, "li") else { return nil }
                var item = XMLNode(name: entry.name, text: clean(entry.text))
                let language = XMLName(XMPSpace.xml, "lang")
                if let value = entry.attribute(language), isLanguage(value) { item.attributes = [(language, value)] }
                copy.children.append(item)
            }
            return copy.children.isEmpty ? nil : XMLNode(name: property.name, children: [copy])
        }
        guard let value = XMPPacket.value(property) else { return nil }
        let text = clean(value)
        return text.isEmpty ? nil : XMLNode(name: property.name, text: text)
    }

    /// The text's first characters without controls and without blanks at its ends.
    static func clean(_ text: String) -> String {
        let scalars = text.unicodeScalars.filter { XMPWriter.isWritable($0) && !(0x7F...0x9F).contains($0.value) }
        return XMLNode.trimmed(String(String(String.UnicodeScalarView(scalars)).prefix(maxText)))
    }

    /// A language tag (RFC 5646).
    private static func isLanguage(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    }
}
