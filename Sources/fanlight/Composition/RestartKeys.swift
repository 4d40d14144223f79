// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration

/// Keys that are read at the start only.
enum RestartKeys {
    /// Names of those that differ.
    static func changed(from old: GatewayConfiguration, to new: GatewayConfiguration) -> [String] {
        let (a, b) = (old.server, new.server)
        let differences: [(String, Bool)] = [
            ("server.listen", a.listen != b.listen), ("server.state", a.state != b.state),
            ("server.state_key", a.stateKey != b.stateKey),
            ("server.client_timeout", a.clientTimeout != b.clientTimeout), ("server.min_rate", a.minRate != b.minRate),
            ("server.max_connections", a.maxConnections != b.maxConnections),
            ("server.max_connections_per_address", a.maxConnectionsPerAddress != b.maxConnectionsPerAddress),
            ("server.trusted_proxies", a.trustedProxies != b.trustedProxies),
            ("image.helpers", old.image.helpers != new.image.helpers),
            ("image.cpu", old.image.processorTime != new.image.processorTime),
            ("image.memory", old.image.memory != new.image.memory),
            ("journal", old.journal != new.journal),
        ]
        return differences.filter(\.1).map(\.0)
    }
}
