// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// The JSON of an upload's record: what never changes once the upload is accepted.
///
/// Members without a value are left out. Reading takes what is missing as absent, so that a record of an earlier
/// version of the program can be read.
enum RecordCodec {
    static func text(of upload: JournalUpload) -> String {
        var members = Members()
        members["image"] = image(upload.image)
        members["bytes"] = .int(upload.imageBytes)
        members["sha256"] = upload.sha256.map { .string($0) }
        members["caption"] = caption(upload.caption)
        members["geotag"] = upload.geotag.map(geotag)
        members["warnings"] = upload.warnings.isEmpty ? nil : .array(upload.warnings.map(warning))
        members["renditions"] = .array(upload.renditions.map(rendition))
        return members.object.serialized()
    }

    /// Fills a record; `nil` when the text is none.
    static func read(_ text: [UInt8], into upload: inout JournalUpload) -> Bool {
        guard let value = try? JSONParser.parse(text), let image = value["image"].flatMap(image) else { return false }
        upload.image = image
        upload.imageBytes = value["bytes"]?.int ?? 0
        upload.sha256 = value["sha256"]?.string
        upload.caption = value["caption"].map(caption) ?? Caption()
        upload.geotag = value["geotag"].flatMap(geotag)
        upload.warnings = (value["warnings"]?.array ?? []).map(warning)
        upload.renditions = (value["renditions"]?.array ?? []).compactMap(rendition)
        return true
    }

    private static func caption(_ caption: Caption) -> JSONValue {
        var members = Members()
        members["title"] = caption.title.map { .string($0) }
        members["description"] = caption.description.map { .string($0) }
        members["message"] = caption.message.map { .string($0) }
        members["alt"] = caption.alt.map { .string($0) }
        members["tags"] = caption.tags.isEmpty ? nil : .array(caption.tags.map { .string($0) })
        members["fields"] =
            caption.fields.isEmpty
            ? nil : .array(caption.fields.map { .array([.string($0.name), .string($0.value)]) })
        return members.object
    }

    private static func caption(_ value: JSONValue) -> Caption {
        Caption(
            title: value["title"]?.string,
            description: value["description"]?.string,
            message: value["message"]?.string,
            alt: value["alt"]?.string,
            tags: (value["tags"]?.array ?? []).compactMap(\.string),
            fields: (value["fields"]?.array ?? []).compactMap { pair in
                guard let name = pair[0]?.string, let value = pair[1]?.string else { return nil }
                return (name: name, value: value)
            }
        )
    }

    private static func geotag(_ geotag: Geotag) -> JSONValue {
        var members = Members()
        members["latitude"] = .double(geotag.latitude)
        members["longitude"] = .double(geotag.longitude)
        members["altitude"] = geotag.altitude.map { .double($0) }
        members["source"] = .string(geotag.source.rawValue)
        return members.object
    }

    private static func geotag(_ value: JSONValue) -> Geotag? {
        guard let latitude = value["latitude"]?.double, let longitude = value["longitude"]?.double,
            let source = value["source"]?.string.flatMap(Geotag.Source.init)
        else { return nil }
        return Geotag(latitude: latitude, longitude: longitude, altitude: value["altitude"]?.double, source: source)
    }

    private static func warning(_ warning: Warning) -> JSONValue {
        .array([.string(warning.code), .string(warning.message)])
    }

    private static func warning(_ value: JSONValue) -> Warning {
        Warning(code: value[0]?.string ?? "", message: value[1]?.string ?? "")
    }

    private static func rendition(_ rendition: JournalRendition) -> JSONValue {
        var members = Members()
        members["bytes"] = .int(rendition.bytes)
        members["media_type"] = .string(rendition.mediaType.rawValue)
        members["width"] = .int(rendition.width)
        members["height"] = .int(rendition.height)
        members["lane"] = .string(rendition.lane.rawValue)
        members["sha256"] = rendition.sha256.map { .string($0) }
        return members.object
    }

