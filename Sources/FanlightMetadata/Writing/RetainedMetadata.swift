// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

/// What a policy lets stay of a picture's metadata, ready to be written into another file.
///
/// Everything is on a list and is built anew from what was understood; what is not understood stays out. `keep`
/// takes the whole EXIF block, in which only orientation, size and thumbnail are made true.
public struct RetainedMetadata: Sendable, Equatable {
    enum Exif: Sendable, Equatable {
        case fields(ExifFields)
        case block([UInt8])
    }

    var exif: Exif?
    var xmp = XMPPacket()
    var iptc = IPTCRecord()

    /// True where there is nothing to write.
    public var isEmpty: Bool { exif == nil && xmp.isEmpty && iptc.isEmpty }

    /// Bytes that writing this into a file adds at most.
    public var insertedCount: Int {
        guard !isEmpty else { return 0 }
        // Names, lengths and checksums of the containers' own blocks; WebP's extended header.
        let blocks = exifBytes(width: 65_535, height: 65_535).count + xmpBytes().count
        return blocks + iptc.photoshopResources().count + 256
    }

    /// Picks from a whole file of any type that is taken.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - policy: What may stay; with `strip` nothing does.
    /// - Returns: `nil` where nothing stays, and where the file is not readable.
    public init?(of bytes: [UInt8], policy: MetadataPolicy) {
        self.init(of: PictureBytes(bytes), policy: policy)
    }

    /// The same for a file of which only the pages that are looked at are brought in.
    public init?(of bytes: PictureBytes, policy: MetadataPolicy) {
        guard policy != .strip else { return nil }
        let window = ByteWindow(bytes)
        // Our own limits were checked when the picture came in.
        var limits = ImageLimits()
        limits.maxPixels = 1 << 40
        limits.maxTotalPixels = 1 << 40
        limits.maxFrames = 1 << 20
        guard let type = try? ContentSniffer.mediaType(of: window),
            let blocks = try? ImageReader.container(window, type: type, limits: limits).metadata
        else { return nil }
        self.init(blocks, policy: policy, isWholeBlock: type != .tiff)
        if isEmpty { return nil }
    }

    init(_ blocks: MetadataBlocks, policy: MetadataPolicy, isWholeBlock: Bool) {
        if let block = blocks.exif {
            if policy == .keep, isWholeBlock, TIFFStructure(block) != nil {
                exif = .block(Array(block.slice))
            } else {
                exif = ExifWhitelist.fields(of: block, policy: policy).map { .fields($0) }
            }
        }
        if let text = blocks.xmp { xmp = XMPWhitelist.properties(of: XMPPacket(text), policy: policy) }
        let record = blocks.iptc.map(IPTCRecord.init(record:)) ?? IPTCRecord(photoshop: blocks.photoshop)
        iptc = record.allowed(by: policy)
        guard policy != .strip else { return }
        addMissing("creator", "Seq", blocks.author)
        addMissing("rights", "Alt", blocks.copyright)
    }

    /// The EXIF block for a picture of the given size; empty for none.
    func exifBytes(width: Int, height: Int) -> [UInt8] {
        switch exif {
        case nil: []
        case .fields(let fields): fields.bytes(width: width, height: height)
        case .block(let block): ExifPatch.upright(block, width: width, height: height) ?? []
        }
    }

    /// The XMP packet; empty for none.
    func xmpBytes() -> [UInt8] { XMPWriter.bytes(xmp) }

    /// For formats that have no place for an IPTC record: its by-line, credit and notice as XMP.
    func withoutIPTC() -> RetainedMetadata {
        var copy = self
        copy.iptc = IPTCRecord()
        copy.addMissing("creator", "Seq", iptc[IPTCRecord.byline])
        copy.addMissing("rights", "Alt", iptc[IPTCRecord.copyright])
        if let credit = iptc[IPTCRecord.credit].map(XMPWhitelist.clean), !credit.isEmpty,
            xmp[XMPSpace.photoshop, "Credit"] == nil
        {
            copy.xmp.append(XMLNode(name: XMLName(XMPSpace.photoshop, "Credit"), text: credit))
        }
        return copy
    }

    /// For formats that have no place for EXIF either: artist and copyright as XMP.
    func asXMP() -> RetainedMetadata {
        var copy = withoutIPTC()
        copy.exif = nil
        let block = ByteWindow(exifBytes(width: 1, height: 1))
        guard let file = TIFFStructure(block), let first = file.directory(at: file.firstDirectory) else { return copy }
        copy.addMissing("creator", "Seq", first[0x13B]?.text)
        copy.addMissing("rights", "Alt", first[0x8298]?.text)
        return copy
    }

    /// Adds a Dublin Core property with one text unless it is there.
    private mutating func addMissing(_ name: String, _ array: String, _ text: String?) {
        guard let text = text.map(XMPWhitelist.clean), !text.isEmpty, xmp[XMPSpace.dublinCore, name] == nil else {
            return
        }
        var entry = XMLNode(name: XMLName(XMPSpace.rdf, "li"), text: text)
        if array == "Alt" { entry.attributes = [(XMLName(XMPSpace.xml, "lang"), "x-default")] }
        let list = XMLNode(name: XMLName(XMPSpace.rdf, array), children: [entry])
        xmp.append(XMLNode(name: XMLName(XMPSpace.dublinCore, name), children: [list]))
    }
}
