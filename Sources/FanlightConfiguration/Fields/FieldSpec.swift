// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// What a field may hold; decides how its text is read.
public indirect enum FieldType: Sendable {
    case text
    /// Text that is not empty.
    case someText
    /// Text of at least 16 bytes: a shorter one, or none, would be guessed.
    case secret
    /// Text, or a number from `least` on, of a form that its own reader checks; the schema checks the pattern.
    case formed(pattern: String, least: Int?)
    case boolean
    case integer(ClosedRange<Int>)
    case duration
    case byteSize
    /// A size of at least one byte.
    case someBytes
    case pixelCount
    case rate
    case choice([String])
    /// One of these words in capitals, whose letters may be written in either case.
    case anyCase([String])
    /// Written as a name or as `#rrggbb`; read as `#rrggbb`.
    case colour
    case address
    case baseURL
    /// A list of texts, or one text with commas.
    case texts
    /// Left as a node, read by somebody else.
    case node
    /// Left as a node whose shape is known to the reference and the schema.
    case shaped(Shape)

    /// One word for the reference.
    public var word: String {
        switch self {
        case .text, .someText, .formed: "text"
        case .secret: "text of at least 16 characters"
        case .boolean: "true or false"
        case .integer(let range):
            range.upperBound == .max
                ? "number from \(range.lowerBound)" : "number \(range.lowerBound) to \(range.upperBound)"
        case .duration: "duration"
        case .byteSize, .someBytes: "size"
        case .pixelCount: "pixels"
        case .rate: "rate"
        case .choice(let names), .anyCase(let names): names.joined(separator: ", ")
        case .colour: "colour"
        case .address: "address"
        case .baseURL: "URL"
        case .texts: "list"
        case .node: "mapping"
        case .shaped(let shape): shape.word
        }
    }
}

/// The value of a field once read.
public enum FieldValue: Sendable {
    case text(String)
    case boolean(Bool)
    case integer(Int)
    case duration(Duration)
    case rate(Rate)
    case address(ListenAddress)
    case texts([String])
    case node(Node)
}

/// One field of the configuration: decoding, checks and the reference all read this.
public struct FieldSpec: Sendable {
    /// Key in the file.
    public var name: String
    /// What it may hold.
    public var type: FieldType
    /// The text that stands for an absent field; `nil` = none.
    public var defaultText: String?
    /// True where the section makes no sense without it.
    public var isRequired: Bool
    /// One sentence for the reference, without a period.
    public var description: String

    /// Creates a field.
    public init(
        _ name: String,
        _ type: FieldType,
        default defaultText: String? = nil,
        required isRequired: Bool = false,
        _ description: String
    ) {
        self.name = name
        self.type = type
        self.defaultText = defaultText
        self.isRequired = isRequired
        self.description = description
    }

    /// True where somebody else reads the node.
    var isLeftAlone: Bool {
        switch type {
        case .node, .shaped: true
        default: false
        }
    }

    /// Bytes that a secret has at least.
    private static let shortestSecret = 16

    /// Reads the text of a scalar.
    public func read(_ text: String) throws(Expectation) -> FieldValue {
        switch type {
        case .text, .formed: return .text(text)
        case .someText:
            guard !text.isEmpty else { throw Expectation("text; this one is empty") }
            return .text(text)
        case .secret:
            guard text.utf8.count >= Self.shortestSecret else {
                throw Expectation("at least \(Self.shortestSecret) characters")
            }
            return .text(text)
        case .boolean: return .boolean(try ValueReader.boolean(text))
        case .integer(let range): return .integer(try ValueReader.integer(text, in: range))
        case .duration: return .duration(try ValueReader.duration(text))
        case .byteSize: return .integer(try ValueReader.byteSize(text))
        case .someBytes: return .integer(try ValueReader.someByteSize(text))
        case .pixelCount: return .integer(try ValueReader.pixelCount(text))
        case .rate: return .rate(try ValueReader.rate(text))
        case .colour: return .text(try ValueReader.colour(text).description)
        case .address: return .address(try ValueReader.address(text))
        case .baseURL: return .text(try ValueReader.baseURL(text))
        case .choice(let names):
            if names.contains(text) { return .text(text) }
            let nearest = NearestName.of(text, among: names).map { "; did you mean \($0)?" } ?? ""
            throw Expectation("one of " + names.joined(separator: ", ") + nearest)
        case .anyCase(let names):
            return try FieldSpec(name, .choice(names), description).read(text.uppercased())
        case .texts:
            let parts = text.split(separator: ",").map { $0.drop { $0 == " " } }
            return .texts(parts.map { String($0.reversed().drop { $0 == " " }.reversed()) }.filter { !$0.isEmpty })
        case .node, .shaped: throw Expectation("a mapping")
        }
    }

    /// Reads a node, whatever its kind.
    func read(_ node: Node) throws(Expectation) -> FieldValue {
        switch (type, node.content) {
        case (.node, _), (.shaped, _): return .node(node)
        case (.texts, .sequence(let items)):
            let texts = items.compactMap(\.text)
            if texts.count == items.count { return .texts(texts) }
            throw Expectation("a list of names")
        case (_, .scalar(let text, _)): return try read(text)
        default: throw Expectation(expectation)
        }
    }

    /// What a list or mapping in the wrong place should have been.
    private var expectation: String {
        switch type {
        case .texts: return "a list of names"
        default:
            do {
                _ = try read("\u{0}")
                return "one value, not a list or a mapping"
            } catch {
                return error.description
            }
        }
    }
}
