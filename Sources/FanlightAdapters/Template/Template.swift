// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Text with `${name|filter:arg|…}` in it, compiled.
struct Template: Sendable {
    /// One `${…}`.
    struct Expression: Sendable {
        /// What it names.
        var variable: Variable
        /// The characters before the first `|`, for messages.
        var source: String
        /// `${x!}`: absence refuses the upload.
        var isRequired = false
        /// Applied from left to right.
        var filters: [Filter] = []
    }

    /// A run of characters or one `${…}`.
    enum Segment: Sendable {
        case literal(String)
        case expression(Expression)
    }

    /// Bytes of a value that filters may make; pictures in base64 may be longer.
    static let longest = 4_000_000

    /// In order.
    var segments: [Segment]

    /// A template that is exactly one variable.
    static func of(_ variable: Variable) -> Template {
        Template(segments: [.expression(Expression(variable: variable, source: variable.name))])
    }

    /// The whole text when nothing in it depends on a delivery.
    var constant: String? {
        var text = ""
        for segment in segments {
            guard case .literal(let piece) = segment else { return nil }
            text += piece
        }
        return text
    }

    /// Every variable that is named.
    var variables: [Variable] {
        segments.flatMap { segment -> [Variable] in
            guard case .expression(let expression) = segment else { return [] }
            return [expression.variable] + expression.filters.flatMap(\.variables)
        }
    }

    /// The value in a scope; `nil` where a part of it is absent.
    ///
    /// A template that is exactly one `${x}` keeps the type of `x`.
    /// - Throws: A failure when a value marked with `!` is absent: of kind `badReply` where a reply should have had it,
    ///   else `rejected`; the latter also where filters make more than ``longest``.
    func value(in scope: Scope) throws(DeliveryFailure) -> JSONValue? {
        if segments.count == 1, case .expression(let expression) = segments[0] {
            return try Self.value(of: expression, in: scope)
        }
        var text = ""
        for segment in segments {
            switch segment {
            case .literal(let piece): text += piece
            case .expression(let expression):
                guard let piece = try Self.value(of: expression, in: scope)?.shown else { return nil }
                text += piece
            }
        }
        return .string(text)
    }

    /// The characters of the value.
    func text(in scope: Scope) throws(DeliveryFailure) -> String? { try value(in: scope)?.shown }

    private static func value(of expression: Expression, in scope: Scope) throws(DeliveryFailure) -> JSONValue? {
        if let mark = scope.pictureMark, expression.variable == .file(.base64), expression.filters.isEmpty {
            return .string(mark)
        }
        var value = scope.value(of: expression.variable)
        var keepsEmpty = false
        let start = value?.size ?? 0
        for filter in expression.filters {
            let growth = filter.growth(of: value, in: scope)
            if growth <= longest { value = filter.apply(to: value, in: scope) }
            if growth > longest || (value?.size ?? 0) > max(longest, 4 * start) {
                let message = "\(scope.service): the filters of \(expression.source) make more than \(longest) bytes"
                throw DeliveryFailure(kind: .rejected, message: message)
            }
            keepsEmpty = keepsEmpty || filter.kind == .default
        }
        if let found = value, keepsEmpty ? found != .null : !found.isNothing { return found }
        guard expression.isRequired else { return nil }
        // What a reply lacks is the service's fault, what else is absent the client's or the operator's.
        let isTold = if case .capture = expression.variable { true } else { false }
        let kind: ErrorKind = isTold ? .badReply : .rejected
        throw DeliveryFailure(kind: kind, message: "\(scope.service) needs \(expression.source)")
    }
}
