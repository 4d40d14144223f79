// SPDX-License-Identifier: Apache-2.0

/// A file's text made fit for the parser: every character that YAML refuses is found, reported, and replaced.
struct SourceText {
    /// UTF-8 without a byte-order mark and without refused characters.
    private(set) var bytes: [UInt8]
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
        var line = 1
        var column = 1
        var decoder = UTF8()
        var input = bytes.makeIterator()
        decoding: while true {
            switch decoder.decode(&input) {
            case .emptyInput: break decoding
            case .error:
                report("this byte is not UTF-8", line: line, column: column)
                clean += [0xEF, 0xBF, 0xBD]
                column += 1
            case .scalarValue(let scalar):
                if Self.isRefused(scalar) {
                    report("control character that YAML does not allow", line: line, column: column)
                    clean += [0xEF, 0xBF, 0xBD]
                } else {
                    clean += UTF8.encode(scalar).map(Array.init) ?? []
                }
                column += 1
                if scalar == "\n" {
                    line += 1
                    column = 1
                }
            }
        }
        bytes = clean
    }

    private mutating func report(_ message: String, line: Int, column: Int) {
        guard diagnostics.count < Self.maxFindings else { return }
        diagnostics.append(Diagnostic(at: SourcePosition(file: file, line: line, column: column), message))
    }

    /// YAML 1.1, production 1: what is not printable.
    private static func isRefused(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0x85, 0xA0...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFFD: false
        case 0x10000...0x10FFFF: false
        default: true
        }
    }

    /// True where that place holds a tab; line and column count from 1.
    func hasTab(line: Int, column: Int) -> Bool {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.indices.contains(line - 1) else { return false }
        let scalars = Array(String(decoding: lines[line - 1], as: UTF8.self).unicodeScalars)
        return scalars.indices.contains(column - 1) && scalars[column - 1] == "\t"
    }

    /// Lines after that one that start with a tab, at most twenty.
    func tabbedLines(after line: Int) -> [Int] {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let tabbed = lines.enumerated().dropFirst(line).filter { $0.element.first == UInt8(ascii: "\t") }
        return tabbed.prefix(Self.maxFindings).map { $0.offset + 1 }
    }
}
