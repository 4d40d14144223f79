// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// The gateway's own part of config.yaml; services and adapters stay nodes for those who know their keys.
public struct GatewayConfiguration: Sendable {
    /// The `server` section.
    public var server: ServerSettings
    /// The `image` section.
    public var image: ImageSettings
    /// The `geotag` section.
    public var geotag = GeotagConfiguration()
    /// The `journal` section.
    public var journal = JournalConfiguration()
    /// The `notify` section; `nil` without one.
    public var notify: NotifyConfiguration?
    /// Services in the order of the file; each node is a mapping, references in it are not resolved.
    public var services: [(name: String, node: Node)]
    /// Adapters that the file adds or overrides, in its order; each node is a mapping.
    public var adapters: [(name: String, node: Node)]
    /// Folder with more adapters; `nil` = none.
    public var adapterFiles: String?
    /// Routes in the order of the file; `default` is always there, at the end when the file does not name it.
    public var routes: [Route]

    /// Creates a configuration; without routes, `default` names every service.
    public init(
        server: ServerSettings = ServerSettings(),
        image: ImageSettings = ImageSettings(),
        services: [(name: String, node: Node)] = [],
        adapters: [(name: String, node: Node)] = [],
        adapterFiles: String? = nil,
        routes: [Route]? = nil
    ) {
        self.server = server
        self.image = image
        self.services = services
        self.adapters = adapters
        self.adapterFiles = adapterFiles
        self.routes = routes ?? [Route(name: "default", services: services.map(\.name))]
    }

    /// The route of that name.
    public func route(_ name: String) -> Route? { routes.first { $0.name == name } }

    /// Reads the whole file; all findings are reported in one run.
    ///
    /// - Parameters:
    ///   - root: The document's root; null gives the defaults.
    ///   - references: Resolves `${env:…}` and `${file:…}` in `server`, `image` and `adapter_files`.
    ///   - diagnostics: Findings are added, those of this call in the order of the file.
    /// - Returns: `nil` when this call adds an error.
    public static func decode(
        _ root: Node,
        references: References = .none,
        diagnostics: inout [Diagnostic]
    ) -> GatewayConfiguration? {
        var found: [Diagnostic] = []
        let top = ConfigurationFields.file.decode(root, references: references, diagnostics: &found) { key in
            ConfigurationFields.sections.first { $0.fields.contains { $0.name == key } }?.name
        }
        let names = ["services", "routes"].flatMap { (top.node($0)?.entries ?? []).map(\.key) } + ["default"]
        let server = serverSettings(top.node("server"), names: names, references: references, diagnostics: &found)
        let image = imageSettings(top.node("image"), references: references, diagnostics: &found)
        let geotag = GeotagConfiguration(top.node("geotag"), references: references, diagnostics: &found)
        let journal = JournalConfiguration(
            top.node("journal"),
            stateKey: server?.stateKey?.value,
            references: references,
            diagnostics: &found
        )
        let notify = NotifyConfiguration.read(top.node("notify"), references: references, diagnostics: &found)
        let services = named(top.node("services"), kind: "service", diagnostics: &found)
        let adapters = named(top.node("adapters"), kind: "adapter", diagnostics: &found)
        let isReadable = !services.isEmpty || top.node("services") == nil
        let reader = RouteReader(services: services.map(\.name), checksNames: isReadable)
        let routes = reader.read(top.node("routes"), diagnostics: &found)
        if services.isEmpty, !found.contains(where: { $0.severity == .error }) {
            found.append(Diagnostic(.warning, at: root.position, "no services: uploads have nowhere to go"))
        }
        diagnostics += found.sortedByPosition()
        guard !found.contains(where: { $0.severity == .error }), let server else { return nil }
        var configuration = GatewayConfiguration(
            server: server,
            image: image,
            services: services,
            adapters: adapters,
            adapterFiles: top.text("adapter_files"),
            routes: routes
        )
        configuration.geotag = geotag
        configuration.journal = journal
        configuration.notify = notify
        return configuration
    }

