// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// A test of a reply or of values.
indirect enum Predicate: Sendable {
    enum Comparison: Sendable {
        case equal(String), notEqual(String), matches(Pattern), exists, missing, oneOf([String]), isTrue
    }
    case test(Source, Comparison)
    case all([Predicate])
    case any([Predicate])

    /// True when the test holds.
    func holds(in scope: Scope, _ document: ReplyDocument) -> Bool {
        switch self {
        case .all(let list): return list.allSatisfy { $0.holds(in: scope, document) }
        case .any(let list): return list.contains { $0.holds(in: scope, document) }
        case .test(let source, let comparison):
            let value = source.value(in: scope, document)
            switch comparison {
            case .equal(let text): return value?.shown == text
            case .notEqual(let text): return value?.shown != text
            case .matches(let pattern): return value?.shown.map(pattern.matches) ?? false
            case .exists: return value != nil
            case .missing: return value == nil
            case .oneOf(let words): return value?.shown.map(words.contains) ?? false
            case .isTrue: return value?.isTruthy ?? false
            }
        }
    }

    /// True when the test is about lost connections and holds for the one that the scope names.
    ///
    /// A part that asks a reply does not hold then: `status != 200` is no word about an answer that never came.
    func covers(lossIn scope: Scope) -> Bool {
        variables.contains(.plain(.networkError)) && holds(withoutReplyIn: scope)
    }

    private func holds(withoutReplyIn scope: Scope) -> Bool {
        switch self {
        case .all(let list): list.allSatisfy { $0.holds(withoutReplyIn: scope) }
        case .any(let list): list.contains { $0.holds(withoutReplyIn: scope) }
        case .test(let source, _): !source.asksReply && holds(in: scope, .nothing)
        }
    }

    /// True when a part of it reads the reply.
    fileprivate var asksReply: Bool {
        switch self {
        case .all(let list), .any(let list): list.contains { $0.asksReply }
        case .test(let source, _): source.asksReply
        }
    }

    /// Every variable that templates in it name.
    var variables: [Variable] {
        switch self {
        case .all(let list), .any(let list): list.flatMap(\.variables)
        case .test(let source, _): source.variables
        }
    }

    /// True when the status of the reply is tested somewhere, so that the 2xx rule is replaced.
    var testsStatus: Bool {
        switch self {
        case .all(let list), .any(let list): list.contains { $0.testsStatus }
        case .test(.extractor(.status), _): true
        case .test: false
        }
    }
}

extension Source {
    /// True when the value, or whether it counts, comes from the reply.
    fileprivate var asksReply: Bool {
        switch self {
        case .extractor: true
        case .template: false
        case .when(let test, let source): test.asksReply || source.asksReply
        }
    }
}
