// SPDX-License-Identifier: Apache-2.0

/// What a value may look like where a field's own reader is not enough: lists, mappings, alternatives.
///
/// Nothing is decoded by a shape; the reference and the JSON Schema are written from it.
public indirect enum Shape: Sendable {
    /// One value of a field type.
    case one(FieldType)
    /// A shape that ``Definitions`` hold under this name; it may refer to itself.
    case defined(String)
    /// One of several shapes.
    case either([Shape])
    /// A list.
    case list(Shape)
    /// A mapping with known keys.
    case keys(Section)
    /// A mapping of any names to values of one shape.
    case named(Shape)
    /// The same with names of letters, digits, `-` and `_`, at most 64.
    case identified(Shape)
    /// Any value.
    case anything

    /// One word for the reference; links to the tables of sections.
    public var word: String {
        switch self {
        case .one(let type): type.word
        case .defined(let name): "[\(name)](#\(Section.anchor(name)))"
        case .either(let shapes): Self.distinct(shapes.map(\.word)).joined(separator: ", or ")
        case .list(let shape): "list of " + shape.word
        case .keys(let section): "[\(section.name)](#\(Section.anchor(section.name)))"
        case .named(let shape), .identified(let shape): "names with " + shape.word
        case .anything: "anything"
        }
    }

    private static func distinct(_ words: [String]) -> [String] {
        var seen: Set<String> = []
        return words.filter { seen.insert($0).inserted }
    }
}

/// A shape with a name of its own, which other shapes refer to.
public struct Definition: Sendable {
    /// The name, as in ``Shape/defined(_:)``.
    public var name: String
    /// What it is, for the reference; Markdown.
    public var description: String
    /// How it is written.
    public var shape: Shape

    /// Creates a definition.
    public init(_ name: String, _ shape: Shape, _ description: String) {
        self.name = name
        self.shape = shape
        self.description = description
    }
}
