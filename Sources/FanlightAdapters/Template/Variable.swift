// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration

/// A value that templates can name.
enum Variable: Sendable, Equatable {
    /// Variables without a dot, by the name that templates write.
    enum Plain: String, Sendable, CaseIterable {
        case title, description, message, alt, tags, lat, lon, altitude, takenAt = "taken_at", now, uuid, service
        case idempotencyKey = "idempotency_key", uploadID = "upload_id", publicURL = "server.public_url"
    }

    /// Facts of the rendition.
    enum File: String, Sendable, CaseIterable {
        case name, stem, ext, mime, size, width, height, sha256, md5, sha1, base64
    }

    case plain(Plain)
    case file(File)
    case setting(String)
    case option(String)
    case field(String)
    case capture(String)

    /// Reads a variable name.
    ///
    /// - Parameter names: What the service declares; unknown names of these kinds are refused.
    /// - Throws: The nearest valid name, if one is near.
    init(_ text: String, names: VariableNames) throws(UnknownName) {
        if let plain = Plain(rawValue: text) {
            self = .plain(plain)
        } else if let name = Self.rest(of: text, after: "file."), let fact = File(rawValue: name) {
            self = .file(fact)
        } else if let name = Self.rest(of: text, after: "setting."), names.settings.contains(name) {
            self = .setting(name)
        } else if let name = Self.rest(of: text, after: "option."), names.options.contains(name) {
            self = .option(name)
        } else if let name = Self.rest(of: text, after: "field."), !name.isEmpty {
            self = .field(name)
        } else if names.captures.contains(text) {
            self = .capture(text)
        } else {
            throw UnknownName(nearest: NearestName.of(text, among: names.all))
        }
    }

    private static func rest(of text: String, after prefix: String) -> String? {
        text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : nil
    }
}

/// A name that is not valid here, with the nearest one that is.
struct UnknownName: Error {
    /// What was probably meant.
    var nearest: String?
}

/// Names that a service declares.
struct VariableNames: Sendable {
    /// Declared settings.
    var settings: Set<String> = []
    /// Declared options.
    var options: Set<String> = []
    /// Names of `save`.
    var captures: Set<String> = []

    /// Every valid name but those of unknown fields.
    var all: [String] {
        Variable.Plain.allCases.map(\.rawValue) + Variable.File.allCases.map { "file." + $0.rawValue }
            + settings.sorted().map { "setting." + $0 } + options.sorted().map { "option." + $0 } + captures.sorted()
    }
}
