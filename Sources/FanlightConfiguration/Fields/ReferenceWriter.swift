// SPDX-License-Identifier: Apache-2.0

/// Writes the reference of sections and definitions in Markdown.
public enum ReferenceWriter {
    /// One table a section, in order; each with the sections that only it leads to behind it.
    public static func tables(_ sections: [Section]) -> String { sections.map(table).joined(separator: "\n") }

    /// One heading and table.
    public static func table(_ section: Section) -> String {
        let title = section.name.isEmpty ? "config.yaml" : section.name
        let rows = section.fields.map { field in
            let value = field.defaultText.map { "`\($0)`" } ?? (field.isRequired ? "required" : "")
            return "| `\(field.name)` | \(cell(field.type.word)) | \(value) | \(cell(field.description)) |\n"
        }
        let text = section.description.isEmpty ? "" : section.description + "\n\n"
        return "## \(title)\n\n\(text)| key | type | default | meaning |\n|---|---|---|---|\n" + rows.joined()
    }

    /// One heading and text.
    public static func paragraph(_ definition: Definition) -> String {
        "## \(definition.name)\n\n\(definition.description)\n"
    }

    /// Text as it stands in a cell of a table.
    public static func cell(_ text: String) -> String { text.replacing("|", with: "\\|").replacing("\n", with: " ") }
}
