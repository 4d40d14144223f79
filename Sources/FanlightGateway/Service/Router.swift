// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore

/// Turns the names that a client asked for into services and a policy.
struct Router: Sendable {
    var services: [CompiledService]
    var routes: [Route]

    /// Resolves names of services and routes, each service once, in configured order.
    func resolve(_ names: [String]) throws(Problem) -> (services: [CompiledService], policy: RoutePolicy) {
        var wanted: [String] = []
        var policy = RoutePolicy.all
        if names.isEmpty {
            let route =
                routes.first(where: { $0.name == "default" })
                ?? Route(name: "default", services: services.filter(\.enabled).map(\.name))
            policy = route.policy
            // A route may name services that are off for want of a setting; they are left out, not an error.
            wanted = route.services.filter { name in services.contains { $0.name == name && $0.enabled } }
        }
        for name in names {
            if let service = services.first(where: { $0.name == name }) {
                guard service.enabled else {
                    throw Problem(
                        .unknownService,
                        "The service \(name) is off: \(service.disabledReason ?? "disabled in config.yaml").",
                        field: "services"
                    )
                }
                wanted.append(name)
            } else if let route = routes.first(where: { $0.name == name }) {
                if names.count == 1 { policy = route.policy }
                wanted += route.services.filter { name in services.contains { $0.name == name && $0.enabled } }
            } else {
                throw Problem(
                    .unknownService,
                    "There is no service or route \"\(name.prefix(100))\". GET /v1/services lists them.",
                    field: "services"
                )
            }
        }
        return (try ordered(wanted, policy), policy)
    }

    private func ordered(_ wanted: [String], _ policy: RoutePolicy) throws(Problem) -> [CompiledService] {
        guard !wanted.isEmpty else {
            throw Problem(
                .unknownService,
                "No service is enabled. Enable one in config.yaml; fanlight services tells why each is off.",
                field: "services"
            )
        }
        if policy == .first {
            var seen: Set<String> = []
            return wanted.filter { seen.insert($0).inserted }.compactMap { name in services.first { $0.name == name } }
        }
        return services.filter { wanted.contains($0.name) }
    }
}
