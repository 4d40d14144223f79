// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore

/// An adapter while it is made from somebody else's description.
struct AdapterDraft {
    /// A setting or an option that the adapter will declare.
    struct Declared {
        var name: String
        var isSecret = false
        var isRequired = false
        var defaultText: String?
        var values: [String] = []
        var description: String
        /// What the description had, for the test of the adapter alone.
        var sample: String
    }

    /// Name in the catalogue.
    var name: String
    /// One sentence.
    var description: String
    /// What was read.
    var origin: String
    /// What could not be carried over, and what the operator has to know.
    var remarks: [String] = []
    var settings: [Declared] = []
    var options: [Declared] = []
    /// Keys of the request and of the reply, in order.
    var request: [JSONValue.Member] = []
    var reply: [JSONValue.Member] = []
    /// Values of `save`, in order.
    var saved: [JSONValue.Member] = []

    mutating func remark(_ text: String) {
        if !remarks.contains(text) { remarks.append(text) }
    }

    /// A credential becomes a setting: it belongs into config.yaml, not into a file that is passed on.
    mutating func secret(_ wish: String, _ value: String, _ description: String) -> String {
        if let known = settings.first(where: { $0.isSecret && $0.sample == value }) {
            return "${setting.\(known.name)}"
        }
        let name = freeName(wish)
        settings.append(
            Declared(name: name, isSecret: true, isRequired: true, description: description, sample: value)
        )
        return "${setting.\(name)}"
    }

    /// A choice that operators make once, because it is part of where the request goes.
    mutating func setting(_ wish: String, values: [String], default text: String, _ description: String) -> String {
        let name = freeName(wish)
        settings.append(
            Declared(name: name, defaultText: text, values: values, description: description, sample: text)
        )
        return "${setting.\(name)}"
    }

    /// A choice that an upload may make.
    mutating func option(_ wish: String, values: [String], default text: String, _ description: String) -> String {
        let name = freeName(wish)
        options.append(Declared(name: name, defaultText: text, values: values, description: description, sample: text))
        return "${option.\(name)}"
    }

    /// Keeps a value of the reply under a name of its own; the same place twice has one name.
    mutating func save(_ extractors: [String]) -> String {
        let value: JSONValue = extractors.count == 1 ? .string(extractors[0]) : .array(extractors.map { .string($0) })
        if let known = saved.first(where: { $0.value == value }) { return known.name }
        let name = "value\(saved.count + 1)"
        saved.append(.init(name, value))
        return name
    }

    /// A name of small letters that is no key of the language and not taken.
    private func freeName(_ wish: String) -> String {
        let taken = settings.map(\.name) + options.map(\.name) + AdapterFields.adapter.names
        let base = Self.word(wish, or: "value")
        var name = base
        var number = 1
        while taken.contains(name) {
            number += 1
            name = "\(base)_\(number)"
        }
        return name
    }

    /// Letters, digits and `_`; everything else ends a word.
    static func word(_ text: String, or fallback: String) -> String {
        let letters = text.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
        let word = String(letters).split(separator: "_").joined(separator: "_").prefix(40)
        return word.isEmpty ? fallback : String(word)
    }

    /// The adapter without its tests.
    var members: [JSONValue.Member] {
        var all: [JSONValue.Member] = [.init("description", .string(description))]
        if !settings.isEmpty { all.append(.init("settings", .object(settings.map(Self.declaration)))) }
        if !options.isEmpty { all.append(.init("options", .object(options.map(Self.declaration)))) }
        all += request
        if !saved.isEmpty { all.append(.init("save", .object(saved))) }
        return all + reply
    }

    private static func declaration(_ value: Declared) -> JSONValue.Member {
        var members: [JSONValue.Member] = []
        if value.values.isEmpty {
            members.append(.init("type", "text"))
        } else {
            members.append(.init("values", .array(value.values.map { .string($0) })))
        }
        if value.isSecret { members.append(.init("secret", true)) }
        if value.isRequired { members.append(.init("required", true)) }
        if let text = value.defaultText, !text.isEmpty { members.append(.init("default", .string(text))) }
        members.append(.init("description", .string(value.description)))
        return .init(value.name, .object(members))
    }
}
