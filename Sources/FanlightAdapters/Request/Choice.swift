// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// A value with alternatives; the first whose test holds counts.
struct Choice: Sendable {
    /// One alternative.
    struct Alternative: Sendable {
        /// `nil` = always.
        var when: Predicate?
        /// The value.
        var template: Template
    }

    /// In order.
    var list: [Alternative]

    /// The value; `nil` when absent or when no alternative fits.
    func value(in scope: Scope) throws(DeliveryFailure) -> JSONValue? {
        for alternative in list where alternative.when?.holds(in: scope, .nothing) ?? true {
            return try alternative.template.value(in: scope)
        }
        return nil
    }

    /// The characters of the value.
    func text(in scope: Scope) throws(DeliveryFailure) -> String? { try value(in: scope)?.shown }

    /// A choice without alternatives.
    static func always(_ template: Template) -> Choice { Choice(list: [Alternative(when: nil, template: template)]) }

    /// A choice that is always the same text.
    static func constant(_ text: String) -> Choice { always(Template(segments: [.literal(text)])) }

    /// Every variable that is named in a value.
    var variables: [Variable] { list.flatMap(\.template.variables) }
}

/// A name with its value.
struct Named: Sendable {
    var name: String
    var value: Choice

    /// The fields that are not absent, in order.
    static func rendered(_ list: [Named], _ scope: Scope) throws(DeliveryFailure) -> [HTTPField] {
        var out: [HTTPField] = []
        for item in list {
            if let text = try item.value.text(in: scope) { out.append(HTTPField(item.name, text)) }
        }
        return out
    }
}
