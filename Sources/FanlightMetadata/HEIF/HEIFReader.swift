// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Reads the primary item of a HEIC or AVIF file and finds its metadata.
///
/// Of an image sequence the primary still gives the size, and the frames are counted. Orientation is the container's own; EXIF's is not applied.
enum HEIFReader {
    /// Most bytes of EXIF or XMP that are put together.
    private static let maxMetadata = 4 << 20

    static func read(_ bytes: ByteWindow, limits: ImageLimits) throws(ImageError) -> ContainerFacts {
        let parts = try parts(of: bytes)
        let items = try HEIFItems(meta: parts.meta)
        guard let primary = items.primary, let type = items.types[primary] else { throw .corrupt("no primary item") }
        guard ["hvc1", "av01", "grid", "iovl", "iden"].contains(type) else {
            throw .unsupportedType("heif with \(type)")
        }
        for size in items.declaredSizes { try limits.check(width: size.width, height: size.height) }
        let properties = items.properties(of: primary)
        guard let extent = properties.first(where: { $0.name == "ispe" }), let width = extent.body.uint32(4),
            let height = extent.body.uint32(8)
        else { throw .corrupt("no size") }
        try limits.check(width: width, height: height)
        try checkPlaces(items, in: bytes, primary: primary)
        var transform = HEIFTransform(width: width, height: height)
        for property in properties { try transform.apply(property) }
        var facts = ContainerFacts(width: width, height: height)
        facts.orientation = transform.orientation
        facts.uprightSize = (transform.width, transform.height)
        facts.hasAlpha = items.sources("auxl", to: primary).contains { isAlpha(items.properties(of: $0)) }
        if let movie = parts.movie {
            facts.frames = max(1, try HEIFSequence.frames(of: movie, brand: bytes.name(at: 8)))
            try limits.check(frames: facts.frames, width: width, height: height)
        }
        if parts.hasFilm { facts.companions.insert(.film) }
        if items.types.values.contains("tmap") || items.hasAppleGainMap { facts.companions.insert(.gainMap) }
        facts.metadata.exif = exif(items, in: bytes)
        facts.metadata.xmp = item("application/rdf+xml", items, in: bytes)
        return facts
    }

    /// The boxes of the file itself that are looked into.
    private struct Parts {
        var meta: ByteWindow
        /// The sequence's tracks.
        var movie: ByteWindow?
        /// True where a maker's box holds a film.
        var hasFilm = false
    }

    private static func parts(of bytes: ByteWindow) throws(ImageError) -> Parts {
        var boxes = BoxCursor(bytes, isTop: true)
        var meta: ByteWindow?
        var movie: ByteWindow?
        var hasFilm = false
        while let box = try boxes.next() {
            switch box.name {
            case "meta": meta = meta ?? box.body
            case "moov": movie = movie ?? box.body
            case "mpvd": hasFilm = true
            default: continue
            }
        }
        guard let meta else {
            if movie != nil { throw .unsupportedType("image sequence without a still") }
            throw .corrupt("no picture items")
        }
        return Parts(meta: meta, movie: movie, hasFilm: hasFilm)
    }

    /// Refuses a file in which a part of any item lies outside.
    private static func checkPlaces(_ items: HEIFItems, in bytes: ByteWindow, primary: Int) throws(ImageError) {
        guard let own = items.extents[primary], !own.isEmpty else { throw .corrupt("no picture data") }
        for extent in items.extents.values.joined() where extent.method < 2 {
            guard let source = extent.method == 0 ? bytes : items.data,
                source.window(at: extent.offset, count: extent.length) != nil
            else { throw .truncated }
        }
    }

    private static func isAlpha(_ properties: [Box]) -> Bool {
        properties.contains { property in
            property.name == "auxC"
                && (property.body.has("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", at: 4)
                    || property.body.has("urn:mpeg:hevc:2015:auxid:1\u{0}", at: 4))
        }
    }

    /// An EXIF item starts with the distance to its TIFF bytes.
    private static func exif(_ items: HEIFItems, in bytes: ByteWindow) -> ByteWindow? {
        guard let data = item("Exif", items, in: bytes), let distance = data.uint32(0) else { return nil }
        return data.window(from: 4 + distance)
    }

    /// The joined data of the first item of a type.
    private static func item(_ type: String, _ items: HEIFItems, in bytes: ByteWindow) -> ByteWindow? {
        let found = items.types.filter { $0.value == type }.keys.min()
        guard let found, let extents = items.extents[found] else { return nil }
        var data: [UInt8] = []
        for extent in extents {
            guard extent.method < 2, let source = extent.method == 0 ? bytes : items.data,
                let part = extent.length == 0
                    ? source.window(from: extent.offset) : source.window(at: extent.offset, count: extent.length),
                part.count <= maxMetadata - data.count
            else { return nil }
            data += part.slice
        }
        return ByteWindow(data)
    }
}
