// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore
import FanlightGateway

/// `fanlight test`: runs the tests inside adapter files.
enum TestCommand {
    static func run(_ arguments: [String]) throws {
        let parsed = try Arguments(arguments, options: ["--format"])
        let format = try OutputFormat.of(parsed)
        var subjects = TestSubjects()
        if parsed.words.isEmpty { subjects.addCatalogue() }
        for path in parsed.words { subjects.add(path) }
        let findings = subjects.findings()
        switch format {
        case .text: printText(findings, subjects.diagnostics)
        case .json: Console.out(json(findings, subjects.diagnostics).serialized(pretty: true))
        }
        let failed = findings.filter { !$0.passed }.count
        let errors = subjects.diagnostics.filter { $0.severity == .error }.count
        if findings.isEmpty, errors == 0 { throw CommandFailure("nothing to test: no adapter in these files") }
        guard failed + errors > 0 else { return }
        throw CommandFailure("\(failed) of \(findings.count) tests failed" + (errors > 0 ? ", \(errors) errors" : ""))
    }

    private static func printText(_ findings: [AdapterTestRunner.Finding], _ diagnostics: [Diagnostic]) {
        for diagnostic in diagnostics { Console.error(diagnostic.description) }
        for finding in findings where !finding.passed {
            for failure in finding.failures {
                // What was expected and what went out may take several lines.
                let lines = failure.split(separator: "\n", omittingEmptySubsequences: false)
                let text = "\(finding.adapter): \(finding.test): \(lines.first ?? "")"
                Console.error(Diagnostic(at: finding.position, text).description)
                for line in lines.dropFirst() { Console.error("    " + Diagnostic.visible(String(line))) }
            }
        }
        var rows = [["SERVICE", "TESTS", "RESULT"]]
        for (name, tests) in grouped(findings) {
            let failed = tests.filter { !$0.passed }.count
            rows.append([name, "\(tests.count)", failed == 0 ? "ok" : "\(failed) failed"])
        }
        guard rows.count > 1 else { return }
        for line in TextTable.lines(rows) { Console.out(line) }
        let failed = findings.filter { !$0.passed }.count
        Console.out("\(rows.count - 1) adapters, \(findings.count) tests, \(failed) failed")
    }

    private static func json(_ findings: [AdapterTestRunner.Finding], _ diagnostics: [Diagnostic]) -> JSONValue {
        let services = grouped(findings).map { name, tests -> JSONValue in
            .object([
                .init("adapter", .string(name)), .init("tests", .int(tests.count)),
                .init("failed", .int(tests.filter { !$0.passed }.count)),
                .init("failures", .array(tests.filter { !$0.passed }.map(failure))),
            ])
        }
        return .object([
            .init("adapters", .array(services)), .init("tests", .int(findings.count)),
            .init("failed", .int(findings.filter { !$0.passed }.count)),
            .init("findings", .array(diagnostics.map(\.json))),
        ])
    }

    private static func failure(_ finding: AdapterTestRunner.Finding) -> JSONValue {
        .object([
            .init("test", .string(finding.test)), .init("file", .string(finding.position.file)),
            .init("line", .int(finding.position.line)), .init("column", .int(finding.position.column)),
            .init("differences", .array(finding.failures.map { .string($0) })),
        ])
    }

    /// By adapter, in order.
    private static func grouped(
        _ findings: [AdapterTestRunner.Finding]
    ) -> [(name: String, tests: [AdapterTestRunner.Finding])] {
        var groups: [(name: String, tests: [AdapterTestRunner.Finding])] = []
        for finding in findings {
            if groups.last?.name == finding.adapter {
                groups[groups.count - 1].tests.append(finding)
            } else {
                groups.append((finding.adapter, [finding]))
            }
        }
        return groups
    }
}

/// The adapters that a command line names: those of the program, of files, of folders, and of configurations.
struct TestSubjects {
    private var catalogue = Catalogue.standard
    private var names: [String] = []
    private(set) var diagnostics: [Diagnostic] = []

    /// Sections that only a configuration has.
    private static let configurationKeys = ConfigurationFields.file.names

    mutating func addCatalogue() {
        names += catalogue.names
        diagnostics += Catalogue.embedded().diagnostics
    }

    /// Adds an adapter file, a folder of them, or a configuration.
    mutating func add(_ path: String) {
        let files = Folder.names(path).sorted().filter { $0.hasSuffix(".yaml") }
        if !files.isEmpty {
            for name in files { addFile(path + "/" + name) }
        } else {
            addFile(path)
        }
    }

    /// Runs every test of every adapter that was added.
    func findings() -> [AdapterTestRunner.Finding] {
        let runner = AdapterTestRunner(catalogue: catalogue)
        return names.flatMap { runner.run($0) }
    }

    private mutating func addFile(_ path: String) {
        guard let bytes = Files.read(path, limit: 4_194_304) else {
            diagnostics.append(Diagnostic(at: SourcePosition(file: path, line: 1, column: 1), "cannot read this file"))
            return
        }
        let (root, found) = YAMLReader.read(bytes, file: path)
        diagnostics += found
        guard let root else { return }
        if root.entries.contains(where: { Self.configurationKeys.contains($0.key) }) {
            addConfiguration(root, path)
        } else {
            let name = path.split(separator: "/").last.map(String.init) ?? path
            add(String(name.hasSuffix(".yaml") ? name.dropLast(5) : name[...]), root)
        }
    }

    /// Adapters of a configuration, and its services that have tests of their own.
    private mutating func addConfiguration(_ root: Node, _ path: String) {
        if let folder = root["adapter_files"]?.text {
            let base = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
            add(folder.hasPrefix("/") ? folder : base + folder)
        }
        for entry in root["adapters"]?.entries ?? [] { add(entry.key, entry.value) }
        for entry in root["services"]?.entries ?? [] where entry.value["tests"] != nil { add(entry.key, entry.value) }
    }

    private mutating func add(_ name: String, _ node: Node) {
        catalogue.add(name, node)
        names.append(name)
    }
}
