// SPDX-License-Identifier: Apache-2.0

public import FanlightConfiguration
import FanlightCore

/// Turns the description of a service into something that works, or says what is wrong with it.
public struct ServiceCompiler: Sendable {
    private let catalogue: Catalogue
    private let references: References

    /// Keys of a catalogue entry about itself.
    static let entryKeys = AdapterFields.evidence.map(\.name)

    /// Creates a compiler.
    ///
    /// - Parameters:
    ///   - catalogue: Adapters by name.
    ///   - environment: The value of a variable; `nil` or empty = unset.
    ///   - readFile: The text of a file; `nil` when it cannot be read.
    public init(
        catalogue: Catalogue,
        environment: @escaping @Sendable (String) -> String?,
        readFile: @escaping @Sendable (String) -> String?
    ) {
        self.catalogue = catalogue
        references = References(variable: environment, file: readFile)
    }

    /// Compiles one service.
    ///
    /// - Parameters:
    ///   - name: Name in config.yaml.
    ///   - node: What stands under it.
    ///   - findings: Every finding that is new is added, so that one run reports all.
    /// - Returns: `nil` when there was an error.
    public func compile(name: String, node: Node, findings: inout Findings) -> CompiledService? {
        let compilation = Compilation(references: references)
        let service = compile(name, node, compilation)
        findings.addNew(compilation.diagnostics)
        return compilation.diagnostics.contains { $0.severity == .error } ? nil : service
    }

    /// Looks for mistakes in an adapter that no service uses.
    ///
    /// What a service would give, and values of variables and files, may be missing.
    ///
    /// - Parameters:
    ///   - name: Its name in the catalogue; nothing is found in one that is not there.
    ///   - file: The configuration; an adapter in a file of its own must not hold credentials.
    ///   - findings: Every finding that is new is added.
    public func check(adapter name: String, beside file: String, findings: inout Findings) {
        guard let entry = catalogue[name] else { return }
        let compilation = Compilation(references: references, isDraft: true)
        if entry.position.file != file { compilation.checkNoSecrets(in: entry, name) }
        let at = entry.position
        let adapter = Node.Entry(key: "adapter", position: at, value: Node(.scalar(name, isPlain: true), at: at))
        _ = compile(name, Node(.mapping([adapter]), at: at), compilation)
        findings.addNew(compilation.diagnostics)
    }

    /// The adapters that a service is based on, directly and through others.
    public func adapters(of service: Node) -> Set<String> {
        var names: Set<String> = []
        var next = service["adapter"]?.text ?? "generic"
        while names.insert(next).inserted, let name = catalogue[next]?["adapter"]?.text { next = name }
        return names
    }

    private func compile(_ name: String, _ node: Node, _ compilation: Compilation) -> CompiledService? {
        guard case .mapping = node.content else {
            compilation.error(node, "the service '\(name)' is a mapping of keys")
            return nil
        }
        let adapterName = node["adapter"]?.text ?? "generic"
        guard let merged = merged(node, compilation, seen: []) else { return nil }
        let switching = enabled(merged["enabled"], compilation)
        let specs = compilation.settingSpecs(merged["settings"])
        compilation.names.settings = Set(specs.map(\.name))
        compilation.settings = settings(name, merged, specs, compilation)
        let options = options(merged, compilation)
        compilation.options = options
        checkKeys(name, merged, specs, options, compilation)
        for field in AdapterFields.about + AdapterFields.evidence {
            guard case .text = field.type, field.name != "adapter" else { continue }
            compilation.checkText(merged[field.name], "\(field.name) is a text")
        }
        let isComplete = compilation.diagnostics.isEmpty
        var service = described(name, merged, compilation)
        service.adapterName = adapterName
        service.options = options
        service.settings = compilation.settings
        service.writtenSecret = compilation.writtenSecret
        let isEmpty = service.steps.isEmpty && service.store == nil
        if isEmpty, !compilation.isDraft, isComplete, compilation.diagnostics.isEmpty {
            compilation.error(node, "the service '\(name)' needs 'url'")
        }
        service.localFolder = service.store.flatMap { folder($0.folder, compilation.settings) }
        if let folder = service.localFolder, folder.allSatisfy({ $0 == " " }), !compilation.isDraft,
            compilation.gaps == 0, node["folder"].map({ $0.isNull || $0.text != nil }) ?? true
        {
            compilation.error(node["folder"] ?? node, "the folder of the service '\(name)' has no name")
        }
        if !compilation.isDraft { decide(switching, &service, compilation) }
        var seen: Set<String> = []
        service.secrets = compilation.secrets.filter { !$0.isEmpty && seen.insert($0).inserted }
        service.messageSecrets = Set(compilation.messageSecrets).subtracting(seen).sorted()
        service.messageWords = Set(compilation.messageWords).subtracting(seen).filter { !$0.isEmpty }.sorted()
        let mark = fingerprint(service)
        service.session?.fingerprint = mark
        return service
    }

