// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

/// A session or token that a step waits for.
public struct SessionNeed: Sendable, Equatable {
    /// Name of the service whose session it is.
    public var service: String
    /// Generation of the session that the service refused, where a newer one is wanted; `nil` = any that is valid.
    public var stale: Int?

    /// Creates a need.
    public init(service: String, stale: Int? = nil) {
        self.service = service
        self.stale = stale
    }
}

/// A cookie that a service set while a session was opened.
public struct SessionCookie: Sendable, Equatable {
    /// Name.
    public var name: String
    /// Value.
    public var value: String
    /// Host that set it, lower case; it goes to no other.
    public var host: String

    /// Creates a cookie.
    public init(name: String, value: String, host: String) {
        self.name = name
        self.value = value
        self.host = host
    }
}

/// What an open session gives templates as `session.NAME`; every value counts as secret.
public struct SessionValues: Sendable, Equatable {
    /// Values by name.
    public var values: [String: JSONValue]
    /// Cookies, where the adapter keeps them.
    public var cookies: [SessionCookie]
    /// Grows with every renewal.
    public var generation: Int
    /// Seconds since 1970 after which it is not used any more; `nil` = until the service refuses it.
    public var expiresAt: Int?

    /// Creates a session.
    public init(
        values: [String: JSONValue] = [:],
        cookies: [SessionCookie] = [],
        generation: Int = 0,
        expiresAt: Int? = nil
    ) {
        self.values = values
        self.cookies = cookies
        self.generation = generation
        self.expiresAt = expiresAt
    }
}
