// SPDX-License-Identifier: Apache-2.0

/// A file's text made fit for the parser: every character that YAML refuses is found, reported, and replaced.
struct SourceText {
    /// UTF-8 without a byte-order mark and without refused characters.
    private(set) var bytes: [UInt8]
    /// Where its lines begin.
    private(set) var lines: LineStarts
    /// File name for positions.
    let file: String
    /// What was found.
    private(set) var diagnostics: [Diagnostic] = []
    /// False where reading on would only give nonsense.
    private(set) var isReadable = true

    /// Findings of one kind that are listed.
    private static let maxFindings = 20

    init(_ bytes: [UInt8], file: String) {
        self.bytes = bytes
        self.file = file
        lines = LineStarts([])
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            let start = SourcePosition(file: file, line: 1, column: 1)
            diagnostics = [Diagnostic(at: start, "the file is UTF-16; save it as UTF-8")]
            isReadable = false
            return
        }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { self.bytes.removeFirst(3) }
        replaceRefused()
    }

    private mutating func replaceRefused() {
        var clean: [UInt8] = []
        clean.reserveCapacity(bytes.count)
        var found: [(index: Int, message: String)] = []
        var index = 0
        var decoder = UTF8()
        var input = bytes.makeIterator()
        decoding: while true {
            switch decoder.decode(&input) {
            case .emptyInput: break decoding
            case .error:
                if found.count < Self.maxFindings { found.append((index, "this byte is not UTF-8")) }
                clean += Self.replacement
            case .scalarValue(let scalar):
                if Self.isRefused(scalar) {
                    if found.count < Self.maxFindings {
                        found.append((index, "control character that YAML does not allow"))
                    }
                    clean += Self.replacement
                } else {
                    clean += UTF8.encode(scalar).map(Array.init) ?? []
                }
            }
            index += 1
        }
        bytes = clean
        lines = LineStarts(clean)
        diagnostics = found.map { finding in
            let place = lines.place(of: finding.index)
            return Diagnostic(at: SourcePosition(file: file, line: place.line, column: place.column), finding.message)
        }
    }

    /// U+FFFD.
    private static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]

    /// YAML 1.1, production 1: what is not printable.
    private static func isRefused(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0x85, 0xA0...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFFD: false
        case 0x10000...0x10FFFF: false
        default: true
        }
    }

    /// True where that character is a tab; counted from 0.
    func hasTab(at index: Int) -> Bool {
        String(decoding: bytes, as: UTF8.self).unicodeScalars.dropFirst(index).first == "\t"
    }

    /// Lines after that one that start with a tab, at most twenty.
    func tabbedLines(after line: Int) -> [Int] {
        let characters = String(decoding: bytes, as: UTF8.self).unicodeScalars.enumerated()
        let tabs = characters.lazy.filter { $0.element == "\t" }.map { lines.place(of: $0.offset) }
        return tabs.filter { $0.column == 1 && $0.line > line }.prefix(Self.maxFindings).map(\.line)
    }
}
