// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Tells the true type from the first bytes; names and declared types play no part.
enum ContentSniffer {
    static func mediaType(of bytes: ByteWindow) throws(ImageError) -> MediaType {
        if bytes.has([0xFF, 0xD8, 0xFF]) { return .jpeg }
        if bytes.has(PNGChunkCursor.signature) { return .png }
        if bytes.has("GIF87a") || bytes.has("GIF89a") { return .gif }
        if bytes.has("RIFF") && bytes.has("WEBP", at: 8) { return .webp }
        if bytes.has([0x49, 0x49, 0x2A, 0x00]) || bytes.has([0x4D, 0x4D, 0x00, 0x2A]) {
            if bytes.has("CR", at: 8) { throw .unsupportedType("cr2") }
            return .tiff
        }
        if bytes.has("BM"), let header = bytes.uint32(14, little: true), BMPReader.headerSizes.contains(header) {
            return .bmp
        }
        if bytes.has("ftyp", at: 4) { return try brand(of: bytes) }
        throw .unsupportedType(nameOfOther(bytes))
    }

    /// HEIC or AVIF by the major brand, else by the first compatible brand that says which.
    private static func brand(of bytes: ByteWindow) throws(ImageError) -> MediaType {
        guard let size = bytes.uint32(0), size >= 16, size <= 4096 else { throw .corrupt("bad file type box") }
        guard let box = bytes.window(at: 8, count: size - 8) else { throw .truncated }
        var brands = [box.name(at: 0)]
        brands += stride(from: 8, to: box.count - 3, by: 4).map { box.name(at: $0) }
        for case let brand? in brands {
            switch brand {
            case "avif", "avis": return .avif
            case "heic", "heix", "heim", "heis", "hevc", "hevx": return .heic
            default: continue
            }
        }
        switch box.name(at: 0) {
        case "mif1", "msf1": return .heic
        case "crx ": throw .unsupportedType("cr3")
        case "qt  ": throw .unsupportedType("quicktime")
        default: throw .unsupportedType("mp4")
        }
    }

    private static func nameOfOther(_ bytes: ByteWindow) -> String? {
        let names: [([UInt8], String)] = [
            (Array("%PDF".utf8), "pdf"), (Array("8BPS".utf8), "psd"), ([0, 0, 1, 0], "ico"), ([0, 0, 2, 0], "cur"),
            ([0xFF, 0x0A], "jxl"), ([0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20], "jxl"),
            ([0, 0, 0, 0x0C, 0x6A, 0x50, 0x20, 0x20], "jp2"), ([0x49, 0x49, 0x2B, 0], "bigtiff"),
            ([0x4D, 0x4D, 0, 0x2B], "bigtiff"), ([0x76, 0x2F, 0x31, 0x01], "exr"), (Array("PK".utf8), "zip"),
            (Array("RIFF".utf8), "riff"), ([0x1F, 0x8B], "gzip"), ([0x8A, 0x4D, 0x4E, 0x47], "mng"),
        ]
        for (magic, name) in names where bytes.has(magic) { return name }
        let head = String(decoding: bytes.head(1024), as: UTF8.self)
        if head.contains("<svg") { return "svg" }
        if head.contains("<html") || head.contains("<!DOCTYPE html") { return "html" }
        return nil
    }
}
