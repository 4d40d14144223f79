// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters

/// `fanlight services`: lists the configured services and why one is off.
enum ServicesCommand {
    static func run(_ arguments: [String]) throws {
        let parsed = try Arguments(arguments, options: ["--config"])
        try parsed.refuseWords()
        let loaded = try LoadedConfiguration.loadOrFail(LoadedConfiguration.path(parsed))
        guard !loaded.services.isEmpty else {
            Console.out("No services. Add one under services: in \(loaded.path).")
            return
        }
        let rows = loaded.services.map { service in
            [
                service.name, service.adapterName,
                service.enabled ? "on" : "off: \(service.disabledReason ?? "disabled")",
            ]
        }
        for line in TextTable.lines(rows) { Console.out(line) }
    }
}
