// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
public import FanlightCore

/// How deliveries to a service are treated beside those to others.
public struct DeliveryWishes: Sendable, Equatable {
    /// How much they count.
    public var role = DeliveryRole.required
    /// True where the same picture with the same caption is not sent again.
    public var reusesDuplicates = false
    /// When the service counts as dead.
    public var breaker = BreakerRules()

    /// Creates the wishes of a service that says nothing.
    public init() {}
}

extension Compilation {
    /// Reads `optional`, `shadow`, `duplicates` and `breaker`.
    func deliveryWishes(_ node: Node) -> DeliveryWishes {
        var wishes = DeliveryWishes()
        if read(node["optional"], ValueReader.boolean) == true { wishes.role = .optional }
        if read(node["shadow"], ValueReader.boolean) == true { wishes.role = .shadow }
        let duplicates = read(node["duplicates"]) { (text) throws(Expectation) -> String in
            guard ["send", "reuse"].contains(text) else { throw Expectation("send or reuse") }
            return text
        }
        wishes.reusesDuplicates = duplicates == "reuse"
        wishes.breaker = breaker(node["breaker"])
        return wishes
    }

    private func breaker(_ node: Node?) -> BreakerRules {
        checkKeys(of: node, AdapterFields.breaker)
        let standard = BreakerRules()
        let failures = read(node?["failures"]) { (text) throws(Expectation) in
            try ValueReader.integer(text, in: 0...1_000)
        }
        let whenOpen = read(node?["when_open"]) { (text) throws(Expectation) -> BreakerRules.WhenOpen in
            guard let value = BreakerRules.WhenOpen(rawValue: text) else { throw Expectation("fail or wait") }
            return value
        }
        return BreakerRules(
            failures: failures ?? standard.failures,
            pause: read(node?["pause"], ValueReader.duration) ?? standard.pause,
            longest: read(node?["longest"], ValueReader.duration) ?? standard.longest,
            whenOpen: whenOpen ?? standard.whenOpen
        )
    }
}
