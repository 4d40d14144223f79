// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// A JSON body with templates in it.
indirect enum JSONTree: Sendable {
    /// One member of an object.
    struct Member: Sendable {
        var name: String
        var value: JSONTree
    }

    case constant(JSONValue)
    case value(Choice)
    case object([Member])
    case array([JSONTree])

    /// The value; absent members and items vanish.
    func value(in scope: Scope) throws(DeliveryFailure) -> JSONValue? {
        switch self {
        case .constant(let value): return value
        case .value(let choice): return try choice.value(in: scope)
        case .object(let members):
            var out: [JSONValue.Member] = []
            for member in members {
                if let value = try member.value.value(in: scope) { out.append(JSONValue.Member(member.name, value)) }
            }
            return .object(out)
        case .array(let items):
            var out: [JSONValue] = []
            for item in items {
                if let value = try item.value(in: scope) { out.append(value) }
            }
            return .array(out)
        }
    }

    /// Every variable that is named.
    var variables: [Variable] {
        switch self {
        case .constant: []
        case .value(let choice): choice.variables
        case .object(let members): members.flatMap(\.value.variables)
        case .array(let items): items.flatMap(\.variables)
        }
    }
}
