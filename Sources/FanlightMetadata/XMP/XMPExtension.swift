// SPDX-License-Identifier: Apache-2.0

/// One part of the XMP that stands in further segments of a JPEG (XMP part 3, section 1.1.3.1).
struct XMPExtension {
    /// 32 characters that the main packet names, too.
    let identifier: String
    /// Bytes of all parts together.
    let total: Int
    /// Where in them this part stands.
    let offset: Int
    let part: ByteWindow

    /// Most parts that are looked at.
    static let maxParts = 1_000

    /// The joined bytes of the parts with an identifier, at most `XMLReader.maxBytes`; up to the first gap.
    static func joined(_ parts: [XMPExtension], identifier: String) -> ByteWindow? {
        let own = parts.filter { $0.identifier == identifier }.sorted { $0.offset < $1.offset }
        guard let total = own.first?.total, own.first?.offset == 0 else { return nil }
        var bytes: [UInt8] = []
        for part in own where part.total == total && part.offset == bytes.count && bytes.count < XMLReader.maxBytes {
            bytes += part.part.head(XMLReader.maxBytes - bytes.count)
        }
        return ByteWindow(bytes)
    }
}
