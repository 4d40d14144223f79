// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Where in a reply a value is found.
enum Extractor: Sendable {
    case json(JSONPath)
    case xpath(String)
    case header(String)
    case text
    case line(Int)
    case csv(column: Int, line: Int)
    case regex(Pattern)
    case status
    case finalURL

    /// Words that start an extractor.
    static let words = ["header", "text", "line", "csv", "regex", "status", "final_url"]

    /// Reads an extractor.
    ///
    /// - Returns: `nil` when the text does not start like one; it is then a template.
    /// - Throws: What is wrong with it.
    static func parse(_ source: String) throws(ExtractorError) -> Extractor? {
        let text = Words.trimmed(source)
        if text.hasPrefix("$.") || text.hasPrefix("$[") {
            guard let path = JSONPath(text) else { throw ExtractorError(message: "'\(text)' is not a JSON path") }
            return .json(path)
        }
        if text.hasPrefix("/") {
            guard XMLReply.isValid(text) else { throw ExtractorError(message: "'\(text)' is not an XPath expression") }
            return .xpath(text)
        }
        let word = String(text.prefix { !$0.isWhitespace })
        let rest = Words.trimmed(text.dropFirst(word.count))
        switch (word, rest.isEmpty) {
        case ("text", true): return .text
        case ("status", true): return .status
        case ("final_url", true): return .finalURL
        case ("header", _):
            guard !rest.isEmpty, !rest.contains(" ") else { throw ExtractorError(message: "header takes one name") }
            return .header(rest)
        case ("line", _):
            guard let number = Int(rest), number > 0 else {
                throw ExtractorError(message: "line takes a number from 1")
            }
            return .line(number)
        case ("csv", _):
            let pieces = rest.split(separator: " ")
            let line = pieces.count == 3 && pieces[1] == "line" ? Int(pieces[2]) : (pieces.count == 1 ? 1 : nil)
            guard let column = pieces.first.flatMap({ Int($0) }), column > 0, let line, line > 0 else {
                throw ExtractorError(message: "csv takes a column from 1, and 'line N' where it is not the first")
            }
            return .csv(column: column, line: line)
        case ("regex", false):
            if let problem = Pattern.problem(rest) { throw ExtractorError(message: problem) }
            guard let pattern = Pattern(rest) else {
                throw ExtractorError(message: "the regular expression is not valid")
            }
            return .regex(pattern)
        default: return nil
        }
    }

    /// Reads the value in a reply, which is `nil` when absent or empty.
    func value(in document: ReplyDocument) -> JSONValue? {
        let found = raw(in: document)
        return found.flatMap { $0.isNothing ? nil : $0 }
    }

    private func raw(in document: ReplyDocument) -> JSONValue? {
        switch self {
        case .json(let path): return document.json.flatMap { path.value(in: $0) }
        case .xpath(let expression):
            return document.xml?.first(expression).map { .string($0) }
        case .header(let name): return document.reply.header(name).map { .string(Words.trimmed($0)) }
        case .text: return .string(Words.trimmed(document.text))
        case .line(let number):
            let lines = document.lines
            return number <= lines.count ? .string(Words.trimmed(lines[number - 1])) : nil
        case .csv(let column, let line):
            let lines = document.lines
            guard line <= lines.count else { return nil }
            let cells = Self.cells(lines[line - 1])
            return column <= cells.count ? .string(cells[column - 1]) : nil
        case .regex(let pattern):
            guard let groups = pattern.firstMatch(in: document.text) else { return nil }
            return (groups.count > 1 ? groups[1...].compactMap { $0 }.first : groups[0]).map { .string($0) }
        case .status: return .number(String(document.reply.status))
        case .finalURL: return .string(document.finalURL)
        }
    }

    /// Cells of one CSV line (RFC 4180 section 2), without line breaks inside quotes.
    private static func cells(_ line: String) -> [String] {
        var cells: [String] = []
        var cell = ""
        var isQuoted = false
        var previous: Character?
        for character in line {
            if character == "\"" {
                if !isQuoted, previous == "\"", !cell.isEmpty { cell.append("\"") }
                isQuoted.toggle()
            } else if character == ",", !isQuoted {
                cells.append(Words.trimmed(cell))
                cell = ""
            } else {
                cell.append(character)
            }
            previous = character
        }
        return cells + [Words.trimmed(cell)]
    }
}

/// What is wrong with an extractor.
struct ExtractorError: Error {
    /// One sentence.
    var message: String
}
