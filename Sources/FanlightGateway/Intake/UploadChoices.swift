// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

/// A client's fields, read: caption, place, services and options.
public struct UploadChoices: Sendable {
    /// What the client said.
    public var caption = Caption()
    /// The place that the client gave.
    public var geotag: Geotag?
    /// Names of services and routes; empty = the default route.
    public var services: [String] = []
    /// Service -> option -> value.
    public var options: [String: [String: String]] = [:]

    /// Reads the fields; unknown ones are kept.
    ///
    /// - Throws: A problem that names the field.
    public init(_ fields: [HTTPField]) throws(Problem) {
        var place: [String: String] = [:]
        for field in fields {
            let value = field.value
            switch field.name {
            case "title": caption.title = Self.present(value)
            case "description": caption.description = Self.present(value)
            case "message": caption.message = Self.present(value)
            case "alt": caption.alt = Self.present(value)
            case "tags", "tags[]": caption.tags += Self.list(value)
            case "services", "services[]": services += Self.list(value)
            case "latitude", "longitude", "altitude":
                if let text = Self.present(value) { place[field.name] = text }
            default: try takeOther(field)
            }
        }
        geotag = try Self.geotag(place)
    }

    private mutating func takeOther(_ field: HTTPField) throws(Problem) {
        guard field.name.hasPrefix("option.") else {
            if !field.name.isEmpty { caption.fields.append((name: field.name, value: field.value)) }
            return
        }
        let parts = field.name.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[1].isEmpty, !parts[2].isEmpty else {
            throw Problem(.badField, "Options are written option.<service>.<name>.", field: field.name)
        }
        options[String(parts[1]), default: [:]][String(parts[2])] = field.value
    }

    private static func geotag(_ place: [String: String]) throws(Problem) -> Geotag? {
        let latitude = try number(place, "latitude", bound: 90)
        let longitude = try number(place, "longitude", bound: 180)
        let altitude = try number(place, "altitude", bound: 1_000_000)
        guard let latitude else {
            if longitude == nil { return nil }
            throw Problem(.badField, "Send latitude and longitude together.", field: "latitude")
        }
        guard let longitude else {
            throw Problem(.badField, "Send latitude and longitude together.", field: "longitude")
        }
        return Geotag(latitude: latitude, longitude: longitude, altitude: altitude, source: .client)
    }

    private static func number(_ place: [String: String], _ name: String, bound: Double) throws(Problem) -> Double? {
        guard let text = place[name] else { return nil }
        let isDecimal = text.utf8.allSatisfy { (48...57).contains($0) || [43, 45, 46].contains($0) }
        guard isDecimal, let value = Double(text), abs(value) <= bound else {
            throw Problem(
                .badField,
                "\(name) must be a decimal number from -\(Int(bound)) to \(Int(bound)).",
                field: name
            )
        }
        return value
    }

    private static func present(_ text: String) -> String? { text.isEmpty ? nil : text }

    private static func list(_ text: String) -> [String] {
        text.split(separator: ",").map { Self.trimmed($0) }.filter { !$0.isEmpty }
    }

    private static func trimmed(_ text: Substring) -> String {
        var rest = text
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
