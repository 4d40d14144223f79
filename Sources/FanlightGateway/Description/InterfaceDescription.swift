// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

/// `/openapi.json`: the HTTP interface as OpenAPI 3.1.
///
/// Paths and methods are those of ``InterfacePath``, and closed lists are read from the types themselves, so that none of
/// them can be forgotten here; tests hold the rest to what the gateway answers.
public enum InterfaceDescription {
    /// The document.
    ///
    /// - Parameters:
    ///   - version: Version of the program.
    ///   - hasKeys: True where client keys are configured.
    public static func document(version: String, hasKeys: Bool) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("openapi", "3.1.0"),
            .init(
                "info",
                .object([
                    .init("title", "Fanlight"), .init("version", .string(version)),
                    .init("summary", "A REST gateway for pictures: one POST, every link."),
                    .init("license", .object([.init("name", "Apache 2.0"), .init("identifier", "Apache-2.0")])),
                ])
            ),
            .init("servers", .array([.object([.init("url", "/")])])),
            .init("paths", paths(hasKeys: hasKeys)),
            .init("components", components),
        ]
        if !hasKeys { members.append(.init("security", .array([]))) }
        return .object(members)
    }

    private static func paths(hasKeys: Bool) -> JSONValue {
        .object(
            InterfacePath.allCases.map { path in
                var members = parameters(of: path)
                for method in path.methods {
                    var operation = read(operations["\(method) \(path.rawValue)"] ?? "{}")
                    if path.wantsKey, hasKeys { operation = with(operation, "security", read(#"[{"key": []}]"#)) }
                    members.append(.init(method.lowercased(), operation))
                }
                return .init(path.rawValue, .object(members))
            }
        )
    }

    private static func parameters(of path: InterfacePath) -> [JSONValue.Member] {
        let names = path.rawValue.split(separator: "/").filter { $0.hasPrefix("{") }.map { $0.dropFirst().dropLast() }
        guard !names.isEmpty else { return [] }
        let list = names.map { name in
            read(#"{"name": "\#(name)", "in": "path", "required": true, "schema": {"type": "string", "minLength": 1}}"#)
        }
        return [.init("parameters", .array(list))]
    }

    private static var components: JSONValue {
        with(
            read(schemas),
            "securitySchemes",
            read(#"{"key": {"type": "http", "scheme": "bearer", "description": "One of server.client_keys"}}"#)
        )
    }

    private static func with(_ object: JSONValue, _ name: String, _ value: JSONValue) -> JSONValue {
        guard case .object(let members) = object else { return object }
        return .object(members + [.init(name, value)])
    }

    /// Reads a part of the document; `"@name"` stands for a closed list.
    private static func read(_ text: String) -> JSONValue {
        var whole = text
        for (name, values) in lists {
            let list = JSONValue.array(values.map { .string($0) }).serialized()
            whole = whole.replacing("\"@\(name)\"", with: list)
        }
        return (try? JSONParser.parse(Array(whole.utf8))) ?? .null
    }

    /// Closed lists of the interface.
    static let lists: [(name: String, values: [String])] = [
        ("upload status", UploadStatus.allCases.map(\.rawValue)),
        (
            "delivery status",
            [DeliveryStatus.delivered, .failed, .unknown, .skipped, .pending, .deleted].map(\.rawValue)
        ),
        ("error kind", ErrorKind.allCases.map(\.rawValue)),
        ("lane", Lane.allCases.map(\.rawValue)),
        ("code", Problem.Code.allCases.map(\.rawValue) + serverCodes),
        ("format", ["json"] + TextFormat.allCases.map(\.rawValue)),
        ("role", DeliveryRole.allCases.map(\.rawValue)),
    ]

    /// Codes of the server below, which refuses some requests before the gateway sees them.
    private static let serverCodes = ["bad_framing", "client_timeout", "head_too_large", "too_many_connections"]
}

extension InterfacePath {
    /// True where client keys are asked for, when there are any.
    public var wantsKey: Bool { rawValue.hasPrefix("/v1/") }
}
