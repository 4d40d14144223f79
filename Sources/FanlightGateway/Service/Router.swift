// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore

/// Turns the names that a client asked for into services, their parts, and a policy.
struct Router: Sendable {
    var services: [CompiledService]
    var routes: [Route]

    /// Services in the order of the report, each with how much it counts.
    typealias Resolved = (services: [(service: CompiledService, role: DeliveryRole)], policy: RoutePolicy)

    private struct Wanted {
        var name: String
        var role: DeliveryRole
    }

    /// Resolves names of services and routes, each service once.
    ///
    /// A single route gives its policy; several names together mean all of them.
    ///
    /// - Parameters:
    ///   - names: Names that the client gave; none = the default route.
    ///   - allowed: Services and routes that the client may use; `nil` = all. The default route is narrowed to them.
    func resolve(_ names: [String], allowed: Set<String>? = nil) throws(Problem) -> Resolved {
        let allowed = allowed.map { members($0) }
        var wanted: [Wanted] = []
        var policy = RoutePolicy.all
        if names.isEmpty {
            let route =
                routes.first(where: { $0.name == "default" })
                ?? Route(name: "default", services: services.filter(\.enabled).map(\.name))
            policy = route.policy
            wanted = members(of: route)
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
                wanted.append(Wanted(name: name, role: service.delivery.role))
            } else if let route = routes.first(where: { $0.name == name }) {
                if names.count == 1 { policy = route.policy }
                wanted += members(of: route)
            } else {
                throw Problem(
                    .unknownService,
                    "There is no service or route \"\(name.prefix(100))\". GET /v1/services lists them.",
                    field: "services"
                )
            }
        }
        if let allowed {
            if names.isEmpty {
                wanted.removeAll { !allowed.contains($0.name) }
                if wanted.isEmpty { throw .nothingAllowed }
            } else if let other = wanted.first(where: { !allowed.contains($0.name) }) {
                throw .serviceNotAllowed(other.name)
            }
            if case .quorum(let count) = policy { policy = .quorum(max(1, min(count, wanted.count))) }
        }
        return (try ordered(wanted, policy), policy)
    }

    /// Services that are meant by names of services and routes.
    func members(_ names: Set<String>) -> Set<String> {
        names.reduce(into: []) { all, name in
            if let route = routes.first(where: { $0.name == name }) {
                all.formUnion(route.services)
            } else {
                all.insert(name)
            }
        }
    }

    /// A route may name services that are off for want of a setting; they are left out, not an error.
    private func members(of route: Route) -> [Wanted] {
        route.services.compactMap { name in
            guard let service = services.first(where: { $0.name == name && $0.enabled }) else { return nil }
            return Wanted(name: name, role: route.roles[name] ?? service.delivery.role)
        }
    }

    private func ordered(
        _ wanted: [Wanted],
        _ policy: RoutePolicy
    ) throws(Problem) -> [(service: CompiledService, role: DeliveryRole)] {
        var roles: [String: DeliveryRole] = [:]
        // Named twice, it counts as much as the stronger of both says.
        for one in wanted { roles[one.name] = Self.stronger(roles[one.name], one.role) }
        guard roles.values.contains(where: { $0 != .shadow }) else {
            throw Problem(
                .unknownService,
                "No service is enabled. Enable one in config.yaml; fanlight services tells why each is off.",
                field: "services"
            )
        }
        var seen: Set<String> = []
        let inOrder =
            policy == .first
            ? wanted.map(\.name).filter { seen.insert($0).inserted }
            : services.map(\.name).filter { roles[$0] != nil }
        return inOrder.compactMap { name in
            services.first { $0.name == name }.map { ($0, roles[name] ?? .required) }
        }
    }

    private static func stronger(_ first: DeliveryRole?, _ second: DeliveryRole) -> DeliveryRole {
        guard let first else { return second }
        let order = [DeliveryRole.required, .optional, .shadow]
        return order.first { $0 == first || $0 == second } ?? .required
    }
}
