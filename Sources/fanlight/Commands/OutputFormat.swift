// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore

/// How a command answers: for people or for programs.
enum OutputFormat: String, CaseIterable {
    case text, json

    /// Reads `--format`.
    static func of(_ arguments: Arguments) throws(UsageError) -> OutputFormat {
        guard let text = arguments.options["--format"] else { return .text }
        guard let format = OutputFormat(rawValue: text) else {
            throw UsageError("--format is text or json, not \(text)")
        }
        return format
    }
}

extension Diagnostic {
    /// The finding for programs.
    var json: JSONValue {
        .object([
            .init("severity", .string(severity.rawValue)), .init("file", .string(position.file)),
            .init("line", .int(position.line)), .init("column", .int(position.column)),
            .init("message", .string(message)),
        ])
    }
}

/// Columns of text, each as wide as its longest cell.
enum TextTable {
    /// Lines with two blanks between the columns; numbers to the right.
    static func lines(_ rows: [[String]]) -> [String] {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in rows.map { $0.count > column ? $0[column].count : 0 }.max() ?? 0 }
        return rows.map { row in
            let cells = row.enumerated().map { index, cell -> String in
                let blanks = String(repeating: " ", count: widths[index] - cell.count)
                if Int(cell) != nil { return blanks + cell }
                return index == row.count - 1 ? cell : cell + blanks
            }
            return cells.joined(separator: "  ")
        }
    }
}
