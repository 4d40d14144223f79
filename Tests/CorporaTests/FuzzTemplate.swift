// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore

@testable import FanlightAdapters

/// Templates that nobody would write, filled with values that strangers choose.
///
/// The input is the template, then, after bytes 0xFF: title, description, message, tags, a field of the client, a
/// moment, and a value of a reply as JSON.
enum FuzzTemplate {
    /// Set in the service, named by no template that does not say so.
    private static let secret = "planted-secret-4711"
    private static let position = SourcePosition(file: "fuzz.yaml", line: 1, column: 1)

    static func run(_ bytes: [UInt8]) -> String? {
        let texts = FuzzPieces.texts(bytes)
        let scope = scope(texts.dropFirst().map { $0 })
        for text in texts {
            if let broken = codings(text) { return broken }
        }
        return filling(texts[0], scope, hasSecret: texts.contains { FuzzPieces.contains($0, secret) })
    }

    /// A template is refused with a reason, or gives a value in which the values of others are only values.
    private static func filling(_ source: String, _ scope: Scope, hasSecret: Bool) -> String? {
        let (compiled, findings) = compile(source)
        guard let template = compiled else { return findings == 0 ? "refused without a reason" : nil }
        let text = text(of: template, scope)
        if let constant = template.constant, findings == 0, text != .some(constant), !constant.isEmpty {
            return "a constant gives another text"
        }
        let found = text ?? ""
        if found.utf8.count > Template.longest { return "a text of \(found.utf8.count) bytes" }
        if !template.variables.contains(.setting("key")), !hasSecret, FuzzPieces.contains(found, secret) {
            return "a value was filled as a template"
        }
        if RequestProgram.headerText(found).unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
            return "a header with a control character"
        }
        return neighbours(source, text, scope)
    }

    /// What stands beside a `${…}` is what its value is, whatever that holds.
    private static func neighbours(_ source: String, _ text: String?, _ scope: Scope) -> String? {
        guard let title = scope.context.caption.title, !title.isEmpty else { return nil }
        for isLast in [false, true] {
            let longer = isLast ? source + "|${title}" : "${title}|" + source
            guard let template = compile(longer).0 else { return "a second value makes the template none" }
            let expected = text.map { isLast ? $0 + "|" + title : title + "|" + $0 }
            let found = self.text(of: template, scope)
            if found.map({ Array($0.utf8) }) != expected.map({ Array($0.utf8) }), (found ?? "").utf8.count < 1_000_000 {
                return "a value changed when another stood beside it"
            }
        }
        return nil
    }

    private static func text(of template: Template, _ scope: Scope) -> String? {
        (try? template.text(in: scope)).flatMap { $0 }
    }

    private static func compile(_ source: String) -> (Template?, Int) {
        let compilation = Compilation(references: References(variable: { _ in nil }, file: { _ in nil }))
        compilation.names = VariableNames(
            settings: ["key"],
            options: ["album"],
            captures: ["link", "id"],
            steps: ["upload"],
            session: ["token"]
        )
        let template = compilation.template(source, at: position)
        return (template, compilation.diagnostics.count + compilation.unset.count)
    }

    private static func scope(_ given: [String]) -> Scope {
        func text(_ index: Int) -> String? { index < given.count ? given[index] : nil }
        var context = AdapterTestRunner.sampleContext
        context.caption = Caption(
            title: text(0),
            description: text(1),
            message: text(2),
            alt: text(1),
            tags: text(3).map { $0.split(separator: ",").map(String.init) } ?? [],
            fields: text(4).map { [("x", $0)] } ?? []
        )
        context.geotag = Geotag(latitude: -51.5072222, longitude: 0.1275, altitude: 12.3, source: .client)
        context.takenAt = text(5)
        var scope = Scope(
            service: "fuzz",
            settings: ["key": .string(secret)],
            options: [],
            textLimits: ["title": TextLimit(100_000, .characters), "message": TextLimit(40, .graphemes)],
            context: context,
            start: context.now
        )
        let told = text(6).map { value in (try? JSONParser.parse(Array(value.utf8))) ?? .string(value) }
        scope.captures = told.map { ["link": $0, "id": $0] } ?? [:]
        scope.statuses = ["upload": 200]
        return scope
    }

    /// What is written in a coding is read again as the same.
    private static func codings(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        if TextCoding.base64Decoded(TextCoding.base64(bytes)) != bytes { return "base64" }
        if TextCoding.hexDecoded(TextCoding.hex(bytes)) != bytes { return "hex" }
        let percent = TextCoding.percentEncoded(text)
        if !percent.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) { return "percent-encoded text is not plain" }
        if Array(TextCoding.percentDecoded(percent).utf8) != bytes { return "percent-encoding" }
        let json = TextCoding.escapedToASCII(JSONValue.string(text).serialized())
        if !json.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return "escaped JSON is not plain" }
        if (try? JSONParser.parse(Array(json.utf8)))?.string.map({ Array($0.utf8) }) != bytes { return "escaped JSON" }
        if TextCoding.xml(text).utf8.contains(where: { $0 == UInt8(ascii: "<") || $0 == 0 }) { return "XML" }
        for unit in TextUnit.allCases {
            let short = unit.truncate(text, to: 7)
            if !bytes.starts(with: short.utf8) || unit.truncate(short, to: 7) != short { return "truncate" }
        }
        guard let moment = Moment(iso: text) else { return nil }
        return Moment(iso: moment.iso) == moment ? nil : "a moment is another one when it is read again"
    }
}
