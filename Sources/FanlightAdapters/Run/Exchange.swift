// SPDX-License-Identifier: Apache-2.0

/// What a driver must know about one HTTP exchange of a delivery.
public struct Exchange: Sendable, Equatable {
    /// Identifier of the step, for logs; `upload` where the adapter has no steps, `delete` for a deletion.
    public var step: String
    /// True when the request may be repeated although its body has left: GET, HEAD, PUT, DELETE, declared so, or sent
    /// with an idempotency key.
    public var isIdempotent: Bool
    /// True for one of a row of exchanges that ask whether the service has finished; it publishes nothing.
    public var isPoll: Bool
    /// True where the service may have the picture once the request is complete.
    public var mayPublish: Bool

    /// Creates a description.
    public init(step: String, isIdempotent: Bool, isPoll: Bool = false, mayPublish: Bool = false) {
        self.step = step
        self.isIdempotent = isIdempotent
        self.isPoll = isPoll
        self.mayPublish = mayPublish
    }
}