    private static func rendition(_ value: JSONValue) -> JournalRendition? {
        guard let type = value["media_type"]?.string.flatMap(MediaType.init),
            let lane = value["lane"]?.string.flatMap(Lane.init)
        else { return nil }
        return JournalRendition(
            file: nil,
            bytes: value["bytes"]?.int ?? 0,
            mediaType: type,
            width: value["width"]?.int ?? 0,
            height: value["height"]?.int ?? 0,
            lane: lane,
            sha256: value["sha256"]?.string
        )
    }
}

extension RecordCodec {
    private static func image(_ facts: ImageFacts) -> JSONValue {
        var members = Members()
        members["media_type"] = .string(facts.mediaType.rawValue)
        members["width"] = .int(facts.width)
        members["height"] = .int(facts.height)
        members["orientation"] = facts.orientation == .upright ? nil : .int(facts.orientation.rawValue)
        members["upright"] = .array([.int(facts.uprightWidth), .int(facts.uprightHeight)])
        members["frames"] = facts.frames == 1 ? nil : .int(facts.frames)
        members["alpha"] = facts.hasAlpha ? true : nil
        members["geotag"] = facts.geotag.map(geotag)
        members["fix"] = fix(facts.fix)
        members["companions"] =
            facts.companions.isEmpty ? nil : .array(facts.companions.map(\.rawValue).sorted().map { .string($0) })
        members["taken_at"] = facts.takenAt.map { .string($0) }
        members["make"] = facts.cameraMake.map { .string($0) }
        members["model"] = facts.cameraModel.map { .string($0) }
        members["warnings"] = facts.warnings.isEmpty ? nil : .array(facts.warnings.map(warning))
        return members.object
    }

    private static func image(_ value: JSONValue) -> ImageFacts? {
        guard let type = value["media_type"]?.string.flatMap(MediaType.init), let width = value["width"]?.int,
            let height = value["height"]?.int
        else { return nil }
        var facts = ImageFacts(
            mediaType: type,
            width: width,
            height: height,
            orientation: value["orientation"]?.int.flatMap(Orientation.init) ?? .upright,
            frames: value["frames"]?.int ?? 1,
            hasAlpha: value["alpha"]?.bool ?? false,
            geotag: value["geotag"].flatMap(geotag),
            takenAt: value["taken_at"]?.string,
            cameraMake: value["make"]?.string,
            cameraModel: value["model"]?.string,
            warnings: (value["warnings"]?.array ?? []).map(warning)
        )
        facts.fix = value["fix"].map(fix) ?? PositionFix()
        facts.companions = Set((value["companions"]?.array ?? []).compactMap { $0.string.flatMap(Companion.init) })
        facts.uprightWidth = value["upright"]?[0]?.int ?? facts.uprightWidth
        facts.uprightHeight = value["upright"]?[1]?.int ?? facts.uprightHeight
        return facts
    }
}

extension RecordCodec {
    private static func fix(_ fix: PositionFix) -> JSONValue? {
        var members = Members()
        members["time"] = fix.time.map { .string($0) }
        members["direction"] = fix.direction.map { .double($0) }
        members["north"] = fix.north.map { .string($0.rawValue) }
        members["error"] = fix.error.map { .double($0) }
        members["datum"] = fix.datum.map { .string($0) }
        return members.object == .object([]) ? nil : members.object
    }

    private static func fix(_ value: JSONValue) -> PositionFix {
        var fix = PositionFix()
        fix.time = value["time"]?.string
        fix.direction = value["direction"]?.double
        fix.north = value["north"]?.string.flatMap(PositionFix.North.init)
        fix.error = value["error"]?.double
        fix.datum = value["datum"]?.string
        return fix
    }
}

/// Members of an object in the order of their writing; those without a value are left out.
struct Members {
    private var members: [JSONValue.Member] = []

    subscript(name: String) -> JSONValue? {
        get { members.first { $0.name == name }?.value }
        set { if let newValue { members.append(.init(name, newValue)) } }
    }

    var object: JSONValue { .object(members) }
}
