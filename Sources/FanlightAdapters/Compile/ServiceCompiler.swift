// SPDX-License-Identifier: Apache-2.0

public import FanlightConfiguration
import FanlightCore

/// Turns the description of a service into something that works, or says what is wrong with it.
public struct ServiceCompiler: Sendable {
    private let catalogue: Catalogue
    private let environment: @Sendable (String) -> String?
    private let readFile: @Sendable (String) -> String?

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
        self.environment = environment
        self.readFile = readFile
    }

    /// Compiles one service.
    ///
    /// - Parameters:
    ///   - name: Name in config.yaml.
    ///   - node: What stands under it.
    ///   - diagnostics: Every finding is added, so that one run reports all.
    /// - Returns: `nil` when there was an error.
    public func compile(name: String, node: Node, diagnostics: inout [Diagnostic]) -> CompiledService? {
        let compilation = Compilation(environment: environment, readFile: readFile)
        let service = compile(name, node, compilation)
        diagnostics += compilation.diagnostics
        return compilation.diagnostics.contains { $0.severity == .error } ? nil : service
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
        var options = compilation.optionSpecs(merged["options"])
        let settings = values(name, merged, specs, &options, compilation)
        compilation.names.settings = Set(specs.map(\.name))
        compilation.names.options = Set(options.map(\.name))
        let request = compilation.request(merged, method: "POST", sendsFile: true)
        let store = store(merged["store"], compilation)
        if request == nil, store == nil, compilation.diagnostics.isEmpty {
            compilation.error(node, "the service '\(name)' needs 'url'")
        }
        compilation.names.captures = Set((merged["save"]?.entries ?? []).map(\.key))
        for key in ["link", "page", "id"] where merged[key] != nil { compilation.names.captures.insert(key) }
        if store != nil { compilation.names.captures.insert("stored_name") }
        var overrides = ConstraintOverrides()
        let limits = compilation.limits(merged["limits"], into: &overrides)
        compilation.pictureWishes(merged, into: &overrides)
        let retry = merged["retry"]
        compilation.checkKeys(of: retry, AdapterFields.retry)
        let declaredIdempotent = compilation.read(merged["idempotent"], ValueReader.boolean) ?? false
        var service = CompiledService(
            name: name,
            adapterName: adapterName,
            enabled: true,
            disabledReason: nil,
            constraints: overrides,
            textLimits: limits.text,
            maxFrames: limits.frames,
            timeouts: compilation.timeouts(merged["timeouts"]),
            deadline: compilation.read(merged["deadline"], ValueReader.duration) ?? .seconds(600),
            attempts: compilation.read(retry?["attempts"]) { (text) throws(Expectation) in
                try ValueReader.integer(text, in: 1...20)
            } ?? 4,
            concurrency: limits.concurrency,
            rate: limits.rate,
            options: options,
            secrets: [],
            isIdempotent: declaredIdempotent || (request?.variables.contains(.plain(.idempotencyKey)) ?? false),
            settings: settings,
            request: request,
            store: store,
            reply: reply(merged, compilation),
            delete: delete(merged["delete"], auth: merged["auth"], compilation)
        )
        service.delivery = compilation.deliveryWishes(merged)
        service.localFolder = store?.folder.constant ?? store.flatMap { folder($0.folder, settings) }
        decide(switching, &service, compilation)
        var seen: Set<String> = []
        service.secrets = compilation.secrets.filter { !$0.isEmpty && seen.insert($0).inserted }
        return service
    }

    private enum Switch { case on, off, automatic }

    private func enabled(_ node: Node?, _ compilation: Compilation) -> Switch {
        guard let node, !node.isNull, let text = compilation.text(node) else { return .on }
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
        let name = adapterNode?.text ?? "generic"
        guard let entry = catalogue[name] else {
            let nearest = NearestName.of(name, among: catalogue.names)
            compilation.error(adapterNode ?? node, "unknown adapter '\(name)'" + Compilation.hint(nearest))
            return nil
        }
        guard !seen.contains(name) else {
            compilation.error(adapterNode ?? node, "the adapter '\(name)' is based on itself")
            return nil
        }
        guard let base = merged(entry, compilation, seen: seen + [name]) else { return nil }
        let kept = base.entries.filter { !Self.entryKeys.contains($0.key) && $0.key != "adapter" }
        return Merge.over(Node(.mapping(kept), at: base.position), node)
    }

    /// Reads the plain keys: settings and defaults of options; reports every other unknown key.
    private func values(
        _ name: String,
        _ node: Node,
        _ specs: [SettingSpec],
        _ options: inout [OptionSpec],
        _ compilation: Compilation
    ) -> [String: JSONValue] {
        var settings: [String: JSONValue] = [:]
        let known = AdapterFields.service.names + Self.entryKeys
        for entry in node.entries where !known.contains(entry.key) {
            if specs.contains(where: { $0.name == entry.key }) { continue }
            if let index = options.firstIndex(where: { $0.name == entry.key }) {
                options[index].defaultValue = compilation.typed(entry.value, options[index].type, named: entry.key)
                continue
            }
            let valid = specs.map(\.name) + options.map(\.name) + known.filter { !Self.entryKeys.contains($0) }
            let nearest = NearestName.of(entry.key, among: valid)
            compilation.error(
                at: entry.position,
                "unknown key '\(entry.key)' in the service '\(name)'" + Compilation.hint(nearest)
            )
        }
        for spec in specs {
            guard !known.contains(spec.name) else {
                compilation.error(node, "a setting cannot be named '\(spec.name)', which is a key of the language")
                continue
            }
            let given = node[spec.name] ?? spec.defaultNode
            guard let given, !given.isNull else {
                if spec.isRequired {
                    let text = spec.description.map { " (\($0))" } ?? ""
                    compilation.error(node, "the service '\(name)' needs '\(spec.name)'\(text)")
                }
                continue
            }
            guard let text = compilation.typed(given, spec.type, named: spec.name), !text.isEmpty else { continue }
            settings[spec.name] = spec.type.value(of: text)
            if spec.isSecret { compilation.secrets.append(text) }
        }
        return settings
    }

    private func store(_ node: Node?, _ compilation: Compilation) -> (folder: Template, name: Template)? {
        guard let node, !node.isNull else { return nil }
        compilation.checkKeys(of: node, AdapterFields.store)
        guard let folder = node["folder"].flatMap({ compilation.template($0) }),
            let name = node["name"].flatMap({ compilation.template($0) })
        else {
            compilation.error(node, "store needs 'folder' and 'name'")
            return nil
        }
        for variable in folder.variables {
            if case .setting = variable { continue }
            compilation.error(node, "the folder may come from settings only")
        }
        return (folder, name)
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

    private func reply(_ node: Node, _ compilation: Compilation) -> ReplyProgram {
        var reply = ReplyProgram()
        for entry in node["save"]?.entries ?? [] {
            if let sources = compilation.sources(entry.value) { reply.save.append((entry.key, sources)) }
        }
        reply.ok = compilation.predicate(node["ok"])
        reply.error = compilation.errorRules(node["error"])
        reply.link = compilation.sources(node["link"])
        reply.page = compilation.sources(node["page"])
        reply.thumbnail = compilation.sources(node["thumbnail"])
        reply.id = compilation.sources(node["id"])
        for key in ["delete_url", "expires_at", "visibility"] {
            if let sources = compilation.sources(node[key]) { reply.extras.append((key, sources)) }
        }
        if let rule = compilation.waiting(node["retry_after"], in: "retry_after") { reply.waits.append(rule) }
        compilation.checkKeys(of: node["rate_limit"], AdapterFields.rateLimit)
        _ = compilation.sources(node["rate_limit"]?["remaining"])
        if let rule = compilation.waiting(node["rate_limit"]?["reset"], in: "rate_limit.reset") {
            reply.waits.append(rule)
        }
        return reply
    }

    /// Credentials are those of the upload unless the deletion has its own.
    private func delete(
        _ own: Node?,
        auth: Node?,
        _ compilation: Compilation
    ) -> (request: RequestProgram, ok: Predicate?)? {
        guard let own, !own.isNull else { return nil }
        compilation.checkKeys(of: own, AdapterFields.delete)
        let inherited = auth.map { [Node.Entry(key: "auth", position: $0.position, value: $0)] } ?? []
        let node = own["auth"] == nil ? Node(.mapping(own.entries + inherited), at: own.position) : own
        guard let request = compilation.request(node, method: "DELETE", sendsFile: false) else { return nil }
        return (request, compilation.predicate(node["ok"]))
    }
}
