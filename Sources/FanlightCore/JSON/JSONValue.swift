// SPDX-License-Identifier: Apache-2.0

/// A JSON value that keeps the order of members and the characters of numbers.
///
/// Identifiers of 18 digits and more do not survive a `Double`; a number is therefore held as its source text.
public enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    /// The number's literal characters, for example `918756876419824312`.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([Member])

    /// One member of an object, in source order.
    public struct Member: Sendable, Equatable {
        /// The member's name.
        public var name: String
        /// The member's value.
        public var value: JSONValue

        /// Creates a member.
        public init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// Returns the first member of that name; `nil` when absent or when the value is no object.
    public subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The text of a string value; `nil` for every other kind.
    public var string: String? {
        if case .string(let text) = self { return text }
        return nil
    }
}
