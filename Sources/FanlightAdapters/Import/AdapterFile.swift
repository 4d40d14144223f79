// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore

/// Writes the file of an adapter that was imported, and makes sure that it is understood.
struct AdapterFile {
    let draft: AdapterDraft

    /// The file, with the request that it makes in its test.
    ///
    /// - Throws: What the language cannot say of the draft.
    func imported() throws(ImportError) -> ImportedAdapter {
        let members = draft.members
        let plain = YAMLText.lines(members).joined(separator: "\n") + "\n"
        var catalogue = Catalogue.standard
        let (root, found) = YAMLReader.read(Array(plain.utf8), file: draft.name + ".yaml")
        guard let root, found.isEmpty else { throw ImportError(Self.words(found)) }
        catalogue.add(draft.name, root)
        let skeleton = TestSkeleton(draft: draft, catalogue: catalogue)
        let tests = try skeleton.tests()
        let text = (head + [""] + YAMLText.lines(members) + tests).joined(separator: "\n") + "\n"
        return ImportedAdapter(
            name: draft.name,
            text: text,
            remarks: draft.remarks,
            secrets: draft.settings.filter(\.isSecret).map { ($0.name, $0.sample) }
        )
    }

    static func words(_ diagnostics: [Diagnostic]) -> String {
        "what it says cannot be said in an adapter: " + diagnostics.map(\.message).joined(separator: "; ")
    }

    /// Comments: where it comes from, how it is used, what is missing.
    private var head: [String] {
        var lines = ["# Imported from \(draft.origin).", "# Use it in config.yaml:", "#   services:"]
        lines += ["#     \(draft.name):", "#       adapter: \(draft.name)"]
        let prefix = AdapterDraft.word(draft.name, or: "service").uppercased()
        for setting in draft.settings where setting.isRequired {
            lines.append(
                "#       \(setting.name): ${env:\(prefix)_\(setting.name.uppercased())}   # \(setting.description)"
            )
        }
        if !draft.remarks.isEmpty { lines.append("# Not as it was:") }
        return (lines + draft.remarks.map { "# - " + $0 }).map(Self.oneLine)
    }

    /// Without anything that ends a line of YAML, and with it a comment.
    private static func oneLine(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { line, scalar in
            let isBreak = scalar.value < 0x20 || [0x7F, 0x85, 0x2028, 0x2029].contains(scalar.value)
            line.unicodeScalars.append(isBreak ? " " : scalar)
        }
    }
}
