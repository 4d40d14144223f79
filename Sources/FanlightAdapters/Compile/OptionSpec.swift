// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Type of a declared setting or option.
public enum ValueType: Sendable, Equatable {
    case text, int, bool, url
    /// One of these words.
    case choice([String])

    /// How the type is written in messages and lists.
    public var name: String {
        switch self {
        case .text: "text"
        case .int: "int"
        case .bool: "bool"
        case .url: "url"
        case .choice(let words): words.joined(separator: ", ")
        }
    }

    /// True when the characters are a value of this type.
    public func accepts(_ text: String) -> Bool { value(of: text) != nil }

    /// The typed value; `nil` when the characters are none of this type.
    func value(of text: String) -> JSONValue? {
        switch self {
        case .text: return .string(text)
        case .int: return Int(text).map { .number(String($0)) }
        case .bool:
            switch text.lowercased() {
            case "true", "yes", "on", "1": return .bool(true)
            case "false", "no", "off", "0": return .bool(false)
            default: return nil
            }
        case .url:
            guard LinkRules.isAbsolute(text) else { return nil }
            // Templates go on with a slash, and people write the address of a site with and without one.
            return .string(text.hasSuffix("/") && !text.contains("?") ? String(text.dropLast()) : text)
        case .choice(let words): return words.contains(text) ? .string(text) : nil
        }
    }
}

/// An option that a request may give a service.
public struct OptionSpec: Sendable, Equatable {
    /// Its name, as in `option.<service>.<name>`.
    public var name: String
    /// What it takes.
    public var type: ValueType
    /// Used when a request gives none; `nil` = absent.
    public var defaultValue: String?
    /// One sentence for people.
    public var description: String?
    /// The default where it depends on the delivery.
    var template: Template?

    /// Creates an option.
    public init(name: String, type: ValueType, defaultValue: String? = nil, description: String? = nil) {
        self.name = name
        self.type = type
        self.defaultValue = defaultValue
        self.description = description
    }

    /// Compares what clients see of it.
    public static func == (first: OptionSpec, second: OptionSpec) -> Bool {
        first.name == second.name && first.type == second.type && first.defaultValue == second.defaultValue
            && first.description == second.description
    }
}
