// SPDX-License-Identifier: Apache-2.0

/// What `fanlight help` and the reference say about one command.
struct CommandPage: Sendable {
    /// An option, an example or an exit status, and what it means.
    struct Row: Sendable {
        var left: String
        var right: String

        init(_ left: String, _ right: String) {
            self.left = left
            self.right = right
        }
    }

    /// The command's word.
    var name: String
    /// A few words for the list of commands.
    var line: String
    /// Ways to write it, without `fanlight`.
    var usage: [String]
    /// What it does; paragraphs.
    var text: [String]
    /// Options, each with what it takes.
    var options: [Row] = []
    /// Commands to copy, each with what it is for.
    var examples: [Row] = []
    /// Exit statuses; 2 is bad usage everywhere.
    var statuses: [Row] = [Row("0", "done")]

    /// True for what runs until it is stopped, whose line at the start nothing depends on.
    var isServer = false

    /// All of them, with those that every command has.
    private var allStatuses: [Row] {
        let unwritten = "standard output cannot be written"
        var rows = statuses
        if let index = rows.firstIndex(where: { $0.left == "1" }) {
            if !isServer { rows[index].right += "; or \(unwritten)" }
        } else {
            rows.append(Row("1", unwritten))
        }
        return rows + [Row("2", "the command line is not understood")]
    }

    /// The page for a terminal.
    var plain: String {
        var lines = usage.enumerated().map { ($0.offset == 0 ? "Usage: " : "       ") + "fanlight " + $0.element }
        for paragraph in text { lines += [""] + Self.wrapped(paragraph, width: 96) }
        if !options.isEmpty { lines += ["", "Options:"] + Self.table(options) }
        if !examples.isEmpty {
            lines += ["", "Examples:"]
            for example in examples { lines += ["  " + example.left, "      " + example.right] }
        }
        lines += ["", "Exit status:"] + Self.table(allStatuses)
        return lines.joined(separator: "\n")
    }

    /// The page for the reference.
    var markdown: String {
        var out = "## fanlight \(name)\n\n```\n" + usage.map { "fanlight \($0)\n" }.joined() + "```\n"
        for paragraph in text { out += "\n" + paragraph + "\n" }
        if !options.isEmpty {
            out += "\n| option | meaning |\n|---|---|\n"
            for row in options { out += "| `\(row.left)` | \(row.right) |\n" }
        }
        if !examples.isEmpty {
            out += "\n```sh\n" + examples.map { "\($0.left)   # \($0.right)\n" }.joined() + "```\n"
        }
        out += "\n| exit status | meaning |\n|---|---|\n"
        for row in allStatuses { out += "| \(row.left) | \(row.right) |\n" }
        return out
    }

    /// Two columns, the second one wrapped.
    private static func table(_ rows: [Row]) -> [String] {
        let width = rows.map(\.left.count).max() ?? 0
        return rows.flatMap { row -> [String] in
            let lines = wrapped(row.right, width: max(30, 92 - width))
            return lines.enumerated().map { index, line in
                let left = index == 0 ? row.left : ""
                return "  " + left + String(repeating: " ", count: width - left.count + 2) + line
            }
        }
    }

    private static func wrapped(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        return lines + (line.isEmpty ? [] : [line])
    }
}
