// SPDX-License-Identifier: Apache-2.0

extension JSONValue {
    /// A number of that value.
    public static func int(_ value: Int) -> JSONValue { .number(String(value)) }

    /// A number as Swift prints it; `null` for infinities and NaN, which JSON cannot say.
    public static func double(_ value: Double) -> JSONValue {
        guard value.isFinite else { return .null }
        let text = "\(value)"
        return .number(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
    }

    /// A string, or `null`.
    public static func optional(_ text: String?) -> JSONValue {
        if let text { return .string(text) }
        return .null
    }

    /// The items of an array; `nil` for every other kind.
    public var array: [JSONValue]? {
        if case .array(let items) = self { return items }
        return nil
    }

    /// The members of an object, in order; `nil` for every other kind.
    public var object: [Member]? {
        if case .object(let members) = self { return members }
        return nil
    }

    /// The characters of a number as written; `nil` for every other kind.
    public var numberText: String? {
        if case .number(let text) = self { return text }
        return nil
    }

    /// The value of a whole number in `Int`'s range; `nil` for every other kind, and for fractions and exponents.
    public var int: Int? { numberText.flatMap { Int($0) } }

    /// The nearest double of a number; `nil` for every other kind.
    public var double: Double? { numberText.flatMap { Double($0) } }

    /// The truth value; `nil` for every other kind.
    public var bool: Bool? {
        if case .bool(let value) = self { return value }
        return nil
    }

    /// True for `null`.
    public var isNull: Bool { self == .null }

    /// The item at that place of an array; `nil` outside and for every other kind.
    public subscript(index: Int) -> JSONValue? {
        guard let items = array, items.indices.contains(index) else { return nil }
        return items[index]
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByArrayLiteral
{
    /// An array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// A number.
    public init(integerLiteral value: Int) { self = .number(String(value)) }
}
