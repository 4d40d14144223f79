// SPDX-License-Identifier: Apache-2.0

/// Blocks that go into a rewritten file; each is empty where there is none.
struct MetadataInsertion {
    /// TIFF bytes.
    var exif: [UInt8] = []
    /// Text of an XMP packet.
    var xmp: [UInt8] = []
    /// Photoshop's resources with an IPTC record.
    var photoshop: [UInt8] = []
    /// A colour profile that takes the place of the file's own.
    var profile: [UInt8] = []

    static let none = MetadataInsertion()
}
