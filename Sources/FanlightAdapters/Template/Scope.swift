// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Everything that templates can read during one delivery.
struct Scope {
    /// Name of the service, for messages.
    var service: String
    /// Settings of the service, resolved.
    var settings: [String: JSONValue]
    /// Declared options with their defaults.
    var options: [OptionSpec]
    /// Most characters a text may have, by variable name.
    var textLimits: [String: Int]
    /// The delivery.
    var context: DeliveryContext
    /// Values saved from the reply so far.
    var captures: [String: JSONValue] = [:]

    /// The value of a variable; `nil` when absent.
    func value(of variable: Variable) -> JSONValue? {
        switch variable {
        case .plain(let name): plain(name)
        case .file(let fact): file(fact)
        case .setting(let name): settings[name]
        case .option(let name): option(name)
        case .field(let name): context.caption.fields.first { $0.name == name }.map { .string($0.value) }
        case .capture(let name): captures[name] ?? context.captures[name].map { .string($0) }
        }
    }

    private func option(_ name: String) -> JSONValue? {
        guard let spec = options.first(where: { $0.name == name }) else { return nil }
        return (context.options[name] ?? spec.defaultValue).flatMap { spec.type.value(of: $0) }
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
        case .takenAt: context.takenAt.map { .string($0) }
        case .now: .string(Moment(unix: context.now).iso)
        case .uuid: .string(context.uuid)
        case .service: .string(service)
        case .idempotencyKey: .string(context.idempotencyKey)
        case .uploadID: .string(context.uploadID)
        case .publicURL: context.publicURL.map { .string($0) }
        }
    }

    private func limited(_ text: String?, _ name: Variable.Plain) -> JSONValue? {
        guard let text else { return nil }
        return .string(textLimits[name.rawValue].map { TextUnit.characters.truncate(text, to: $0) } ?? text)
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

    private func digest(_ kind: DigestKind) -> JSONValue? {
        let bytes = context.content.map { Digests.digest(kind, of: $0) }
        return (bytes ?? Digests.digest(kind, of: context.rendition.file)).map { .string(TextCoding.hex($0)) }
    }
}
