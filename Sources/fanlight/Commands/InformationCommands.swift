// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration

/// `fanlight check`: reads the configuration and prints every mistake.
enum CheckCommand {
    static func run(_ arguments: [String]) throws {
        let parsed = try Arguments(arguments, options: ["--config"])
        let loaded = try LoadedConfiguration.loadOrFail(LoadedConfiguration.path(parsed))
        let on = loaded.services.filter(\.enabled).count
        Console.out("\(loaded.path): no errors; \(loaded.services.count) services, \(on) on")
    }
}

/// `fanlight services`: lists the configured services and why one is off.
enum ServicesCommand {
    static func run(_ arguments: [String]) throws {
        let parsed = try Arguments(arguments, options: ["--config"])
        let loaded = try LoadedConfiguration.loadOrFail(LoadedConfiguration.path(parsed))
        guard !loaded.services.isEmpty else {
            Console.out("No services. Add one under services: in \(loaded.path).")
            return
        }
        let width = loaded.services.map(\.name.count).max() ?? 0
        for service in loaded.services {
            let name = service.name + String(repeating: " ", count: width - service.name.count)
            let state = service.enabled ? "on" : "off: \(service.disabledReason ?? "disabled")"
            Console.out("\(name)  \(service.adapterName)  \(state)")
        }
    }
}

/// `fanlight help`.
enum HelpCommand {
    static let version = "0.1.0"

    private static let pages: [(name: String, line: String, text: String)] = [
        (
            "serve", "run the gateway",
            "fanlight serve [--config FILE] [--listen HOST:PORT]\n\nRuns until SIGTERM or SIGINT; uploads under way get server.drain to finish. A second signal ends at once."
        ),
        (
            "check", "check config.yaml",
            "fanlight check [--config FILE]\n\nPrints every mistake with file, line and column. Status 1 when there is one."
        ),
        (
            "send", "upload pictures to a running gateway",
            "fanlight send [--to URL] [--config FILE] [--services NAMES] FILE...\n\nPrints the links, one a line. Without --to the address is that of the configuration."
        ),
        (
            "services", "list the configured services",
            "fanlight services [--config FILE]\n\nSays of each whether it is on, and why not."
        ),
        (
            "health", "ask a running gateway whether it is ready",
            "fanlight health [--to URL] [--config FILE]\n\nStatus 0 when /readyz says so, 1 when not. Without --to the address is that of the configuration."
        ),
        (
            "sandbox", "run loopback services to try with",
            "fanlight sandbox [--listen HOST:PORT] | --make-photo FILE | --inspect FILE\n\nTweetPhoto at /uploadapiwithkey.php, imgur at /3/image, a PHP receiver at /upload.php. ?fail=STATUS, ?fail=30%, ?delay=MS.\nGET /received lists what came."
        ),
        ("version", "print the version", "fanlight version"),
        ("help", "this list, or one command's page", "fanlight help [COMMAND]"),
    ]

    static func run(_ arguments: [String]) throws {
        guard let name = arguments.first else {
            Console.out("fanlight COMMAND\n")
            for page in pages {
                Console.out("  " + page.name + String(repeating: " ", count: 10 - page.name.count) + page.line)
            }
            Console.out(
                "\nfanlight help COMMAND explains one. --config FILE, else FANLIGHT_CONFIG, else ./config.yaml."
            )
            return
        }
        guard let page = pages.first(where: { $0.name == name }) else {
            throw UsageError("there is no command \(name)")
        }
        Console.out(page.text)
    }
}
