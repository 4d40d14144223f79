// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore

/// A value that an operator gives an adapter.
struct SettingSpec: Sendable {
    var name: String
    var type: ValueType
    var isSecret: Bool
    var isRequired: Bool
    var defaultNode: Node?
    var description: String?
}

extension Compilation {
    /// Reads `settings:`.
    func settingSpecs(_ node: Node?) -> [SettingSpec] {
        declared(node, AdapterFields.setting, in: "settings").map {
            entry in
            SettingSpec(
                name: entry.key,
                type: valueType(entry.value, in: "setting"),
                isSecret: read(entry.value["secret"], ValueReader.boolean) ?? false,
                isRequired: read(entry.value["required"], ValueReader.boolean) ?? false,
                defaultNode: entry.value["default"],
                description: entry.value["description"]?.text
            )
        }
    }

    /// Reads `options:`; defaults are those of the adapter, a service's plain keys come later.
    func optionSpecs(_ node: Node?) -> [OptionSpec] {
        declared(node, AdapterFields.option, in: "options").map { entry in
            let type = valueType(entry.value, in: "option")
            var option = OptionSpec(name: entry.key, type: type, description: entry.value["description"]?.text)
            if let node = entry.value["default"], !node.isNull { setDefault(node, of: &option) }
            names.options.insert(entry.key)
            return option
        }
    }

    /// Sets what an option is where an upload gives none; a template may name the options before it.
    func setDefault(_ node: Node, of option: inout OptionSpec) {
        meaning(Self.meaning(of: option.type)) { readDefault(node, of: &option) }
    }

    /// What values from outside are taken for in a setting or an option that is not declared secret.
    static func meaning(of type: ValueType) -> OutsideMeaning {
        switch type {
        case .url: .address
        case .text: .untold
        case .int, .bool, .choice: .open
        }
    }

    private func readDefault(_ node: Node, of option: inout OptionSpec) {
        option.defaultValue = nil
        option.template = nil
        guard let source = node.text, source.contains("${"), let template = template(node) else {
            option.defaultValue = typed(node, option.type, named: option.name)
            return
        }
        guard let constant = template.constant else {
            option.template = template
            return
        }
        if option.type.accepts(constant) || gaps > 0 {
            option.defaultValue = constant
        } else {
            error(node, "'\(option.name)' takes \(option.type.name)")
        }
    }

    /// The characters of a scalar that must be of a type.
    func typed(_ node: Node, _ type: ValueType, named name: String) -> String? {
        let before = gaps
        guard let text = text(node) else { return nil }
        if type.accepts(text) || gaps > before { return text }
        error(node, "'\(name)' takes \(type.name)")
        return nil
    }

    private func declared(_ node: Node?, _ section: Section, in place: String) -> [Node.Entry] {
        guard let node, !node.isNull else { return [] }
        guard case .mapping(let entries) = node.content else {
            error(node, "\(place) is a mapping of names to declarations")
            return []
        }
        for entry in entries {
            checkKeys(of: entry.value, section, in: "\(place).\(entry.key)")
            for key in ["type", "description"] { checkText(entry.value[key], "\(key) is a text") }
            if let values = entry.value["values"], !values.isNull { checkValues(values) }
        }
        return entries
    }

    private func checkValues(_ node: Node) {
        guard case .sequence(let items) = node.content else { return error(node, "values is a list of texts") }
        for item in items where item.text == nil { error(item, "values is a list of texts") }
    }

    private func valueType(_ node: Node, in place: String) -> ValueType {
        // Read first, so that its mistakes are told beside a list of values as well.
        let type = writtenType(node, in: place)
        if let values = node["values"], !values.items.isEmpty { return .choice(values.items.compactMap(\.text)) }
        return type
    }

    private func writtenType(_ node: Node, in place: String) -> ValueType {
        guard let typeNode = node["type"], let type = typeNode.text else { return .text }
        switch type {
        case "text": return .text
        case "int": return .int
        case "bool": return .bool
        case "url": return .url
        default:
            let nearest = NearestName.of(type, among: ["text", "int", "bool", "url"])
            error(
                typeNode,
                "the type of \(place == "option" ? "an" : "a") \(place) is text, int, bool or url" + Self.hint(nearest)
            )
            return .text
        }
    }

    /// Reads `limits:`.
    func limits(_ node: Node?, into overrides: inout ConstraintOverrides) -> ServiceLimits {
        checkKeys(of: node, AdapterFields.limits)
        var limits = ServiceLimits()
        func whole(_ text: String) throws(Expectation) -> Int { try ValueReader.integer(text, in: 1...Int.max) }
        overrides.maxBytes = read(node?["bytes"], ValueReader.someByteSize)
        overrides.maxEdge = read(node?["edge"], whole)
        overrides.maxPixels = read(node?["pixels"], ValueReader.pixelCount)
        overrides.formats = node?["formats"].flatMap { formats($0) }
        overrides.maxFrames = read(node?["frames"], whole)
        limits.frames = overrides.maxFrames
        limits.rate = read(node?["rate"], ValueReader.rate)
        limits.concurrency = read(node?["concurrency"], whole)
        if let text = node?["text"], !text.isNull {
            let names = AdapterFields.texts.names
            checkKeys(of: text, names, in: "limits.text")
            for entry in text.entries where names.contains(entry.key) {
                limits.text[entry.key] = read(entry.value, TextLimit.read)
            }
        }
        return limits
    }

    private func formats(_ node: Node) -> [MediaType]? {
        guard !node.isNull else { return nil }
        let items = node.items.isEmpty ? [node] : node.items
        return items.compactMap { mediaType($0) }
    }

    /// Reads the name of a picture format.
    func mediaType(_ node: Node) -> MediaType? {
        guard let text = wholeText(node) else { return nil }
        let name = ["jpg": "jpeg", "tif": "tiff", "heif": "heic"][text] ?? text
        if let type = MediaType(rawValue: name) { return type }
        let names = MediaType.allCases.map(\.rawValue)
        error(node, "unknown format '\(text)'" + Self.hint(NearestName.of(text, among: names)))
        return nil
    }

    /// Reads `timeouts:`.
    func timeouts(_ node: Node?) -> Timeouts {
        checkKeys(of: node, AdapterFields.timeouts)
        var timeouts = Timeouts()
        if let value = read(node?["connect"], ValueReader.duration) { timeouts.connect = value }
        if let value = read(node?["stall"], ValueReader.duration) { timeouts.stall = value }
        if let value = read(node?["total"], ValueReader.duration) { timeouts.total = value }
        return timeouts
    }
}
