// SPDX-License-Identifier: Apache-2.0

/// `fanlight help`.
enum HelpCommand {
    static let version = "0.1.0"

    static func run(_ arguments: [String]) throws {
        guard let name = arguments.first else {
            Console.out(list)
            return
        }
        guard let page = HelpPages.all.first(where: { $0.name == name }) else {
            throw UsageError("there is no command \(name)")
        }
        Console.out(page.plain)
    }

    /// All commands, one a line.
    static var list: String {
        let lines = HelpPages.all.map { page in
            "  " + page.name + String(repeating: " ", count: 10 - page.name.count) + page.line
        }
        return "fanlight COMMAND\n\n" + lines.joined(separator: "\n")
            + "\n\nfanlight help COMMAND explains one. --config FILE, else FANLIGHT_CONFIG, else ./config.yaml."
    }
}
