// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration

/// The reference pages of the adapter language and of the catalogue, in Markdown.
public enum AdapterReference {
    /// Every table and form of text of the language.
    public static func language() -> String {
        let tables = ReferenceWriter.tables(ReferenceWriter.sections(from: AdapterFields.adapter))
        let forms = AdapterDefinitions.all.filter { if case .keys = $0.shape { false } else { true } }
        let texts = forms.map(ReferenceWriter.paragraph).joined(separator: "\n")
        return texts + "\n" + tables
    }

    /// One row a service, then the settings and options of each.
    public static func services(_ catalogue: Catalogue) -> String {
        let entries = catalogue.names.compactMap { catalogue.entry($0) }
        var out = """
            | adapter | what | auth | requests | formats | bytes | delete | facts of |
            |---|---|---|---|---|---|---|---|

            """
        for entry in entries {
            let cells = [
                "[`\(entry.name)`](#\(entry.name))", entry.description, entry.auth,
                entry.requests == 0 ? "none" : "\(entry.requests)",
                entry.formats.isEmpty ? "usual" : entry.formats.joined(separator: ", "), entry.bytes ?? "",
                entry.canDelete ? "yes" : "no", entry.date ?? "",
            ]
            out += "| " + cells.map(ReferenceWriter.cell).joined(separator: " | ") + " |\n"
        }
        for entry in entries { out += "\n" + section(entry) }
        return out
    }

    private static func section(_ entry: CatalogueEntry) -> String {
        var out = "## \(entry.name)\n\n\(entry.description)\n"
        let rows = entry.settings.map { ("setting", $0) } + entry.options.map { ("option", $0) }
        guard !rows.isEmpty else { return out }
        out += "\n| key | kind | type | default | meaning |\n|---|---|---|---|---|\n"
        for (kind, value) in rows {
            let text = value.defaultText.map { "`\($0)`" } ?? (value.isRequired ? "required" : "")
            let cells = [
                "`\(value.name)`", value.isSecret ? "secret " + kind : kind, value.type, text, value.description ?? "",
            ]
            out += "| " + cells.map(ReferenceWriter.cell).joined(separator: " | ") + " |\n"
        }
        return out
    }
}
