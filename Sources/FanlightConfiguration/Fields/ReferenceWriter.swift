// SPDX-License-Identifier: Apache-2.0

/// Writes the reference of sections and definitions in Markdown.
public enum ReferenceWriter {
    /// A section and every other one that it leads to, each once, in the order of the tables.
    public static func sections(from start: Section) -> [Section] {
        var found = [start]
        func visit(_ shape: Shape) {
            switch shape {
            case .one, .defined, .anything: break
            case .either(let shapes): for shape in shapes { visit(shape) }
            case .list(let shape), .named(let shape), .identified(let shape): visit(shape)
            case .keys(let section):
                if found.contains(where: { $0.name == section.name }) { return }
                found.append(section)
                fields(section)
            }
        }
        func fields(_ section: Section) {
            for case .shaped(let shape) in section.fields.map(\.type) { visit(shape) }
        }
        fields(start)
        return found
    }

    /// One table a section, in order.
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
