// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore

@testable import FanlightAdapters

/// Marks in place of an entry's secret settings, and the forms in which they could come back.
struct PlantedSecrets: Sendable {
    /// How a mark looks; not every service takes every one.
    enum Shape: Sendable, CaseIterable {
        /// Base64 with all of its signs, which URLs and JSON write in other ways.
        case base64
        /// Signs that markup, forms and JSON write in other ways, and a letter that is not ASCII.
        case prose
    }

    /// Marks, one a secret setting.
    private(set) var marks: [String] = []
    /// All forms of all marks, by their first byte.
    private var needles: [UInt8: [[UInt8]]] = [:]
    /// The test with the marks in it.
    private(set) var test: Node

    /// Puts marks into a test of an entry; `nil` where it gives no secret.
    init?(_ test: Node, of name: String, _ shape: Shape) {
        self.test = test
        let secret = Set((Catalogue.standard.entry(name)?.settings ?? []).filter(\.isSecret).map(\.name))
        guard let service = test["service"] else { return nil }
        var entries = service.entries
        for index in entries.indices where secret.contains(entries[index].key) {
            guard let text = entries[index].value.text else { continue }
            let mark = Self.mark(marks.count, shape)
            let isURL = text.hasPrefix("http")
            marks.append(mark)
            let joint = text.contains("?") ? "&planted=" : "/"
            let value = isURL ? text + joint + TextCoding.percentEncoded(mark) : mark
            entries[index].value = Node(.scalar(value, isPlain: false), at: entries[index].value.position)
        }
        guard !marks.isEmpty else { return nil }
        let forms = marks.flatMap(Self.forms).filter { $0.utf8.count >= 8 }.map { Array($0.utf8) }
        needles = Dictionary(grouping: forms) { $0[0] }
        var members = test.entries.filter { $0.key != "service" }
        members.append(
            Node.Entry(key: "service", position: service.position, value: Node(.mapping(entries), at: service.position))
        )
        self.test = Node(.mapping(members), at: test.position)
    }

    private static func mark(_ index: Int, _ shape: Shape) -> String {
        switch shape {
        case .base64: "Planted+Secret/\(index)Key+0A=="
        case .prose: "Planted \(index) \"Wörd\" & <it's> / done"
        }
    }

    /// The forms in which a mark could come back.
    static func forms(_ mark: String) -> [String] {
        let percent = TextCoding.percentEncoded(mark)
        let json = String(JSONValue.string(mark).serialized().dropFirst().dropLast())
        let forms = [
            mark, percent, lowerCased(percent), Words.replacing("%20", with: "+", in: percent),
            TextCoding.base64(Array(mark.utf8)), TextCoding.base64(Array("ada:\(mark)".utf8)),
            json, Words.replacing("/", with: "\\/", in: json), asciiJSON(json), TextCoding.xml(mark),
            Words.replacing("&apos;", with: "&#39;", in: TextCoding.xml(mark)),
            Words.replacing("&apos;", with: "&#039;", in: TextCoding.xml(mark)), TextCoding.hex(Array(mark.utf8)),
        ]
        return forms.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    private static func lowerCased(_ percent: String) -> String {
        var out = ""
        var left = 0
        for character in percent {
            out += left > 0 ? character.lowercased() : String(character)
            left = character == "%" ? 2 : max(0, left - 1)
        }
        return out
    }

    private static func asciiJSON(_ json: String) -> String {
        json.unicodeScalars.map { scalar in
            guard scalar.value > 126 else { return String(scalar) }
            return "\\u" + String(repeating: "0", count: max(0, 4 - String(scalar.value, radix: 16).count))
                + String(scalar.value, radix: 16)
        }
        .joined()
    }

    /// Marks that a text shows, in whatever form.
    func found(in text: String) -> [String] {
        let bytes = Array(text.utf8)
        var found: [String] = []
        for (index, byte) in bytes.enumerated() {
            guard let candidates = needles[byte] else { continue }
            found += candidates.filter { bytes[index...].starts(with: $0) }.map { String(decoding: $0, as: UTF8.self) }
        }
        return found
    }
}