    /// Everything but settings, options and the switch.
    private func described(_ name: String, _ node: Node, _ compilation: Compilation) -> CompiledService {
        let flow = compilation.flow(node)
        var overrides = ConstraintOverrides()
        let limits = compilation.limits(node["limits"], into: &overrides)
        compilation.pictureWishes(node, into: &overrides)
        let retry = node["retry"]
        compilation.checkKeys(of: retry, AdapterFields.retry)
        var service = CompiledService(
            name: name,
            adapterName: "",
            enabled: true,
            constraints: overrides,
            textLimits: limits.text,
            maxFrames: limits.frames,
            timeouts: compilation.timeouts(node["timeouts"]),
            deadline: compilation.read(node["deadline"], ValueReader.duration) ?? .seconds(600),
            attempts: compilation.read(retry?["attempts"]) { (text) throws(Expectation) in
                try ValueReader.integer(text, in: 1...20)
            } ?? 4,
            concurrency: limits.concurrency,
            rate: limits.rate,
            options: [],
            secrets: [],
            settings: [:]
        )
        service.delivery = compilation.deliveryWishes(node)
        service.steps = flow.steps
        service.store = flow.store
        service.result = flow.result
        service.session = flow.session
        service.delete = flow.delete
        service.discovery = flow.discovery
        return service
    }

    /// Changes with every credential; says nothing about them.
    private func fingerprint(_ service: CompiledService) -> String {
        let settings = service.settings.sorted { $0.key < $1.key }.map { $0.key + "=" + ($0.value.shown ?? "") }
        let written = service.session.map { [$0.fingerprint] } ?? []
        let text = ([service.adapterName] + settings + service.secrets + service.messageWords + written).joined(
            separator: "\n"
        )
        return TextCoding.hex(Digests.digest(.sha256, of: Array(text.utf8)))
    }

    private enum Switch { case on, off, automatic }

    private func enabled(_ node: Node?, _ compilation: Compilation) -> Switch {
        guard let node, !node.isNull, let text = compilation.wholeText(node) else { return .on }
        switch text {
        case "true": return .on
        case "false": return .off
        case "auto": return .automatic
        default:
            compilation.error(node, "enabled is true, false or auto")
            return .on
        }
    }

    private func decide(_ switching: Switch, _ service: inout CompiledService, _ compilation: Compilation) {
        let missing = compilation.unset
        switch switching {
        case .off:
            service.enabled = false
            service.disabledReason = "enabled: false"
        case .automatic:
            guard let first = missing.first else { return }
            service.enabled = false
            service.disabledReason = "\(first.name) is not set"
        case .on:
            for (name, position) in missing {
                compilation.error(
                    at: position,
                    "the variable \(name) is not set; set it, give a default with ${env:\(name):-…}, or say enabled: auto"
                )
            }
        }
    }

    /// The service's node over its adapter's, over that one's adapter, and so on.
    private func merged(_ node: Node, _ compilation: Compilation, seen: [String]) -> Node? {
        let adapterNode = node["adapter"]
        if adapterNode == nil, !seen.isEmpty { return node }
        guard let name = adapterNode.map({ $0.isNull ? "generic" : $0.text }) ?? "generic" else {
            compilation.error(adapterNode ?? node, "adapter is a name")
            return nil
        }
        guard let entry = catalogue[name] else {
            let nearest = NearestName.of(name, among: catalogue.names)
            compilation.error(adapterNode ?? node, "unknown adapter '\(name)'" + Compilation.hint(nearest))
            return nil
        }
        guard !seen.contains(name) else {
            compilation.error(adapterNode ?? node, "the adapter '\(name)' is based on itself")
            return nil
        }
        if entry.position.file != node.position.file { compilation.checkNoSecrets(in: entry, name) }
        compilation.bases.append((name, entry))
        guard let base = merged(entry, compilation, seen: seen + [name]) else { return nil }
        let kept = base.entries.filter { !Self.entryKeys.contains($0.key) && $0.key != "adapter" }
        return Merge.over(Node(.mapping(kept), at: base.position), node)
    }

