// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore

/// `fanlight schema`: prints JSON Schema.
enum SchemaCommand {
    static func run(_ arguments: [String]) throws {
        let parsed = try Arguments(arguments, options: [])
        switch (parsed.words.first ?? "config", parsed.words.count) {
        case ("config", 0...1): Console.out(configuration.serialized(pretty: true))
        case ("adapter", 1): Console.out(AdapterSchema.document().serialized(pretty: true))
        default: throw UsageError("schema takes config or adapter")
        }
    }

    /// The schema of config.yaml.
    static var configuration: JSONValue {
        var writer = AdapterSchema.writer(.standard)
        return ConfigurationFields.schema(&writer)
    }
}
