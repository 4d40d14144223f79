// SPDX-License-Identifier: Apache-2.0

/// `fanlight help`.
enum HelpCommand {
    static let version = "0.1.0"

    static func run(_ arguments: [String]) throws {
        let parsed = try Arguments(arguments, options: [])
        guard let name = parsed.words.first else {
            Console.out(list)
            return
        }
        try parsed.refuseWords(after: 1)
        guard let page = HelpPages.all.first(where: { $0.name == name }) else {
            throw UsageError("there is no command \(name)")
        }
        Console.out(page.plain)
    }

    /// `fanlight version`.
    static func tellVersion(_ arguments: [String]) throws {
        try Arguments(arguments, options: []).refuseWords()
        Console.out("fanlight \(version)")
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
