// SPDX-License-Identifier: Apache-2.0

import CYaml

/// Reads one YAML document into nodes, with every finding in one run and a position for each.
///
/// Scalars stay text: `no`, `0755` and `1:20` are what the file says. Anchors and aliases work within limits; merge
/// keys, tags, non-scalar keys and further documents are findings. Nothing here aborts, whatever the bytes are.
public enum YAMLReader {
    /// Bytes of one file.
    public static let maxFileBytes = 4_000_000
    /// Mappings and sequences inside each other, aliases expanded.
    public static let maxDepth = 64
    /// Nodes of one document, aliases expanded.
    public static let maxNodes = 100_000

    /// Reads a document.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8, with or without a byte-order mark.
    ///   - file: Name for positions.
    /// - Returns: The root (`nil` when the text's structure is broken; a null scalar for a file without content) and
    ///   what was found. A root with errors beside it holds what could be read, so that later checks can add theirs.
    public static func read(_ bytes: [UInt8], file: String) -> (root: Node?, diagnostics: [Diagnostic]) {
        if bytes.count > maxFileBytes {
            let start = SourcePosition(file: file, line: 1, column: 1)
            return (nil, [Diagnostic(at: start, "the file is larger than \(maxFileBytes) bytes")])
        }
        let text = SourceText(bytes, file: file)
        guard text.isReadable else { return (nil, text.diagnostics) }
        var builder = TreeBuilder(text: text)
        let root = builder.document()
        return (root, builder.diagnostics.sortedByPosition())
    }
}

extension [Diagnostic] {
    /// The findings of one file in the order of its lines.
    func sortedByPosition() -> [Diagnostic] {
        sorted { ($0.position.line, $0.position.column) < ($1.position.line, $1.position.column) }
    }
}

/// One event of the C library, copied.
struct YAMLEvent {
    enum Kind {
        case streamStart, streamEnd, documentStart, documentEnd
        case alias(String)
        case scalar(String, isPlain: Bool)
        case sequenceStart, sequenceEnd, mappingStart, mappingEnd
    }
    var kind: Kind
    var anchor: String?
    var tag: String?
    var position: SourcePosition
}

/// A fault of the text's structure: the C library's words and place.
struct YAMLFault: Error {
    var message: String
    /// Characters before it.
    var index: Int
}

/// Owns one parser of the C library and the bytes that it reads.
// SAFETY: the pointers are private and never leave; see the initialiser for who frees them.
@safe final class YAMLEventSource {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let input: UnsafeMutableBufferPointer<UInt8>
    private let file: String
    private let lines: LineStarts
    private let isReady: Bool

    /// C: yaml_parser_initialize, yaml_parser_set_input_string.
    init(_ text: SourceText) {
        let bytes = text.bytes
        file = text.file
        lines = text.lines
        // SAFETY: both blocks belong to this object and are freed in deinit only; the input is initialized in full,
        // and the parser keeps a pointer to it no longer than it lives itself.
        unsafe input = .allocate(capacity: bytes.count)
        unsafe _ = input.initialize(from: bytes)
        unsafe parser = .allocate(capacity: 1)
        unsafe isReady = yaml_parser_initialize(parser) == 1
        if isReady {
            unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
            unsafe yaml_parser_set_input_string(parser, input.baseAddress, bytes.count)
        }
    }

    deinit {
        // SAFETY: deleted once, and only when it was initialized.
        if isReady { unsafe yaml_parser_delete(parser) }
        unsafe parser.deallocate()
        unsafe input.deallocate()
    }

    /// C: yaml_parser_parse.
    func next() throws(YAMLFault) -> YAMLEvent {
        guard isReady else { throw YAMLFault(message: "out of memory", index: 0) }
        // SAFETY: the event is a plain C struct that the call fills; it is deleted on every way out.
        var event = unsafe yaml_event_t()
        guard unsafe yaml_parser_parse(parser, &event) == 1 else { throw fault() }
        defer { unsafe yaml_event_delete(&event) }
        // SAFETY: each member of the union is read only under the event type that sets it.
        return unsafe copy(event)
    }

    private func fault() -> YAMLFault {
        // SAFETY: problem points to a constant string of the library, or is null.
        let words = unsafe parser.pointee.problem.map { unsafe String(cString: $0) } ?? "cannot be read"
        // An end that comes too soon is told at the quote that it leaves open.
        let isOpenQuote = words == "found unexpected end of stream"
        let mark = unsafe isOpenQuote ? parser.pointee.context_mark : parser.pointee.problem_mark
        return YAMLFault(message: words, index: Int(mark.index))
    }

    private func copy(_ event: yaml_event_t) -> YAMLEvent {
        let place = unsafe lines.place(of: Int(event.start_mark.index))
        let position = SourcePosition(file: file, line: place.line, column: place.column)
        var result = YAMLEvent(kind: .streamEnd, position: position)
        // SAFETY: see next(); strings of an event are zero-terminated, a scalar's value has its length beside it.
        switch unsafe event.type {
        case YAML_STREAM_START_EVENT: result.kind = .streamStart
        case YAML_DOCUMENT_START_EVENT: result.kind = .documentStart
        case YAML_DOCUMENT_END_EVENT: result.kind = .documentEnd
        case YAML_ALIAS_EVENT: result.kind = unsafe .alias(string(event.data.alias.anchor) ?? "")
        case YAML_SCALAR_EVENT:
            let scalar = unsafe event.data.scalar
            let bytes = unsafe UnsafeBufferPointer(start: scalar.value, count: scalar.length)
            let isPlain = unsafe scalar.style == YAML_PLAIN_SCALAR_STYLE
            result.kind = unsafe .scalar(String(decoding: bytes, as: UTF8.self), isPlain: isPlain)
            result.anchor = unsafe string(scalar.anchor)
            result.tag = unsafe string(scalar.tag)
        case YAML_SEQUENCE_START_EVENT:
            result.kind = .sequenceStart
            result.anchor = unsafe string(event.data.sequence_start.anchor)
            result.tag = unsafe string(event.data.sequence_start.tag)
        case YAML_SEQUENCE_END_EVENT: result.kind = .sequenceEnd
        case YAML_MAPPING_START_EVENT:
            result.kind = .mappingStart
            result.anchor = unsafe string(event.data.mapping_start.anchor)
            result.tag = unsafe string(event.data.mapping_start.tag)
        case YAML_MAPPING_END_EVENT: result.kind = .mappingEnd
        default: break
        }
        return result
    }

    private func string(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        // SAFETY: zero-terminated by the library.
        unsafe pointer.map { unsafe String(cString: $0) }
    }
}
