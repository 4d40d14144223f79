// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// The items of a HEIF file with their properties, places and references.
struct HEIFItems {
    /// One part of an item's data.
    struct Extent {
        let method: Int
        let offset: Int
        let length: Int
    }

    private(set) var primary: Int?
    /// Type by item, for a `mime` item its content type.
    private(set) var types: [Int: String] = [:]
    private(set) var extents: [Int: [Extent]] = [:]
    private(set) var data: ByteWindow?
    private var container: [Box] = []
    private var associations: [Int: [Int]] = [:]
    private var references: [(name: String, from: Int, to: [Int])] = []

    /// Most parts of all items; without a limit the table could name billions of parts in no bytes.
    private static let maxExtents = 100_000
    /// Most items and properties of a file; a 100 megapixel picture of 512 x 512 tiles has about 400.
    private static let maxItems = 20_000

    /// - Parameter meta: The body of the `meta` box.
    init(meta: ByteWindow) throws(ImageError) {
        var boxes = BoxCursor(meta, from: 4)
        while let box = try boxes.next() {
            switch box.name {
            case "pitm": primary = box.version == 0 ? box.body.uint16(4) : box.body.uint32(4)
            case "iinf": try readInformation(box)
            case "iloc": try readPlaces(box)
            case "iprp": try readProperties(box)
            case "iref": try readReferences(box)
            case "idat": data = box.body
            default: continue
            }
        }
    }

    /// The properties of an item in the order in which they apply.
    func properties(of item: Int) -> [Box] {
        (associations[item] ?? []).compactMap { $0 >= 1 && $0 <= container.count ? container[$0 - 1] : nil }
    }

    /// The items that point at the given one.
    func sources(_ name: String, to item: Int) -> [Int] {
        references.filter { $0.name == name && $0.to.contains(item) }.map(\.from)
    }

    /// True where an auxiliary picture tells how bright each part is, as Apple's cameras write it.
    var hasAppleGainMap: Bool {
        container.contains { $0.name == "auxC" && $0.body.has("urn:com:apple:photo:2020:aux:hdrgainmap", at: 4) }
    }

    /// Declared sizes of every picture item.
    var declaredSizes: [(width: Int, height: Int)] {
        container.filter { $0.name == "ispe" }.compactMap { box in
            guard let width = box.body.uint32(4), let height = box.body.uint32(8) else { return nil }
            return (width, height)
        }
    }

    private mutating func readInformation(_ box: Box) throws(ImageError) {
        var entries = BoxCursor(box.body, from: box.version == 0 ? 6 : 8)
        while let entry = try entries.next() {
            guard entry.name == "infe", entry.version >= 2 else { continue }
            let wide = entry.version >= 3
            let start = wide ? 10 : 8
            guard let item = wide ? entry.body.uint32(4) : entry.body.uint16(4), let type = entry.body.name(at: start)
            else { throw .corrupt("bad item entry") }
            guard types.count < Self.maxItems else { throw .corrupt("too many items") }
            types[item] = type == "mime" ? contentType(entry.body, from: start + 4) : type
        }
    }

    /// The text behind an item's name.
    private func contentType(_ body: ByteWindow, from start: Int) -> String {
        guard let end = body.firstOffset(of: 0, from: start), let rest = body.window(from: end + 1) else {
            return "mime"
        }
        return String(decoding: rest.head(128).prefix { $0 != 0 }, as: UTF8.self)
    }

    private mutating func readPlaces(_ box: Box) throws(ImageError) {
        let body = box.body
        guard let sizes = body.uint16(4), [0, 1, 2].contains(box.version),
            let count = box.version < 2 ? body.uint16(6) : body.uint32(6), count <= Self.maxItems
        else { throw .corrupt("bad item places") }
        let offsetSize = sizes >> 12
        let lengthSize = sizes >> 8 & 15
        let baseSize = sizes >> 4 & 15
        let indexSize = box.version == 0 ? 0 : sizes & 15
        var fields = FieldReader(body, at: box.version < 2 ? 8 : 10)
        var total = 0
        for _ in 0..<count {
            let item = try fields.take(box.version < 2 ? 2 : 4)
            let method = box.version == 0 ? 0 : try fields.take(2) & 15
            _ = try fields.take(2)
            let base = try fields.take(baseSize)
            var parts: [Extent] = []
            let partCount = try fields.take(2)
            total += partCount
            guard total <= Self.maxExtents else { throw .corrupt("too many item parts") }
            for _ in 0..<partCount {
                _ = try fields.take(indexSize)
                let offset = try fields.take(offsetSize).addingReportingOverflow(base)
                guard !offset.overflow else { throw .corrupt("bad item place") }
                parts.append(Extent(method: method, offset: offset.partialValue, length: try fields.take(lengthSize)))
            }
            extents[item] = parts
        }
    }

    private mutating func readProperties(_ box: Box) throws(ImageError) {
        var boxes = BoxCursor(box.body)
        while let part = try boxes.next() {
            if part.name == "ipco" {
                var properties = BoxCursor(part.body)
                while let property = try properties.next() {
                    guard container.count < Self.maxItems else { throw .corrupt("too many properties") }
                    container.append(property)
                }
            } else if part.name == "ipma" {
                try readAssociations(part)
            }
        }
    }

    private mutating func readAssociations(_ box: Box) throws(ImageError) {
        let isWide = (box.body.uint8(3) ?? 0) & 1 == 1
        var fields = FieldReader(box.body, at: 4)
        for _ in 0..<(try fields.take(4)) {
            let item = try fields.take(box.version < 1 ? 2 : 4)
            var list: [Int] = []
            for _ in 0..<(try fields.take(1)) {
                list.append(try fields.take(isWide ? 2 : 1) & (isWide ? 0x7FFF : 0x7F))
            }
            guard associations.count < Self.maxItems else { throw .corrupt("too many items") }
            associations[item] = list
        }
    }

    private mutating func readReferences(_ box: Box) throws(ImageError) {
        var boxes = BoxCursor(box.body, from: 4)
        let width = box.version == 0 ? 2 : 4
        while let reference = try boxes.next() {
            var fields = FieldReader(reference.body, at: 0)
            let from = try fields.take(width)
            var list: [Int] = []
            for _ in 0..<(try fields.take(2)) { list.append(try fields.take(width)) }
            guard references.count < Self.maxItems else { throw .corrupt("too many references") }
            references.append((reference.name, from, list))
        }
    }
}

/// Takes integers one after another.
private struct FieldReader {
    private let bytes: ByteWindow
    private var offset: Int

    init(_ bytes: ByteWindow, at offset: Int) {
        self.bytes = bytes
        self.offset = offset
    }

    /// An integer of 0, 1, 2, 4 or 8 bytes; 0 for none.
    mutating func take(_ width: Int) throws(ImageError) -> Int {
        guard let value = width == 8 ? bytes.uint64(offset) : bytes.integer(offset, width: width) else {
            throw .corrupt("an item table ends early")
        }
        offset += width
        return value
    }
}
