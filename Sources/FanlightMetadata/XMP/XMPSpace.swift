// SPDX-License-Identifier: Apache-2.0

/// Namespaces of XMP properties.
enum XMPSpace {
    static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    static let xml = "http://www.w3.org/XML/1998/namespace"
    static let meta = "adobe:ns:meta/"
    static let exif = "http://ns.adobe.com/exif/1.0/"
    static let exifEx = "http://cipa.jp/exif/1.0/"
    static let tiff = "http://ns.adobe.com/tiff/1.0/"
    static let dublinCore = "http://purl.org/dc/elements/1.1/"
    static let xmp = "http://ns.adobe.com/xap/1.0/"
    static let rights = "http://ns.adobe.com/xap/1.0/rights/"
    static let note = "http://ns.adobe.com/xmp/note/"
    static let photoshop = "http://ns.adobe.com/photoshop/1.0/"
    static let auxiliary = "http://ns.adobe.com/exif/1.0/aux/"
    static let gainMap = "http://ns.adobe.com/hdr-gain-map/1.0/"
    static let appleGainMap = "http://ns.apple.com/HDRGainMap/1.0/"
    static let container = "http://ns.google.com/photos/1.0/container/"
    static let camera = "http://ns.google.com/photos/1.0/camera/"

    /// Prefixes that are written; others are numbered.
    static let prefixes = [
        rdf: "rdf", xml: "xml", exif: "exif", exifEx: "exifEX", tiff: "tiff", dublinCore: "dc", xmp: "xmp",
        rights: "xmpRights", photoshop: "photoshop", auxiliary: "aux",
    ]
}
