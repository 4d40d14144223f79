// SPDX-License-Identifier: Apache-2.0

public import FanlightConfiguration

/// Findings of a whole configuration, each told once.
public struct Findings: Sendable {
    /// What was found, in the order in which it was added.
    public private(set) var all: [Diagnostic] = []
    private var told: Set<Diagnostic> = []

    /// Starts with what was found before.
    public init(_ diagnostics: [Diagnostic] = []) { add(diagnostics) }

    /// Adds findings as they are.
    public mutating func add(_ diagnostics: [Diagnostic]) {
        all += diagnostics
        told.formUnion(diagnostics.map(Self.mistake))
    }

    /// Adds what is new: what is read twice, and an adapter that others are based on, is reported once.
    mutating func addNew(_ diagnostics: [Diagnostic]) {
        for finding in diagnostics where told.insert(Self.mistake(finding)).inserted { all.append(finding) }
    }

    /// The finding without its advice: one who knows more names may have another advice for the same mistake.
    private static func mistake(_ finding: Diagnostic) -> Diagnostic {
        guard let advice = finding.message.firstRange(of: Compilation.advice) else { return finding }
        return Diagnostic(finding.severity, at: finding.position, String(finding.message[..<advice.lowerBound]))
    }
}

/// For one service; several take less time with the same ``Findings``.
extension ServiceCompiler {
    /// Compiles one service.
    public func compile(name: String, node: Node, diagnostics: inout [Diagnostic]) -> CompiledService? {
        var findings = Findings(diagnostics)
        defer { diagnostics = findings.all }
        return compile(name: name, node: node, findings: &findings)
    }

    /// Looks for mistakes in an adapter that no service uses.
    public func check(adapter name: String, beside file: String, diagnostics: inout [Diagnostic]) {
        var findings = Findings(diagnostics)
        check(adapter: name, beside: file, findings: &findings)
        diagnostics = findings.all
    }
}
