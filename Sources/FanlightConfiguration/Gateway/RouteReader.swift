// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Reads `routes`: a mapping, a list or a text for each name.
struct RouteReader {
    /// Names of all services, in order.
    let services: [String]
    /// The same, to look one up.
    private let known: Set<String>
    /// False where the services could not be read: names in routes are not checked then.
    private let checksNames: Bool

    init(services: [String], checksNames: Bool = true) {
        self.services = services
        known = Set(services)
        self.checksNames = checksNames
    }

    /// Advice for one more wrong name; a file with many has other troubles, and each takes a look at all names.
    private static func hint(_ name: String, among names: [String], _ diagnostics: [Diagnostic]) -> String {
        guard diagnostics.count < 20 else { return "" }
        return NearestName.of(name, among: names).map { "; did you mean '\($0)'?" } ?? ""
    }

    func read(_ node: Node?, diagnostics: inout [Diagnostic]) -> [Route] {
        var routes: [Route] = []
        if let node, !node.isNull {
            if case .mapping(let entries) = node.content {
                for entry in entries { routes.append(route(entry, diagnostics: &diagnostics)) }
            } else {
                diagnostics.append(
                    Diagnostic(at: node.position, "routes: expected one name a route, with its services under it")
                )
            }
        }
        if !routes.contains(where: { $0.name == "default" }) {
            routes.append(Route(name: "default", services: services))
        }
        return routes
    }

    private func route(_ entry: Node.Entry, diagnostics: inout [Diagnostic]) -> Route {
        if !GatewayConfiguration.isName(entry.key) {
            let message = "a route's name is made of letters, digits, '-' and '_', at most 64"
            diagnostics.append(Diagnostic(at: entry.position, message))
        }
        if known.contains(entry.key) {
            diagnostics.append(
                Diagnostic(at: entry.position, "a service has the name '\(entry.key)', too; a route needs another")
            )
        }
        let section = Section("routes.\(entry.key)", ConfigurationFields.route.fields)
        let body = shortForm(entry.value)
        let values = section.decode(body, diagnostics: &diagnostics)
        let names = values.texts("services") ?? services
        check(names, of: entry, at: values.given["services"], diagnostics: &diagnostics)
        let roles = roles(values, of: entry.key, among: names, diagnostics: &diagnostics)
        let counted = names.count { roles[$0] != .shadow }
        let policy = values.node("policy").flatMap {
            self.policy($0, of: entry.key, count: counted, diagnostics: &diagnostics)
        }
        return Route(name: entry.key, services: names, policy: policy ?? .all, roles: roles)
    }

    /// `optional` and `shadow` name services of the route.
    private func roles(
        _ values: FieldValues,
        of route: String,
        among names: [String],
        diagnostics: inout [Diagnostic]
    ) -> [String: DeliveryRole] {
        var roles: [String: DeliveryRole] = [:]
        let members = Set(names)
        for (key, role) in [("optional", DeliveryRole.optional), ("shadow", .shadow)] {
            guard let node = values.given[key] else { continue }
            for name in values.texts(key) ?? [] {
                if roles.updateValue(role, forKey: name) != nil {
                    diagnostics.append(
                        Diagnostic(at: node.position, "routes.\(route): '\(name)' is either optional or shadow")
                    )
                }
                guard !members.contains(name) else { continue }
                let nearest = Self.hint(name, among: names, diagnostics)
                let message = "routes.\(route).\(key): '\(name.prefix(64))' is no service of this route\(nearest)"
                diagnostics.append(Diagnostic(at: node.position, message))
            }
        }
        if !names.isEmpty, names.allSatisfy({ roles[$0] == .shadow }), let node = values.given["shadow"] {
            diagnostics.append(
                Diagnostic(at: node.position, "routes.\(route): one service at least must not be shadow")
            )
        }
        return roles
    }

    /// `backup: [a, b]` and `backup: a` mean `backup: {services: …}`.
    private func shortForm(_ node: Node) -> Node {
        if case .mapping = node.content { return node }
        if node.isNull { return node }
        return Node(.mapping([Node.Entry(key: "services", position: node.position, value: node)]), at: node.position)
    }

    private func check(_ names: [String], of entry: Node.Entry, at node: Node?, diagnostics: inout [Diagnostic]) {
        let path = "routes.\(entry.key)"
        guard let node else { return }
        if names.isEmpty { diagnostics.append(Diagnostic(at: node.position, "\(path): expected at least one service")) }
        var seen: Set<String> = []
        for (index, name) in names.enumerated() {
            let position = node.items.indices.contains(index) ? node.items[index].position : node.position
            if !seen.insert(name).inserted {
                diagnostics.append(Diagnostic(at: position, "\(path): '\(name)' is named twice"))
            }
            guard checksNames, !known.contains(name) else { continue }
            let nearest = Self.hint(name, among: services, diagnostics)
            diagnostics.append(
                Diagnostic(at: position, "\(path): no service has the name '\(name.prefix(64))'\(nearest)")
            )
        }
    }

    /// `all`, `any`, `first`, `quorum: 2` as a mapping or as one text.
    private func policy(_ node: Node, of route: String, count: Int, diagnostics: inout [Diagnostic]) -> RoutePolicy? {
        var quorum: Node?
        if case .mapping(let entries) = node.content, entries.count == 1, entries[0].key == "quorum" {
            quorum = entries[0].value
        }
        let words = (node.text ?? "").split { $0 == ":" || $0 == " " }
        switch words.first {
        case "all" where words.count == 1: return .all
        case "any" where words.count == 1: return .any
        case "first" where words.count == 1: return .first
        case "quorum" where words.count == 2: quorum = Node(.scalar(String(words[1]), isPlain: true), at: node.position)
        default: break
        }
        if let quorum {
            if let number = quorum.text.flatMap({ try? ValueReader.integer($0, in: 1...max(1, count)) }) {
                return .quorum(number)
            }
            let message = "routes.\(route).policy: expected a quorum from 1 to the number of services (\(count))"
            diagnostics.append(Diagnostic(at: quorum.position, message))
            return nil
        }
        let nearest = node.text.flatMap { NearestName.of($0, among: ["all", "any", "first"]) }
        let hint = nearest.map { "; did you mean '\($0)'?" } ?? ""
        diagnostics.append(
            Diagnostic(at: node.position, "routes.\(route).policy: expected all, any, first or {quorum: N}\(hint)")
        )
        return nil
    }
}