    /// The options with the defaults that plain keys of the service give them; each can name those before it.
    private func options(_ node: Node, _ compilation: Compilation) -> [OptionSpec] {
        var options = compilation.optionSpecs(node["options"])
        let all = compilation.names.options
        compilation.names.options = []
        for index in options.indices {
            if let given = node[options[index].name], !Self.knownKeys.contains(options[index].name) {
                compilation.setDefault(given, of: &options[index])
            }
            compilation.names.options.insert(options[index].name)
        }
        compilation.names.options = all
        return options
    }

    private static let knownKeys = Set(AdapterFields.service.names + AdapterFields.adapter.names)

    /// Reports every key that is neither one of the language nor declared.
    private func checkKeys(
        _ name: String,
        _ node: Node,
        _ specs: [SettingSpec],
        _ options: [OptionSpec],
        _ compilation: Compilation
    ) {
        let declared = specs.map(\.name) + options.map(\.name)
        let known = Self.knownKeys.union(declared)
        // Told of the adapter that has it, not of each that is based on that one.
        var owners: [SourcePosition: String] = [:]
        for base in compilation.bases.reversed() {
            for entry in base.node.entries { owners[entry.position] = base.name }
        }
        for entry in node.entries where !known.contains(entry.key) {
            let nearest = NearestName.of(entry.key, among: declared + AdapterFields.service.names)
            let place = owners[entry.position].map { "adapter '\($0)'" } ?? "service '\(name)'"
            compilation.error(
                at: entry.position,
                "unknown key '\(entry.key)' in the \(place)" + Compilation.hint(nearest)
            )
        }
        for spec in specs.map(\.name) where Self.knownKeys.contains(spec) {
            let place = node["settings"]?.entries.first { $0.key == spec }?.position ?? node.position
            compilation.error(at: place, "a setting cannot be named '\(spec)', which is a key of the language")
        }
    }

    /// Reads the settings.
    private func settings(
        _ name: String,
        _ node: Node,
        _ specs: [SettingSpec],
        _ compilation: Compilation
    ) -> [String: JSONValue] {
        var settings: [String: JSONValue] = [:]
        for spec in specs where !Self.knownKeys.contains(spec.name) {
            let given = node[spec.name] ?? spec.defaultNode
            guard let given, !given.isNull else {
                if spec.isRequired { missing(spec, of: name, at: node, compilation) }
                continue
            }
            let meaning = spec.isSecret ? .secret : Compilation.meaning(of: spec.type)
            let gaps = compilation.gaps
            let read = compilation.meaning(meaning) { compilation.typed(given, spec.type, named: spec.name) }
            guard let text = read, !text.isEmpty else {
                // A variable that is not set has been reported, or switches the service off.
                if spec.isRequired, read != nil, compilation.gaps == gaps {
                    missing(spec, of: name, at: given, compilation)
                }
                continue
            }
            settings[spec.name] = spec.type.value(of: text)
            guard spec.isSecret else { continue }
            compilation.hide(text)
            if given.text == text, compilation.writtenSecret == nil { compilation.writtenSecret = given.position }
        }
        return settings
    }

    private func missing(_ spec: SettingSpec, of name: String, at node: Node, _ compilation: Compilation) {
        guard !compilation.isDraft else { return }
        let text = spec.description.map { " (\($0))" } ?? ""
        compilation.error(node, "the service '\(name)' needs '\(spec.name)'\(text)")
    }

    private func folder(_ template: Template, _ settings: [String: JSONValue]) -> String {
        template.segments.map { segment -> String in
            switch segment {
            case .literal(let text): return text
            case .expression(let expression):
                guard case .setting(let name) = expression.variable else { return "" }
                return settings[name]?.shown ?? ""
            }
        }.joined()
    }
}
