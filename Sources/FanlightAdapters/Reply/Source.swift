// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// An extractor or a template.
indirect enum Source: Sendable {
    case extractor(Extractor)
    case template(Template)
    /// Counts only when the test holds.
    case when(Predicate, Source)

    /// Every variable that templates in it name.
    var variables: [Variable] {
        switch self {
        case .extractor: []
        case .template(let template): template.variables
        case .when(let test, let source): test.variables + source.variables
        }
    }

    /// Reads the value, which is `nil` when absent or empty; so is a template value marked with `!` that is absent.
    func value(in scope: Scope, _ document: ReplyDocument) -> JSONValue? {
        switch self {
        case .extractor(let extractor): return extractor.value(in: document)
        case .when(let test, let source):
            return test.holds(in: scope, document) ? source.value(in: scope, document) : nil
        case .template(let template):
            let found = try? template.value(in: scope)
            return found.flatMap { $0.isNothing ? nil : $0 }
        }
    }
}

/// Alternatives; the first that gives a value counts.
struct Sources: Sendable {
    /// In order.
    var list: [Source]

    /// Every variable that templates in it name.
    var variables: [Variable] { list.flatMap(\.variables) }

    /// The first value.
    func value(in scope: Scope, _ document: ReplyDocument) -> JSONValue? {
        for source in list {
            if let value = source.value(in: scope, document) { return value }
        }
        return nil
    }

    /// The characters of the first value; of an array, its first member.
    func text(in scope: Scope, _ document: ReplyDocument) -> String? {
        guard let value = value(in: scope, document) else { return nil }
        if case .array(let items) = value { return items.first?.shown }
        return value.shown
    }
}
