// SPDX-License-Identifier: Apache-2.0

import FanlightCore

@testable import FanlightAdapters

/// JSON paths and the documents that they are looked up in; the input is the path, a byte 0xFF, and the document.
enum FuzzPath {
    static func run(_ bytes: [UInt8]) -> String? {
        let pieces = FuzzPieces.split(bytes)
        let text = String(decoding: pieces[0], as: UTF8.self)
        guard let path = JSONPath(text) else { return nil }
        let body = Array(pieces.dropFirst().joined(separator: [0xFF]))
        guard let document = try? JSONParser.parse(body) else { return nil }
        let found = path.value(in: document)
        if let found, let broken = stranger(found, document) { return broken }
        guard let names = plainNames(text) else { return nil }
        let step = names.reduce(JSONValue?.some(document)) { $0?[$1] }
        if step != found { return "names one after another find another value" }
        let quoted = "$" + names.map { "['" + $0 + "']" }.joined()
        return JSONPath(quoted)?.value(in: document) == found ? nil : "another value with names in brackets"
    }

    /// What is found stands in the document, alone or as one of several, and nothing of it twice.
    private static func stranger(_ found: JSONValue, _ document: JSONValue) -> String? {
        if found.serialized().utf8.count > document.serialized().utf8.count + 2 { return "longer than the document" }
        if holds(document, found) { return nil }
        guard case .array(let items) = found, items.allSatisfy({ holds(document, $0) }) else {
            return "a value that the document does not hold"
        }
        return nil
    }

    private static func holds(_ document: JSONValue, _ value: JSONValue) -> Bool {
        if document == value { return true }
        switch document {
        case .array(let items): return items.contains { holds($0, value) }
        case .object(let members): return members.contains { holds($0.value, value) }
        default: return false
        }
    }

    /// The names of a path that is made of plain ones alone.
    private static func plainNames(_ path: String) -> [String]? {
        let steps = path.split(separator: ".", omittingEmptySubsequences: false)
        let names = steps.dropFirst().map(String.init)
        let isPlain = names.allSatisfy { name in
            !name.isEmpty && name.utf8.allSatisfy { $0 > 96 && $0 < 123 || $0 > 64 && $0 < 91 }
        }
        return steps.first == "$" && !names.isEmpty && isPlain ? names : nil
    }
}
