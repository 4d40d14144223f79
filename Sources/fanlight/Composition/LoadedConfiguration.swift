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
    /// The files that it was read from.
    var watch: FileWatch
    /// A number for each service; equal ones are, for one run of the program, the same service.
    var fingerprints: [String: Int]

    /// Path of the configuration: `--config`, else FANLIGHT_CONFIG, else ./config.yaml.
    static func path(_ arguments: Arguments) -> String {
        arguments.options["--config"] ?? Environment.value("FANLIGHT_CONFIG") ?? "./config.yaml"
    }

    /// Reads everything and reports every mistake in one run.
    static func load(
        _ path: String,
        watch: FileWatch = FileWatch()
    ) -> (loaded: LoadedConfiguration?, diagnostics: [Diagnostic]) {
        let start = SourcePosition(file: path, line: 1, column: 1)
        let file = reader(watch)
        watch.note(path)
        guard let bytes = Files.readRegular(path, limit: 4_194_304) else {
            let message = "cannot read this file, or it is no regular file; name another with --config FILE"
            return (nil, [Diagnostic(at: start, message)])
        }
        let (root, found) = YAMLReader.read(bytes, file: path)
        var diagnostics = found
        guard let root else { return (nil, diagnostics) }
        let configuration = GatewayConfiguration.decode(
            root,
            references: References(variable: variable, file: file),
            diagnostics: &diagnostics
        )
        let own = adapters(root, folder: adapterFiles(root, file), watch, diagnostics: &diagnostics)
        var catalogue = Catalogue.standard
        for (name, node) in own { catalogue.add(name, node) }
        let compiler = ServiceCompiler(
            catalogue: catalogue,
            environment: variable,
            readFile: file
        )
        var services: [CompiledService] = []
        var fingerprints: [String: Int] = [:]
        var used: Set<String> = []
        let references = References(variable: variable, file: file)
        var findings = Findings(diagnostics)
        // Read from the tree, so that a mistake elsewhere in the file does not hide those in its services.
        for entry in named("services", root) {
            let names = compiler.adapters(of: entry.value)
            let bases = names.sorted().compactMap { own[$0] }
            used.formUnion(names)
            if var service = compiler.compile(name: entry.key, node: entry.value, findings: &findings) {
                service.hide(([entry.value] + bases).flatMap(WrittenCredentials.of))
                fingerprints[entry.key] = fingerprint([entry.value] + bases, references)
                services.append(service)
            }
        }
        for name in own.keys.sorted() where !used.contains(name) {
            compiler.check(adapter: name, beside: path, findings: &findings)
        }
        diagnostics = findings.all
        diagnostics += OpenFiles.findings(
            root,
            path: path,
            adapters: own.keys.sorted().compactMap { own[$0] },
            secrets: services.compactMap(\.writtenSecret),
            isRefused: refusesOpenFiles(root, file)
        )
        guard let configuration, !diagnostics.contains(where: { $0.severity == .error }) else {
            return (nil, diagnostics)
        }
        return (
            LoadedConfiguration(
                path: path,
                configuration: configuration,
                services: services,
                warnings: diagnostics,
                watch: watch,
                fingerprints: fingerprints
            ),
            diagnostics
        )
    }

    /// Address and state folder of a configuration, mistakes or not: what cannot be read has its default.
    ///
    /// - Returns: `nil` when there is no such file; the state folder is `nil` where the file is no YAML or is empty.
    static func server(of path: String) -> (listen: ListenAddress, state: String?)? {
        guard let bytes = Files.readRegular(path, limit: 4_194_304) else { return nil }
        let defaults = ServerSettings()
        guard let root = YAMLReader.read(bytes, file: path).root, !root.entries.isEmpty else {
            return (defaults.listen, nil)
        }
        let references = References(variable: variable, file: reader(FileWatch()))
        var ignored: [Diagnostic] = []
        let values = ConfigurationFields.server.decode(root["server"], references: references, diagnostics: &ignored)
        return (values.address("listen") ?? defaults.listen, values.text("state") ?? defaults.state)
    }

    private static let variable: @Sendable (String) -> String? = { Environment.value($0) }

    private static func reader(_ watch: FileWatch) -> @Sendable (String) -> String? {
        { path in
            watch.note(path)
            return Files.readRegular(path, limit: 65_536).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// A service's keys with their references resolved, and the operator's own adapters that it is based on.
    private static func fingerprint(_ nodes: [Node], _ references: References) -> Int {
        var hasher = Hasher()
        for node in nodes {
            // What is missing has been reported.
            var missing: [References.Finding] = []
            hash(references.resolve(node, findings: &missing), into: &hasher)
        }
        return hasher.finalize()
    }

    private static func hash(_ node: Node, into hasher: inout Hasher) {
        switch node.content {
        case .scalar(let text, let isPlain):
            hasher.combine(text)
            hasher.combine(isPlain)
        case .sequence(let items):
            hasher.combine(items.count)
            for item in items { hash(item, into: &hasher) }
        case .mapping(let entries):
            hasher.combine(entries.count)
            for entry in entries {
                hasher.combine(entry.key)
                hash(entry.value, into: &hasher)
            }
        }
    }

    /// The entries of a section that are mappings; what else stands there has been reported.
    private static func named(_ section: String, _ root: Node) -> [Node.Entry] {
        (root[section]?.entries ?? []).filter { if case .mapping = $0.value.content { true } else { false } }
    }

    /// Where adapters have files of their own, also when something else in the file is wrong; that has been reported.
    private static func adapterFiles(_ root: Node, _ file: @escaping @Sendable (String) -> String?) -> String? {
        var reported: [Diagnostic] = []
        let references = References(variable: variable, file: file)
        return ConfigurationFields.file.decode(root, references: references, diagnostics: &reported)
            .text("adapter_files")
    }

    /// Whether open files are refused, also when something else in the file is wrong; that has been reported.
    private static func refusesOpenFiles(_ root: Node, _ file: @escaping @Sendable (String) -> String?) -> Bool {
        var reported: [Diagnostic] = []
        let references = References(variable: variable, file: file)
        return ConfigurationFields.server.decode(root["server"], references: references, diagnostics: &reported)
            .boolean("strict_files")
    }

    /// The operator's own adapters, which add to the embedded ones or override them.
    private static func adapters(
        _ root: Node,
        folder: String?,
        _ watch: FileWatch,
        diagnostics: inout [Diagnostic]
    ) -> [String: Node] {
        var own: [String: Node] = [:]
        if let folder {
            let position = root["adapter_files"]?.position ?? root.position
            watch.note(folder)
            if !Folder.isReadable(folder) {
                let message = "adapter_files: the folder \(folder) is not there or cannot be read; name one that is"
                diagnostics.append(Diagnostic(at: position, message))
            }
            // Hidden files are locks and drafts of editors.
            for name in Folder.names(folder).sorted() where !name.hasPrefix(".") {
                guard name.hasSuffix(".yaml") else {
                    diagnostics += misnamed(name, in: folder, at: position)
                    continue
                }
                let path = folder + "/" + name
                watch.note(path)
                guard let bytes = Files.readRegular(path, limit: 1_048_576) else {
                    let message = "adapter_files: \(path) cannot be read, is no regular file, or is larger than 1 MiB"
                    diagnostics.append(Diagnostic(at: position, message))
                    continue
                }
                let (root, found) = YAMLReader.read(bytes, file: path)
                diagnostics += found
                guard let root else { continue }
                if case .mapping = root.content {
                    own[String(name.dropLast(5))] = root
                } else {
                    diagnostics.append(Diagnostic(at: root.position, "an adapter is a mapping of keys"))
                }
            }
        }
        for entry in named("adapters", root) { own[entry.key] = entry.value }
        return own
    }

    /// A file that is meant to be an adapter and is not read.
    private static func misnamed(_ name: String, in folder: String, at position: SourcePosition) -> [Diagnostic] {
        guard let dot = name.lastIndex(of: "."), [".yml", ".yaml"].contains(name[dot...].lowercased()) else {
            return []
        }
        let message = "adapter_files: \(folder)/\(name) is not read; call it \(name[..<dot]).yaml"
        return [Diagnostic(.warning, at: position, message)]
    }

    /// Loads, tells what was found, and ends the command when something is wrong.
    ///
    /// - Parameter tell: Takes the warnings of a configuration that is right. Mistakes, and warnings beside them, are
    ///   printed as a compiler does.
    static func loadOrFail(
        _ path: String,
        tell: (LoadedConfiguration) -> Void = { print($0.warnings) }
    ) throws(CommandFailure) -> LoadedConfiguration {
        let (loaded, diagnostics) = load(path)
        guard let loaded else {
            print(diagnostics)
            let errors = diagnostics.filter { $0.severity == .error }.count
            throw CommandFailure("\(path): \(errors) error\(errors == 1 ? "" : "s"); nothing was started")
        }
        tell(loaded)
        return loaded
    }

    private static func print(_ diagnostics: [Diagnostic]) {
        for diagnostic in diagnostics { Console.error(diagnostic.description) }
    }
}
