// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

/// Writes JSON Schema (2020-12) from the tables that files are read with.
///
/// Every scalar is text until its field reads it: what a YAML reader takes for a number or a truth value is therefore
/// valid where text is. Null is valid everywhere, because it means absence.
public struct SchemaWriter {
    /// Address of the dialect.
    public static let dialect = "https://json-schema.org/draft/2020-12/schema"
    /// Text with something in it that is known only when the file is loaded.
    private static let reference = #"\$\{(env|file):"#
    private static let amount = #"[0-9]+(\.[0-9]{1,3})? *"#
    private static let size = amount + "([KkMmGg][Ii]?)?[Bb]"
    /// Units in falling order, each once.
    private static let duration = "(?=[0-9])" + ["d", "h", "m", "s", "ms"].map { "(\(amount)\($0))?" }.joined()
    private static let rate =
        "[0-9]+/(s|second|m|min|minute|h|hour|d|day|week|month|\(notZero)\(duration))"
    private static let address =
        #"([A-Za-z0-9._%-]+|\[[A-Za-z0-9._%-]*:[A-Za-z0-9._:%-]*\]):(-0+|0*([1-5]?[0-9]{1,4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))"#
    /// No blank, and nothing of ``"#<>?@\``; the host does not begin with a colon.
    private static let baseURL = #"[Hh][Tt][Tt][Pp][Ss]?://[!$-.0-9;=A-\[\]-~][!$-;=A-\[\]-~]*"#
    /// Sixteen characters, or fewer that take more bytes than one each.
    private static let secret = #"[^\x00-\x7F]|[\s\S]{16}|"# + reference
    /// What follows is a number above zero.
    private static let notZero = #"(?=[0.]*[1-9])"#

    private var definitions: [(name: String, value: JSONValue)] = []
    private let known: [Definition]

    /// Starts with the shapes that others refer to.
    public init(_ known: [Definition] = []) { self.known = known }

    /// The shared parts that were referred to so far, for `$defs`; call it last.
    public mutating func definitionsObject() -> JSONValue {
        .object(definitions.sorted { $0.name < $1.name }.map { .init($0.name, $0.value) })
    }

    /// Adds a shared part that no table describes.
    public mutating func define(_ name: String, _ value: JSONValue) {
        definitions.removeAll { $0.name == name }
        definitions.append((name, value))
    }

    /// A mapping with known keys and no others.
    public mutating func object(_ section: Section) -> JSONValue {
        var members: [JSONValue.Member] = [.init("type", ["object", "null"])]
        members.append(.init("properties", .object(section.fields.map { .init($0.name, property($0)) })))
        let required = section.fields.filter { $0.isRequired && (!section.mayInherit || $0.name == "type") }.map {
            JSONValue.string($0.name)
        }
        if !required.isEmpty { members.append(.init("required", .array(required))) }
        members.append(.init("additionalProperties", false))
        return .object(members)
    }

    /// What one field takes, with its description and default.
    public mutating func property(_ field: FieldSpec) -> JSONValue {
        var members: [JSONValue.Member] = [.init("description", .string(field.description))]
        if let text = field.defaultText { members.append(.init("default", Self.example(text))) }
        return .object(members + (value(field.type).object ?? []))
    }

    /// What a field type takes.
    mutating func value(_ type: FieldType) -> JSONValue {
        switch type {
        case .text: return Self.scalar()
        case .someText: return Self.scalar(minLength: 1)
        case .secret:
            return .object([.init("type", ["string", "number", "null"]), .init("pattern", .string(Self.secret))])
        case .formed(let pattern, let least):
            return Self.scalar(pattern, types: ["number", "string", "null"], from: least)
        case .boolean: return Self.alternatives([true, false], patterns: ["true|false"])
        case .integer(let range): return Self.number(range)
        case .duration: return Self.zeroOr(Self.duration)
        case .byteSize: return Self.zeroOr(Self.size)
        case .someBytes: return Self.scalar(Self.notZero + Self.size)
        case .pixelCount:
            return Self.scalar(
                Self.notZero + #"([0-9]+|[0-9]+(\.[0-9]{1,3})? *[Mm][Pp])"#,
                types: ["integer", "string", "null"],
                from: 1
            )
        case .rate:
            return Self.scalar(Self.notZero + Self.rate)
        case .choice(let names): return Self.choice(names)
        case .anyCase(let names):
            return Self.alternatives(names.map { .string($0) }, patterns: names.map(Self.caseless))
        case .colour:
            return Self.scalar((GroundColour.names.keys.sorted() + ["#[0-9A-Fa-f]{6}"]).joined(separator: "|"))
        case .address: return Self.scalar(Self.address)
        case .baseURL: return Self.scalar(Self.baseURL)
        case .texts: return .object([.init("anyOf", .array([Self.scalar(), list(.one(.text))]))])
        case .node: return .object([])
        case .shaped(let shape): return value(shape)
        }
    }

