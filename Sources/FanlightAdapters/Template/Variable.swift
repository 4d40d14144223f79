// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration

/// A value that templates can name.
enum Variable: Sendable, Hashable {
    /// Variables without a dot, by the name that templates write.
    enum Plain: String, Sendable, CaseIterable {
        case title, description, message, alt, tags, lat, lon, altitude, geotag, takenAt = "taken_at", now, uuid, random
        case service, idempotencyKey = "idempotency_key", uploadID = "upload_id", publicURL = "server.public_url"
        case networkError = "network_error", recovered
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
    /// Status of the reply that a step got.
    case status(step: String)
    case session(String)

    /// Reads a variable name.
    ///
    /// - Parameter names: What the service declares; unknown names of these kinds are refused.
    /// - Throws: Why the name means nothing here, with the nearest valid one if one is near.
    init(_ text: String, names: VariableNames) throws(UnknownName) {
        if let plain = Plain(rawValue: text), !names.captures.contains(text) {
            self = .plain(plain)
        } else if let name = Self.rest(of: text, after: "file."), let fact = File(rawValue: name) {
            self = .file(fact)
        } else if let name = Self.rest(of: text, after: "setting."), names.settings.contains(name) {
            self = .setting(name)
        } else if let name = Self.rest(of: text, after: "option."), names.options.contains(name) {
            self = .option(name)
        } else if let name = Self.rest(of: text, after: "session."), names.session.contains(name) {
            self = .session(name)
        } else if let name = Self.rest(of: text, after: "field."), !name.isEmpty {
            self = .field(name)
        } else if text.hasSuffix(".status"), names.steps.contains(String(text.dropLast(7))) {
            self = .status(step: String(text.dropLast(7)))
        } else if names.captures.contains(text) {
            self = .capture(text)
        } else if names.later.contains(text) {
            throw UnknownName(nearest: nil, problem: "'\(text)' is used before the step that saves it")
        } else if text.allSatisfy({ $0 == "_" || $0.isASCII && ($0.isUppercase || $0.isNumber) }), !text.isEmpty {
            let meant = "; a variable of the environment is written ${env:\(text)}"
            throw UnknownName(nearest: nil, problem: "unknown variable '\(text)'" + meant)
        } else {
            throw UnknownName(nearest: NearestName.of(text, among: names.all), problem: "unknown variable '\(text)'")
        }
    }

    /// The name that templates write.
    var name: String {
        switch self {
        case .plain(let plain): plain.rawValue
        case .file(let fact): "file." + fact.rawValue
        case .setting(let name): "setting." + name
        case .option(let name): "option." + name
        case .field(let name): "field." + name
        case .capture(let name): name
        case .status(let step): step + ".status"
        case .session(let name): "session." + name
        }
    }

    private static func rest(of text: String, after prefix: String) -> String? {
        text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : nil
    }
}

/// A name that is not valid here.
struct UnknownName: Error {
    /// What was probably meant.
    var nearest: String?
    /// What is wrong with it.
    var problem: String
}

/// Names that mean something at one place of a service.
struct VariableNames: Sendable {
    /// Declared settings.
    var settings: Set<String> = []
    /// Declared options.
    var options: Set<String> = []
    /// Names of `save` so far.
    var captures: Set<String> = []
    /// Names that a later step saves.
    var later: Set<String> = []
    /// Steps so far.
    var steps: Set<String> = []
    /// Names that the login saves.
    var session: Set<String> = []

    /// Every valid name but those of unknown fields.
    var all: [String] {
        Variable.Plain.allCases.map(\.rawValue) + Variable.File.allCases.map { "file." + $0.rawValue }
            + settings.sorted().map { "setting." + $0 } + options.sorted().map { "option." + $0 } + captures.sorted()
            + steps.sorted().map { $0 + ".status" } + session.sorted().map { "session." + $0 }
    }
}
