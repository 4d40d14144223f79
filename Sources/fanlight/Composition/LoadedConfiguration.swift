// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore
import FanlightGateway

/// config.yaml, read and compiled.
struct LoadedConfiguration {
    var path: String
    var configuration: GatewayConfiguration
    var services: [CompiledService]
    var warnings: [Diagnostic]

    /// Path of the configuration: `--config`, else FANLIGHT_CONFIG, else ./config.yaml.
    static func path(_ arguments: Arguments) -> String {
        arguments.options["--config"] ?? Environment.value("FANLIGHT_CONFIG") ?? "./config.yaml"
    }

    /// Reads everything and reports every mistake in one run.
    static func load(_ path: String) -> (loaded: LoadedConfiguration?, diagnostics: [Diagnostic]) {
        let start = SourcePosition(file: path, line: 1, column: 1)
        guard let bytes = Files.read(path, limit: 4_194_304) else {
            return (nil, [Diagnostic(at: start, "cannot read this file; name another with --config FILE")])
        }
        let (root, found) = YAMLReader.read(bytes, file: path)
        var diagnostics = found
        guard let root else { return (nil, diagnostics) }
        let configuration = GatewayConfiguration.decode(
            root,
            references: References(variable: variable, file: file),
            diagnostics: &diagnostics
        )
        let compiler = ServiceCompiler(
            catalogue: catalogue(root, folder: configuration?.adapterFiles, diagnostics: &diagnostics),
            environment: variable,
            readFile: file
        )
        var services: [CompiledService] = []
        // Read from the tree, so that a mistake elsewhere in the file does not hide those in its services.
        for entry in named("services", root) {
            if var service = compiler.compile(name: entry.key, node: entry.value, diagnostics: &diagnostics) {
                service.secrets += WrittenCredentials.of(entry.value)
                services.append(service)
            }
        }
        guard let configuration, !diagnostics.contains(where: { $0.severity == .error }) else {
            return (nil, diagnostics)
        }
        return (
            LoadedConfiguration(path: path, configuration: configuration, services: services, warnings: diagnostics),
            diagnostics
        )
    }

    private static let variable: @Sendable (String) -> String? = { Environment.value($0) }

    private static let file: @Sendable (String) -> String? = { path in
        Files.read(path, limit: 65_536).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The entries of a section that are mappings; what else stands there has been reported.
    private static func named(_ section: String, _ root: Node) -> [Node.Entry] {
        (root[section]?.entries ?? []).filter { if case .mapping = $0.value.content { true } else { false } }
    }

    /// The embedded catalogue with the operator's own adapters over it.
    private static func catalogue(_ root: Node, folder: String?, diagnostics: inout [Diagnostic]) -> Catalogue {
        var catalogue = Catalogue.standard
        if let folder {
            for name in Folder.names(folder).sorted() where name.hasSuffix(".yaml") {
                let path = folder + "/" + name
                guard let bytes = Files.read(path, limit: 1_048_576) else { continue }
                let (root, found) = YAMLReader.read(bytes, file: path)
                diagnostics += found
                if let root { catalogue.add(String(name.dropLast(5)), root) }
            }
        }
        for entry in named("adapters", root) { catalogue.add(entry.key, entry.value) }
        return catalogue
    }

    /// Loads, prints what was found, and ends the command when something is wrong.
    static func loadOrFail(_ path: String) throws(CommandFailure) -> LoadedConfiguration {
        let (loaded, diagnostics) = load(path)
        for diagnostic in diagnostics { Console.error(diagnostic.description) }
        guard let loaded else {
            let errors = diagnostics.filter { $0.severity == .error }.count
            throw CommandFailure("\(path): \(errors) error\(errors == 1 ? "" : "s"); nothing was started")
        }
        return loaded
    }
}
