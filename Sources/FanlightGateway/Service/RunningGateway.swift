// SPDX-License-Identifier: Apache-2.0

public import FanlightAdapters
import Synchronization

/// The gateway of the moment: a changed configuration puts another in its place.
///
/// A request takes the gateway once and keeps it, so that no upload sees two configurations.
public final class RunningGateway: Sendable {
    private let current: Mutex<Gateway>

    /// Begins with a gateway.
    public init(_ gateway: Gateway) { current = Mutex(gateway) }

    /// The gateway for the next request.
    public var gateway: Gateway { current.withLock { $0 } }

    /// Puts a gateway with another configuration in the place of the one before.
    ///
    /// - Parameters:
    ///   - settings: For new uploads.
    ///   - services: For new uploads; those of the same name share their queue with the one before.
    ///   - unchanged: Names of services that are the same: their circuits stay as they are.
    public func change(to settings: GatewaySettings, services: [CompiledService], unchanged: Set<String>) {
        current.withLock { $0 = $0.changed(to: settings, services: services, unchanged: unchanged) }
    }
}
