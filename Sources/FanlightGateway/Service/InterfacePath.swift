// SPDX-License-Identifier: Apache-2.0

/// Every path of the HTTP interface: labels of metrics and `/openapi.json` read this list.
public enum InterfacePath: String, Sendable, CaseIterable {
    case root = "/"
    case uploads = "/v1/uploads"
    case upload = "/v1/uploads/{id}"
    case events = "/v1/uploads/{id}/events"
    case retry = "/v1/uploads/{id}/retry"
    case services = "/v1/services"
    case picture = "/album/{name}"
    case health = "/healthz"
    case ready = "/readyz"
    case metrics = "/metrics"
    case description = "/openapi.json"

    /// Methods that the path takes; HEAD goes wherever GET does.
    public var methods: [String] {
        switch self {
        case .uploads: ["GET", "POST"]
        case .upload: ["GET", "DELETE"]
        case .retry: ["POST"]
        default: ["GET"]
        }
    }

    /// The entry that a request's path belongs to; `nil` where there is nothing.
    public init?(of path: String) {
        let parts = Self.parts(of: path)
        let found = Self.allCases.first { entry in
            let pattern = Self.parts(of: entry.rawValue)
            return pattern.count == parts.count
                && zip(pattern, parts).allSatisfy { $0.hasPrefix("{") && !$1.isEmpty || $0 == $1 }
        }
        guard let found else { return nil }
        self = found
    }

    /// What stands behind each slash; a path that does not begin with one has none.
    ///
    /// Slashes are not made fewer: whoever guards a path in front of the gateway compares it as it is written.
    static func parts(of path: String) -> [Substring] {
        guard path.hasPrefix("/") else { return [] }
        return path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    }

    /// Label of a request's path: bounded, whatever the client asks for.
    static func label(of path: String) -> String { Self(of: path)?.rawValue ?? "other" }
}
