// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore

/// `fanlight check`: reads the configuration and prints every mistake.
enum CheckCommand {
    static func run(_ arguments: [String]) throws {
        let parsed = try Arguments(arguments, options: ["--config", "--format"])
        try parsed.refuseWords()
        let path = LoadedConfiguration.path(parsed)
        if case .json = try OutputFormat.of(parsed) { return try json(path) }
        let loaded = try LoadedConfiguration.loadOrFail(path)
        let on = loaded.services.filter(\.enabled).count
        Console.out("\(loaded.path): no errors; \(loaded.services.count) services, \(on) on")
    }

    /// One object with every finding; the status says whether one is an error.
    private static func json(_ path: String) throws {
        let (loaded, diagnostics) = LoadedConfiguration.load(path)
        let errors = diagnostics.filter { $0.severity == .error }.count
        let services = loaded?.services ?? []
        Console.out(
            JSONValue.object([
                .init("file", .string(path)), .init("valid", .bool(loaded != nil)), .init("errors", .int(errors)),
                .init("warnings", .int(diagnostics.count - errors)),
                .init("services", .int(services.count)), .init("services_on", .int(services.filter(\.enabled).count)),
                .init("findings", .array(diagnostics.map(\.json))),
            ]).serialized(pretty: true)
        )
        if loaded == nil { throw CommandFailure("\(path): \(errors) error\(errors == 1 ? "" : "s")") }
    }
}