    /// What a shape takes.
    mutating func value(_ shape: Shape) -> JSONValue {
        switch shape {
        case .one(let type): return value(type)
        case .anything: return .object([])
        case .either(let shapes):
            var alternatives: [JSONValue] = []
            for shape in shapes { alternatives.append(value(shape)) }
            return .object([.init("anyOf", .array(alternatives))])
        case .list(let shape): return list(shape)
        case .named(let shape):
            return .object([.init("type", ["object", "null"]), .init("additionalProperties", value(shape))])
        case .identified(let shape):
            return .object([
                .init("type", ["object", "null"]),
                .init("propertyNames", .object([.init("pattern", "^[A-Za-z0-9_-]{1,64}$")])),
                .init("additionalProperties", value(shape)),
            ])
        case .keys(let section): return hoisted(section.name) { writer in writer.object(section) }
        case .defined(let name):
            guard let definition = known.first(where: { $0.name == name }) else {
                return .object([.init("$ref", .string("#/$defs/" + name))])
            }
            // A section is hoisted under its own name already.
            if case .keys(let section) = definition.shape, section.name == name { return value(definition.shape) }
            return hoisted(name) { writer in
                let value = writer.value(definition.shape).object ?? []
                return .object([.init("description", .string(Self.summary(definition.description)))] + value)
            }
        }
    }

    /// The first paragraph of a description.
    private static func summary(_ text: String) -> String {
        text.firstRange(of: "\n\n").map { String(text[..<$0.lowerBound]) } ?? text
    }

    private mutating func list(_ shape: Shape) -> JSONValue {
        .object([.init("type", ["array", "null"]), .init("items", value(shape))])
    }

    /// A reference to a part that stands under `$defs`; it is written when it is first met.
    private mutating func hoisted(_ name: String, _ write: (inout SchemaWriter) -> JSONValue) -> JSONValue {
        let key = String(name.map { $0 == " " || $0 == "/" || $0 == "~" ? "-" : $0 })
        if !definitions.contains(where: { $0.name == key }) {
            definitions.append((key, .null))
            let value = write(&self)
            if let index = definitions.firstIndex(where: { $0.name == key }) { definitions[index].value = value }
        }
        return .object([.init("$ref", .string("#/$defs/" + key))])
    }

    /// Text, or what a YAML reader makes of text without quotes.
    private static func scalar(minLength: Int? = nil) -> JSONValue {
        let length = minLength.map { [JSONValue.Member("minLength", .int($0))] } ?? []
        return .object([.init("type", ["string", "number", "boolean", "null"])] + length)
    }

    /// Text of a pattern, which is anchored and spares references.
    ///
    /// - Parameter least: What it is at least where it is written as a number.
    private static func scalar(
        _ pattern: String,
        types: JSONValue = ["string", "null"],
        from least: Int? = nil
    ) -> JSONValue {
        let minimum = least.map { [JSONValue.Member("minimum", .int($0))] } ?? []
        return .object([.init("type", types), .init("pattern", .string("^(\(pattern))$|\(reference)"))] + minimum)
    }

    /// Text of a pattern, or zero, which needs no unit.
    private static func zeroOr(_ pattern: String) -> JSONValue {
        .object([.init("anyOf", [scalar("0|" + pattern), .object([.init("const", 0)])])])
    }

    private static func number(_ range: ClosedRange<Int>) -> JSONValue {
        let digits = range.lowerBound < 0 ? "-?[0-9]+" : range.lowerBound == 0 ? "-0+|[0-9]+" : notZero + "[0-9]+"
        var members: [JSONValue.Member] = [
            .init("type", ["integer", "string", "null"]), .init("pattern", .string("^(\(digits))$|\(reference)")),
        ]
        if range.lowerBound != .min { members.append(.init("minimum", .int(range.lowerBound))) }
        if range.upperBound != .max { members.append(.init("maximum", .int(range.upperBound))) }
        return .object(members)
    }

    /// The words first, so that editors offer them.
    private static func choice(_ names: [String]) -> JSONValue {
        alternatives(names.map { .string($0) } + names.compactMap(typed), patterns: [])
    }

    /// A pattern for a word whose letters may be of either case.
    private static func caseless(_ word: String) -> String {
        word.map { "[\($0.uppercased())\($0.lowercased())]" }.joined()
    }

    private static func alternatives(_ values: [JSONValue], patterns: [String]) -> JSONValue {
        let text = ["^(\(patterns.joined(separator: "|")))$"].filter { _ in !patterns.isEmpty } + [reference]
        let pattern = JSONValue.object([
            .init("type", "string"), .init("pattern", .string(text.joined(separator: "|"))),
        ])
        return .object([.init("anyOf", [.object([.init("enum", .array(values + [.null]))]), pattern])])
    }

    /// What a YAML reader takes a word for, when not for text.
    private static func typed(_ text: String) -> JSONValue? {
        switch text {
        case "true": true
        case "false": false
        default: Int(text).map { .int($0) }
        }
    }

    private static func example(_ text: String) -> JSONValue { typed(text) ?? .string(text) }
}
