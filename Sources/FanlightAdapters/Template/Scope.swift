// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Everything that templates can read at one moment of a delivery.
struct Scope {
    /// Name of the service, for messages.
    var service: String
    /// Settings of the service, resolved.
    var settings: [String: JSONValue]
    /// Declared options with their defaults.
    var options: [OptionSpec]
    /// Longest texts, by variable name.
    var textLimits: [String: TextLimit]
    /// The delivery.
    var context: DeliveryContext
    /// Seconds since 1970 at which the delivery began; options are the same in all of it.
    var start: Int
    /// Values saved from replies so far.
    var captures: [String: JSONValue] = [:]
    /// Status of the replies so far, by step.
    var statuses: [String: Int] = [:]
    /// Values of the session.
    var session: [String: JSONValue] = [:]
    /// Why the last exchange got no reply.
    var networkError: String?
    /// Counts the exchanges, so that no two signatures are alike.
    var exchange = 0
    /// Stands for the picture in base64 in a JSON body; `nil` = the digits themselves.
    var pictureMark: String?
    /// True where nothing is sent: what only replies could tell is shown as `${name}`.
    var showsPlaceholders = false

    /// The value of a variable; `nil` when absent.
    func value(of variable: Variable) -> JSONValue? {
        if let kept = context.captures[Self.keptName(variable)] { return kept.isEmpty ? nil : .string(kept) }
        switch variable {
        case .plain(let name): return plain(name)
        case .file(let fact): return file(fact)
        case .setting(let name): return settings[name]
        case .option(let name): return option(name)
        case .field(let name): return context.caption.fields.first { $0.name == name }.map { .string($0.value) }
        case .capture(let name):
            return captures[name] ?? context.captures[name].map { .string($0) } ?? placeholder(variable)
        case .status(let step): return statuses[step].map { .number(String($0)) } ?? placeholder(variable)
        case .session(let name): return session[name] ?? placeholder(variable)
        }
    }

    /// Name under which a delivery keeps a value for its deletion; no `save` can have it.
    static func keptName(_ variable: Variable) -> String { "@" + variable.name }

    /// Digits that no other exchange of any delivery has.
    var nonce: String {
        let seed = context.uuid + ":" + context.idempotencyKey + ":" + String(exchange)
        return String(TextCoding.hex(Digests.digest(.sha256, of: Array(seed.utf8))).prefix(32))
    }

    private func placeholder(_ variable: Variable) -> JSONValue? {
        showsPlaceholders ? .string("${\(variable.name)}") : nil
    }

    private func option(_ name: String) -> JSONValue? {
        guard let spec = options.first(where: { $0.name == name }) else { return nil }
        if let given = context.options[name] ?? spec.defaultValue { return spec.type.value(of: given) }
        var early = self
        early.context.now = start
        return (try? spec.template?.text(in: early)).flatMap { $0 }.flatMap { spec.type.value(of: $0) }
    }

    private func plain(_ name: Variable.Plain) -> JSONValue? {
        let caption = context.caption
        return switch name {
        case .title: limited(caption.title, name)
        case .description: limited(caption.description, name)
        case .message: limited(caption.message, name)
        case .alt: limited(caption.alt, name)
        case .tags: caption.tags.isEmpty ? nil : .array(caption.tags.map { .string($0) })
        case .lat: context.geotag.map { .number(DecimalText.plain($0.latitude)) }
        case .lon: context.geotag.map { .number(DecimalText.plain($0.longitude)) }
        case .altitude: context.geotag?.altitude.map { .number(DecimalText.plain($0)) }
        case .geotag: context.geotag.map { .string(Self.pair($0)) }
        case .takenAt: context.takenAt.map { .string($0) }
        case .now: .string(Moment(unix: context.now).iso)
        case .uuid: .string(context.uuid)
        case .random: .string(random)
        case .service: .string(service)
        case .idempotencyKey: .string(context.idempotencyKey)
        case .uploadID: .string(context.uploadID)
        case .publicURL: context.publicURL.map { .string($0) }
        case .networkError: networkError.map { .string($0) }
        case .recovered: captures["recovered"]
        }
    }

    private static func pair(_ geotag: Geotag) -> String {
        let pair = [geotag.latitude, geotag.longitude] + (geotag.altitude.map { [$0] } ?? [])
        return pair.map(DecimalText.plain).joined(separator: ",")
    }

    /// 32 hexadecimal digits, the same in the whole delivery.
    private var random: String {
        let seed = context.uuid + ":random:" + context.idempotencyKey
        return String(TextCoding.hex(Digests.digest(.sha256, of: Array(seed.utf8))).prefix(32))
    }

    private func limited(_ text: String?, _ name: Variable.Plain) -> JSONValue? {
        guard let text else { return nil }
        return .string(textLimits[name.rawValue].map { $0.unit.truncate(text, to: $0.count) } ?? text)
    }

    private func file(_ fact: Variable.File) -> JSONValue? {
        let rendition = context.rendition
        return switch fact {
        case .name: .string(context.fileStem + "." + rendition.mediaType.fileExtension)
        case .stem: .string(context.fileStem)
        case .ext: .string(rendition.mediaType.fileExtension)
        case .mime: .string(rendition.mediaType.mime)
        case .size: .number(String(rendition.file.size))
        case .width: .number(String(rendition.width))
        case .height: .number(String(rendition.height))
        case .sha256: digest(.sha256)
        case .md5: digest(.md5)
        case .sha1: digest(.sha1)
        case .base64: (context.content ?? rendition.file.readAll()).map { .string(TextCoding.base64($0)) }
        }
    }

    private func digest(_ kind: DigestKind) -> JSONValue? { pictureDigest(kind).map { .string(TextCoding.hex($0)) } }

    /// The hash of the picture; `nil` when the disk fails.
    func pictureDigest(_ kind: DigestKind) -> [UInt8]? {
        if let content = context.content { return Digests.digest(kind, of: content) }
        if kind == .sha256, let known = context.rendition.file.sha256 { return TextCoding.hexDecoded(known) }
        return Digests.digest(kind, of: context.rendition.file)
    }
}
