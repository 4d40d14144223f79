// SPDX-License-Identifier: Apache-2.0

public import FanlightConfiguration
public import FanlightCore

/// JSON Schema of adapter files and of the parts of config.yaml that are written in the adapter language.
public enum AdapterSchema {
    /// JSON Schema of one adapter file.
    public static func document() -> JSONValue {
        var writer = SchemaWriter(AdapterDefinitions.all)
        let body = adapter(&writer).object ?? []
        let head: [JSONValue.Member] = [
            .init("$schema", .string(SchemaWriter.dialect)), .init("title", "adapter file of Fanlight"),
        ]
        return .object(head + body + [.init("$defs", writer.definitionsObject())])
    }

    /// A writer that knows the language, and `service` and `adapter` for the schema of config.yaml.
    ///
    /// - Parameter catalogue: Adapters whose settings and options are offered beside `adapter:`.
    public static func writer(_ catalogue: Catalogue) -> SchemaWriter {
        var writer = SchemaWriter(AdapterDefinitions.all)
        let adapter = adapter(&writer)
        let service = service(&writer, catalogue)
        writer.define("adapter", adapter)
        writer.define("service", service)
        return writer
    }

    /// Known keys only, but where a base may declare more.
    private static func adapter(_ writer: inout SchemaWriter) -> JSONValue {
        closed(writer.object(AdapterFields.adapter)) + [
            .init("if", .object([.init("required", ["adapter"])])),
            .init("then", .object([.init("additionalProperties", true)])),
            .init("unevaluatedProperties", false),
        ]
    }

    /// Known keys, and those that the adapter of that name declares.
    private static func service(_ writer: inout SchemaWriter, _ catalogue: Catalogue) -> JSONValue {
        let names = catalogue.names.map { JSONValue.string($0) }
        var rules: [JSONValue] = catalogue.names.compactMap { name in
            catalogue.entry(name).map { rule(named(.object([.init("const", .string(name))])), declared($0)) }
        }
        let others = JSONValue.object([.init("not", .object([.init("enum", .array(names))]))])
        rules.append(rule(named(others), .object([.init("additionalProperties", true)])))
        return closed(writer.object(AdapterFields.service)) + [
            .init("allOf", .array(rules)), .init("unevaluatedProperties", false),
        ]
    }

    /// The object without its own word on further keys.
    private static func closed(_ value: JSONValue) -> [JSONValue.Member] {
        (value.object ?? []).filter { $0.name != "additionalProperties" }
    }

    /// True of a service whose `adapter` is such a value.
    private static func named(_ value: JSONValue) -> JSONValue {
        .object([
            .init("properties", .object([.init("adapter", value)])), .init("required", ["adapter"]),
        ])
    }

    private static func rule(_ condition: JSONValue, _ then: JSONValue) -> JSONValue {
        .object([.init("if", condition), .init("then", then)])
    }

    private static func declared(_ entry: CatalogueEntry) -> JSONValue {
        .object([.init("properties", .object((entry.settings + entry.options).map { .init($0.name, property($0)) }))])
    }

    private static func property(_ value: CatalogueEntry.Value) -> JSONValue {
        var members: [JSONValue.Member] = []
        if let text = value.description { members.append(.init("description", .string(text))) }
        if let text = value.defaultText { members.append(.init("default", .string(text))) }
        members.append(.init("type", ["string", "number", "boolean", "null"]))
        return .object(members)
    }
}

/// Members after those of an object.
private func + (members: [JSONValue.Member], more: [JSONValue.Member]) -> JSONValue {
    .object(Array([members, more].joined()))
}
