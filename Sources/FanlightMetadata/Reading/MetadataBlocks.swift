// SPDX-License-Identifier: Apache-2.0

/// Where a picture's metadata stands; of a kind that stands twice the first counts.
struct MetadataBlocks {
    /// TIFF bytes.
    var exif: ByteWindow?
    /// Text of the main XMP packet.
    var xmp: ByteWindow?
    /// Further parts of the XMP.
    var extensions: [XMPExtension] = []
    /// Photoshop's resources, which hold the IPTC record; parts in the order of the file.
    var photoshop: [ByteWindow] = []
    /// An IPTC record without resources around it.
    var iptc: ByteWindow?
    /// Author and copyright as a PNG's plain texts have them.
    var author: String?
    var copyright: String?

    mutating func add(_ segment: JPEGSegment) {
        if let found = segment.exif {
            exif = exif ?? found
        } else if let found = segment.xmp {
            xmp = xmp ?? found
        } else if let found = segment.extendedXMP {
            if extensions.count < XMPExtension.maxParts { extensions.append(found) }
        } else if let found = segment.photoshop, photoshop.count < 16 {
            photoshop.append(found)
        }
    }

    /// The main packet's properties, and behind them those of its extension.
    func xmpPackets() -> [XMPPacket] {
        guard let xmp else { return [] }
        let main = XMPPacket(xmp)
        guard !extensions.isEmpty, let identifier = main.text(XMPSpace.note, "HasExtendedXMP"),
            let rest = XMPExtension.joined(extensions, identifier: identifier)
        else { return [main] }
        return [main, XMPPacket(rest)]
    }
}