    private static func serverSettings(
        _ node: Node?,
        names: [String],
        references: References,
        diagnostics: inout [Diagnostic]
    ) -> ServerSettings? {
        let values = ConfigurationFields.server.decode(node, references: references, diagnostics: &diagnostics)
        guard let listen = values.address("listen"), let state = values.text("state") else { return nil }
        var settings = ServerSettings(
            listen: listen,
            publicURL: values.text("public_url"),
            state: state,
            maxBody: values.integer("max_body"),
            answerWithin: values.duration("answer_within"),
            drain: values.duration("drain"),
            clientTimeout: values.duration("client_timeout"),
            clientKeys: ClientKeyConfiguration.read(
                values.node("client_keys"),
                names: names,
                references: references,
                diagnostics: &diagnostics
            )
        )
        settings.stateKey = values.text("state_key").map { Secret($0) }
        settings.minFree = values.integer("min_free")
        settings.trace = values.text("trace").flatMap(TracePolicy.init) ?? .pass
        settings.minRate = values.integer("min_rate")
        settings.maxConnections = values.integer("max_connections")
        let ofAddress = values.integer("max_connections_per_address")
        settings.maxConnectionsPerAddress = ofAddress > 0 ? ofAddress : nil
        settings.clientAddress = values.text("client_address").flatMap(ForwardedField.init) ?? .xForwardedFor
        settings.addressRate = values.rate("address_rate")
        settings.maxSpool = values.integer("max_spool")
        settings.refusesOpenFiles = values.boolean("strict_files")
        if settings.clientTimeout < .milliseconds(100), let node = values.given["client_timeout"] {
            diagnostics.append(Diagnostic(at: node.position, "server.client_timeout: expected 100ms or more"))
        }
        CallerChecks.read(values, into: &settings, diagnostics: &diagnostics)
        return settings
    }

    private static func imageSettings(
        _ node: Node?,
        references: References,
        diagnostics: inout [Diagnostic]
    ) -> ImageSettings {
        let values = ConfigurationFields.image.decode(node, references: references, diagnostics: &diagnostics)
        var limits = ImageLimits()
        limits.maxPixels = values.integer("max_pixels")
        limits.maxFrames = values.integer("max_frames")
        limits.maxTotalPixels = values.integer("max_total_pixels")
        var settings = ImageSettings(maxEdge: values.integer("max_edge"), quality: values.integer("quality"))
        settings.limits = limits
        settings.metadata = values.text("metadata").flatMap(MetadataPolicy.init) ?? .strip
        settings.format = values.text("format").flatMap(MediaType.init)
        settings.rotation = values.text("rotate").flatMap(RotationPolicy.init) ?? .lossless
        settings.colour = values.text("color").flatMap(ColourPolicy.init) ?? .keep
        settings.background = values.text("background").flatMap { GroundColour($0) } ?? .white
        settings.givesHash = values.boolean("sha256")
        settings.helpers = values.integer("helpers")
        settings.processorTime = values.duration("cpu")
        settings.memory = values.integer("memory")
        if settings.processorTime < .seconds(1), let node = values.given["cpu"] {
            diagnostics.append(Diagnostic(at: node.position, "image.cpu: expected 1s or more"))
        }
        if settings.memory < ImageSettings.leastMemory, let node = values.given["memory"] {
            diagnostics.append(Diagnostic(at: node.position, "image.memory: expected 128MB or more"))
        }
        return settings
    }

    /// Reads a mapping whose keys are names and whose values are mappings.
    private static func named(
        _ node: Node?,
        kind: String,
        diagnostics: inout [Diagnostic]
    ) -> [(name: String, node: Node)] {
        guard let node, !node.isNull else { return [] }
        let one = (kind == "adapter" ? "an " : "a ") + kind
        guard case .mapping(let entries) = node.content else {
            diagnostics.append(
                Diagnostic(at: node.position, "\(kind)s: expected one name \(one), with its keys under it")
            )
            return []
        }
        for entry in entries {
            if !isName(entry.key) {
                let message = "\(one)'s name is made of letters, digits, '-' and '_', at most 64"
                diagnostics.append(Diagnostic(at: entry.position, message))
            }
            if case .mapping = entry.value.content { continue }
            diagnostics.append(
                Diagnostic(at: entry.value.position, "\(kind)s.\(entry.key): expected a mapping of keys")
            )
        }
        return entries.map { ($0.key, $0.value) }
    }

    /// True for what can stand in `option.<service>.<name>` and in a list with commas.
    static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    }
}
